import { Call, type Calls } from "../calls.ts";
import type { Reading } from "../format.ts";
import { type Input, isBlank, type Waiting } from "../input.ts";
import { resyncAt } from "./ends.ts";
import { literalArguments } from "./literal-arguments.ts";
import type { LiteralNotation } from "./literal-quotes.ts";

/** Longest name of a tool. */
const NAME_LENGTH = 256;
const PREFIX = "call:";

/** Behind an opener: `<|tool_call>|call:tide_level{port:<|"|>Oban<|"|>}<tool_call|>`. Several calls may share one opener. */
export function literalCalls(notation: LiteralNotation): Reading {
  return function* (input, calls, _opener, from) {
    let start = from;
    let read = false;
    for (;;) {
      const behind = input.offset;
      yield* input.space();
      if (read && calls.rules.repair && (yield* input.take(","))) yield* input.space();
      if (read) start = input.offset;
      if (yield* oneCall(input, calls, notation, start, read)) {
        read = true;
        continue;
      }
      if (read) input.back(behind);
      return read;
    }
  };
}

function* oneCall(
  input: Input,
  calls: Calls,
  notation: LiteralNotation,
  from: number,
  again: boolean,
): Waiting<boolean> {
  const { repair } = calls.rules;
  const prefixed = yield* input.take(PREFIX);
  if (!prefixed && !(repair && !again && (yield* input.take(":")))) return !again && cut(input, calls, from, [PREFIX]);
  const gap = yield* input.space();
  const nameFrom = input.offset;
  while (input.offset - nameFrom < NAME_LENGTH) {
    const code = yield* input.peek();
    if (code === -1 || code === 0x7b || code === 0x28 || code === 0x3c || isBlank(code)) break;
    input.pos++;
  }
  const written = input.slice(nameFrom, input.offset);
  yield* input.space();
  if (!(yield* input.more()) && cut(input, calls, from, [])) return true;
  const bracket = yield* input.peek();
  const opens = bracket === 0x7b || (bracket === 0x28 && repair);
  const name = nameFor(calls, written);
  if (name === "" || (!opens && gap > 0) || (!prefixed && !(opens && calls.declares(name)))) return false;
  const call = calls.begin(from);
  if (!prefixed) call.repair("near-miss-tag", from);
  if (name !== written) call.repair("near-miss-name", nameFrom);
  call.named(name);
  if (!opens) {
    call.fail("invalid-arguments", "Expected a brace behind the name.", input.offset);
    yield* resyncAt(input, calls.rules.ends, []);
    call.end(input.offset);
    return true;
  }
  if (bracket === 0x28) call.repair("near-miss-tag", input.offset);
  input.pos++;
  yield* literalArguments(input, calls, call, { close: bracket === 0x7b ? "}" : ")", notation, balances: false });
  return true;
}

/** Was the output cut off here, or in one of these marks? */
function cut(input: Input, calls: Calls, from: number, marks: readonly string[]): boolean {
  if (!input.ended || input.finished) return false;
  if (input.pos !== input.text.length && !input.endsInPartOf(marks)) return false;
  input.pos = input.text.length;
  return calls.cut(from);
}

/** A name with an invented namespace, `google:files:save_note`, is the declared one at its end. */
export function nameFor(calls: Calls, written: string): string {
  const name = Call.nameFor(calls, written);
  if (!calls.rules.repair || calls.knows(name)) return name;
  for (let at = 0; at < name.length; at++) {
    if (":./".includes(name[at] as string) && calls.declares(name.slice(at + 1))) return name.slice(at + 1);
  }
  return name;
}

/** Writes a value: strings between quote tokens, keys bare. */
export function writeLiteral(value: unknown, quote: string): string {
  if (typeof value === "string") return quote + value + quote;
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map((item) => writeLiteral(item, quote)).join(",")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}:${writeLiteral(member, quote)}`)
    .join(",")}}`;
}
