import type { Call, Calls } from "../calls.ts";
import { FENCE } from "../grammar.ts";
import { Input, type Waiting } from "../input.ts";
import { QuickReader } from "../json/quick-reader.ts";
import type { Ends, Fault, Sink } from "../json/reader.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { endsHere, resync, withClosers } from "./ends.ts";

const BLANK = /^[ \t\r\n]*$/;

/** Collects JSON text that is looked at before it is used. */
class Collector implements Sink {
  text = "";
  private readonly log: Sink | null;
  constructor(log: Sink | null) {
    this.log = log;
  }
  write(json: string): void {
    this.text += json;
  }
  verbatim(json: string): void {
    this.text += json;
  }
  run(json: string): void {
    this.text += json;
  }
  hush(): void {}
  repair(...repair: Parameters<Sink["repair"]>): void {
    this.log?.repair(...repair);
  }
}

/** Reads a text that is already whole as one JSON value; null if it is none. */
export function readJson(
  text: string,
  options: { repair: boolean; depth: number; node?: SchemaNode; log?: Sink | undefined },
): string | null {
  const input = new Input();
  input.mark();
  input.append(text);
  input.ended = true;
  const sink = new Collector(options.log ?? null);
  const reader = new QuickReader({
    sink,
    node: options.node ?? anything,
    repair: options.repair,
    depth: options.depth,
  });
  reader.step(input);
  if (!reader.done || !BLANK.test(text.slice(input.pos))) return null;
  return sink.text;
}

/** Gives a call its arguments from a JSON value that was read before: an object, or a string that holds one. */
export function giveArguments(call: Call, calls: Calls, json: string, offset: number): void {
  const { repair, depth } = calls.rules;
  if (json.startsWith("{")) {
    const read = readJson(json, { repair, depth, node: call.node });
    if (read !== null) call.write(read);
    return;
  }
  if (json.startsWith('"')) {
    const decoded = (JSON.parse(json) as string).trim();
    if (decoded === "") return;
    const read = repair && decoded.startsWith("{") ? readJson(decoded, { repair, depth, node: call.node }) : null;
    if (read !== null) {
      call.hush();
      call.repair("encoded-arguments", offset);
      call.write(read);
      return;
    }
  }
  call.fail("not-an-object", `The arguments must be a JSON object, but ${kindOf(json)} was given.`, offset);
}

function kindOf(json: string): string {
  const first = json[0] as string;
  if (first === '"') return "a string";
  if (first === "[") return "a list";
  if (first === "n") return "null";
  return first === "t" || first === "f" ? "a boolean" : "a number";
}

/** All of the output is read. */
export function isOver(input: Input): boolean {
  return input.ended && input.pos === input.text.length;
}

/** The output was cut off, and this is where. */
export function ranOut(input: Input): boolean {
  return isOver(input) && !input.finished;
}

/** A fault of the JSON becomes a problem of the call: cut off is not the same as wrong. */
export function report(call: Call, input: Input, fault: Fault | null): void {
  if (ranOut(input) || (input.ended && fault?.inString === true && !input.finished))
    call.fail("truncated", "The output was cut off inside the arguments.", input.offset);
  else if (fault === null) call.fail("invalid-arguments", "Closing brackets are missing.", input.offset);
  else call.fail(fault.kind, fault.message, fault.offset);
}

/** Longest info string of a Markdown fence. */
const INFO = 32;

/** A Markdown fence around JSON that is in a wrapper already: `[ARGS]|```json` and a line break, or the JSON. */
export function* takeFence(input: Input): Waiting<boolean> {
  const from = input.offset;
  if (!(yield* input.take(FENCE))) return false;
  for (let length = 0; length < INFO; length++) {
    const code = yield* input.peek();
    if (code === -1 && !input.finished) return true;
    if (code === -1 || code === 0x60) break;
    if (code === 0x7b || code === 0x5b) return true;
    input.pos++;
    if (code !== 0x0a) continue;
    yield* input.space();
    return true;
  }
  input.back(from);
  return false;
}

/** The end of that fence, or half of it where the output ends. Surplus brackets may stand before it. */
export function* dropFenceEnd(input: Input, repair: boolean): Waiting<void> {
  const from = input.offset;
  yield* input.space();
  while (repair && ((yield* input.take("}")) || (yield* input.take("]")))) yield* input.space();
  if (yield* input.take(FENCE)) return;
  if (input.endsInPartOf([FENCE])) input.pos = input.text.length;
  else input.back(from);
}

/** The end of a fence that never began, between the arguments and what closes the call. */
function* dropLoneFenceEnd(input: Input, ends: Ends): Waiting<void> {
  const from = input.offset;
  yield* input.space();
  if (yield* input.take(FENCE)) {
    yield* input.space();
    if ((yield* input.more()) && (yield* endsHere(input, ends))) return;
  }
  input.back(from);
}

/** Does the call end before its arguments begin? At a cut that is not known. */
function* isEmpty(input: Input, ends: Ends): Waiting<boolean> {
  return (yield* input.more()) ? yield* endsHere(input, ends) : input.finished;
}

export interface JsonArgumentsOptions {
  /** The format writes a Markdown fence around the object. Where it does not, one is a repair. */
  fence?: boolean | undefined;
  /** Nothing and null are not read as `{}`. */
  needsValue?: boolean | undefined;
}

/**
 * The arguments as one JSON value, behind a name: `[ARGS]|{"port": "Oban"}`. Ends the call.
 */
export function* jsonArguments(
  input: Input,
  calls: Calls,
  call: Call,
  { fence = false, needsValue = false }: JsonArgumentsOptions = {},
): Waiting<void> {
  const { repair, ends } = calls.rules;
  yield* input.space();
  const fenced = (fence || repair) && (yield* takeFence(input));
  if (fenced && !fence) call.repair("near-miss-tag", input.offset);
  if ((fence || repair) && !input.finished && input.endsInPartOf([FENCE])) input.pos = input.text.length;
  const outer = fenced ? withClosers(ends, [FENCE]) : ends;
  const first = yield* input.peek();
  const mayBeEmpty = first !== 0x7b && !needsValue && (first !== -1 || (repair && !fenced));
  if (mayBeEmpty && (yield* isEmpty(input, outer))) {
    if (first === -1) call.repair("missing-closer", input.offset);
  } else {
    yield* value(input, calls, call, outer, first === 0x7b, needsValue);
  }
  call.end(input.offset);
  if (fenced || fence) yield* dropFenceEnd(input, repair);
  else if (repair) yield* dropLoneFenceEnd(input, ends);
}

function* value(
  input: Input,
  calls: Calls,
  call: Call,
  ends: Ends,
  isObject: boolean,
  needsValue: boolean,
): Waiting<void> {
  const { repair, depth } = calls.rules;
  const start = input.offset;
  const collector = isObject ? null : new Collector(call);
  const node = isObject ? call.node : anything;
  const reader = new QuickReader({ sink: collector ?? call, node, ends, repair, depth });
  yield* input.run(reader);
  if (reader.unclosed && repair && !ranOut(input)) reader.finish(input);
  if (!reader.done) {
    report(call, input, reader.fault);
    if (reader.fault !== null) yield* resync(input, ends, reader.fault);
  } else if (collector !== null && (needsValue || collector.text !== "null")) {
    giveArguments(call, calls, collector.text, start);
  }
}
