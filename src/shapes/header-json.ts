import { Call } from "../calls.ts";
import type { Bare, Reading } from "../format.ts";
import { type Input, isBlank, type Waiting } from "../input.ts";
import { jsonArguments } from "./arguments.ts";

/** Longest name of a tool. */
const NAME_LENGTH = 256;

export interface HeaderOptions {
  /** What stands between the name and the arguments. The first is the usual one; `""`: an object may follow directly. */
  separators: readonly string[];
  /** Marks an id between the name and the separator. */
  id?: string;
}

/** `|tide_level[CALL_ID]000000001[ARGS]{"port": "Oban"}`: a name, perhaps an id, a separator, one JSON value. */
export function headerJson(options: HeaderOptions): Reading {
  const marks = [...options.separators.filter((separator) => separator !== ""), ...(options.id ? [options.id] : [])];
  const direct = options.separators.includes("");
  return function* (input, calls, _opener, from) {
    yield* input.space();
    const name = yield* word(input, marks, direct);
    yield* input.space();
    let separator = yield* input.takeOne(marks);
    if (separator === null && (yield* endsInMarker(input, marks))) return calls.cut(from);
    if (name === "") return false;
    let id: string | null = null;
    if (separator !== null && separator === options.id) {
      id = yield* word(input, marks, direct);
      yield* input.space();
      separator = yield* input.takeOne(marks);
    }
    if (separator === null && !(direct && (yield* input.peek()) === OPEN_OBJECT)) {
      return id !== null && calls.cut(from);
    }
    const call = calls.begin(from);
    if (id) call.identify(id);
    call.named(Call.nameFor(calls, name));
    yield* jsonArguments(input, calls, call);
    return true;
  };
}

/** The same without its opener: a run of name characters and the separator make a call. */
export function headerWithoutOpener(options: HeaderOptions): Bare {
  const read = headerJson(options);
  return {
    starts: (code) => !isBlank(code),
    read: (input, calls, from) => read(input, calls, "", from),
  };
}

/** Nothing more comes, or only half a marker. */
function* endsInMarker(input: Input, marks: readonly string[]): Waiting<boolean> {
  return !(yield* input.more()) || input.endsInPartOf(marks);
}

const OPEN_OBJECT = 0x7b;

/** A run of characters that are neither blank nor the start of what stands behind a name. */
function* word(input: Input, marks: readonly string[], direct: boolean): Waiting<string> {
  const from = input.offset;
  while (input.offset - from < NAME_LENGTH) {
    const code = yield* input.peek();
    if (code === -1 || isBlank(code) || (direct && code === OPEN_OBJECT)) break;
    let marked = false;
    for (const mark of marks) marked ||= mark.charCodeAt(0) === code && (yield* input.at(mark));
    if (marked) break;
    input.pos++;
  }
  return input.slice(from, input.offset);
}
