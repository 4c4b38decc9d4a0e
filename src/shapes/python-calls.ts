import type { Calls } from "../calls.ts";
import type { Bare, Reading } from "../format.ts";
import { type Input, isBlank, type Waiting } from "../input.ts";
import { ranOut } from "./arguments.ts";
import { literalArguments } from "./literal-arguments.ts";
import { nameFor } from "./literals.ts";

/** Longest name of a tool. */
const NAME_LENGTH = 256;
const NO_NAME = "\"'()[]{}<>=,;:!?#*`|\\";
const LIST = 0x5b;

export interface PythonCalls {
  /** Stands behind each name, `tide_level|.call|(port="Oban")`: a call without it is one only of a declared tool. */
  suffix?: string;
}

/**
 * Behind an opener: `<|tool_call_start|>|[tide_level(port='Oban', days=2), clock()]<|tool_call_end|>`. With or without the
 * brackets, with commas, semicolons or line breaks between the calls.
 */
export function pythonCalls({ suffix = "" }: PythonCalls = {}): Reading {
  return function* (input, calls, _opener, from) {
    yield* input.space();
    const list = yield* input.take("[");
    if (list) yield* input.space();
    const name = yield* callName(input);
    if (name === null) {
      if (!input.ended || input.finished || input.pos !== input.text.length) return false;
      return calls.cut(from);
    }
    if (!name.endsWith(suffix) && !calls.declares(name)) return false;
    yield* theCalls(input, calls, name, from, { list, suffix, marked: true });
    return true;
  };
}

/**
 * Without markers, anywhere in the text: `|[tide_level(port='Oban')]`. The name of a tool makes it a call; without tools,
 * an argument's name does, at the start of a line. `lostOpener`: the format has a marker, which is missing.
 */
export function barePythonCalls({ lostOpener = false }: { lostOpener?: boolean } = {}): Bare {
  return {
    starts: (code) => code === LIST,
    anywhere: "[",
    read: function* (input, calls, from, _first, opensLine) {
      if (lostOpener && !calls.rules.repair) return false;
      input.pos++;
      yield* input.space();
      const name = yield* callName(input);
      if (name === null) return false;
      const sure = calls.rules.tools === null ? opensLine && (yield* argumentFollows(input)) : calls.declares(name);
      if (!sure) return false;
      yield* theCalls(input, calls, name, from, { list: true, lostOpener });
      return true;
    },
  };
}

/** What stands around the calls. */
interface Around extends PythonCalls {
  /** Brackets. */
  list: boolean;
  /** An opener. */
  marked?: boolean;
  /** An opener belongs there and is missing. */
  lostOpener?: boolean;
}

/** The calls behind the name of the first, `tide_level(|`. */
function* theCalls(
  input: Input,
  calls: Calls,
  first: string,
  from: number,
  { list, marked = false, suffix = "", lostOpener = false }: Around,
): Waiting<void> {
  let written = first;
  for (let start = from; ; ) {
    const call = calls.begin(start);
    if (lostOpener) call.repair("missing-opener", start);
    const suffixed = suffix !== "" && written.endsWith(suffix) && !calls.declares(written);
    const given = suffixed ? written.slice(0, -suffix.length) : written;
    const name = nameFor(calls, given);
    if (name !== given) call.repair("near-miss-name", start);
    call.named(name);
    yield* literalArguments(input, calls, call, { close: ")", notation: {}, balances: true, suffix });
    const end = input.offset;
    yield* input.space();
    if (list && (yield* input.take("]"))) return;
    const semicolon = !(yield* input.take(",")) && (yield* input.take(";"));
    yield* input.space();
    if (list && (yield* input.take("]"))) return;
    start = semicolon ? end : input.offset;
    const next = yield* callName(input);
    if (next !== null) {
      written = next;
    } else if ((list || (marked && input.offset > start)) && ranOut(input)) {
      // the comma belongs to the list, and what follows it is the beginning of a name
      if (input.offset > start) calls.cut(start);
      return;
    } else {
      input.back(end);
      return;
    }
  }
}

/** A name and the bracket behind it; null: there is none. */
function* callName(input: Input): Waiting<string | null> {
  const from = input.offset;
  while (input.offset - from < NAME_LENGTH) {
    const code = yield* input.peek();
    if (code === -1 || isBlank(code) || NO_NAME.includes(String.fromCharCode(code))) break;
    input.pos++;
  }
  const name = input.slice(from, input.offset);
  yield* input.space();
  return name !== "" && (yield* input.take("(")) ? name : null;
}

/** `tide_level(|port=` or `tide_level(|)` */
function* argumentFollows(input: Input): Waiting<boolean> {
  const from = input.offset;
  yield* input.space();
  const at = input.offset;
  while (input.offset - at < NAME_LENGTH) {
    const code = yield* input.peek();
    if (code === -1 || isBlank(code) || NO_NAME.includes(String.fromCharCode(code))) break;
    input.pos++;
  }
  const named = input.offset > at;
  yield* input.space();
  const follows = yield* input.at(named ? "=" : ")");
  input.back(from);
  return follows;
}

/** How the values of a turn are written. */
export interface PythonStyle {
  string: (text: string) => string;
  true: string;
  false: string;
  null: string;
}

/** As Python's `repr`. */
export const repr: PythonStyle = { string: writeString, true: "True", false: "False", null: "None" };

/** As `tojson` does. */
export const tojson: PythonStyle = {
  string: (text) => JSON.stringify(text),
  true: "true",
  false: "false",
  null: "null",
};

export function writeValue(value: unknown, style: PythonStyle = repr): string {
  if (typeof value === "string") return style.string(value);
  if (value === null || value === undefined) return style.null;
  if (typeof value === "boolean") return value ? style.true : style.false;
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item, style)).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${style.string(key)}: ${writeValue(member, style)}`);
  return `{${members.join(", ")}}`;
}

/** `tide_level(port='Oban', days=2)` */
export function writePythonCall(
  call: { name: string; arguments: Record<string, unknown> },
  style: PythonStyle = repr,
  suffix = "",
): string {
  const given = Object.entries(call.arguments).map(([key, value]) => `${key}=${writeValue(value, style)}`);
  return `${call.name}${suffix}(${given.join(", ")})`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function writeString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + text.replace(quote === "'" ? /[\\'\x00-\x1f]/g : /[\\\x00-\x1f]/g, escaped) + quote;
}

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  return ESCAPES[char] ?? (code < 0x20 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\${char}`);
}
