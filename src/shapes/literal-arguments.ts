import type { Call, Calls } from "../calls.ts";
import type { Input, Pump, Waiting } from "../input.ts";
import type { Ends } from "../json/reader.ts";
import { matchLength } from "./ends.ts";
import type { LiteralNotation } from "./literal-quotes.ts";
import { LiteralReader } from "./literal-reader.ts";

const YES = 1;
const NO = 0;
const WAIT = -1;

/** What no text holds. */
const NEVER = "\uffff\uffff";

/** Looks for the end of arguments that cannot be read: where the brackets balance, or the call ends from outside. */
class Skip implements Pump {
  private readonly ends: Ends;
  private readonly quotes: readonly string[];
  /** Brackets that are open; null: brackets mean nothing. */
  private depth: number | null;
  private quote: string | null;

  /** `quotes`: what begins and ends a string. None: all of it stands in a string that never ends. */
  constructor(ends: Ends, quotes: readonly string[], depth: number | null) {
    this.ends = ends;
    this.quotes = quotes;
    this.depth = depth;
    this.quote = quotes.length === 0 ? "" : null;
  }

  step(input: Input): boolean {
    const { text, ended } = input;
    let i = input.pos;
    while (i < text.length && this.depth !== 0) {
      const char = text[i] as string;
      if (this.ends.first.includes(char)) {
        const here = this.quote === null ? this.ends.at(text, i, ended) : this.ends.breaks(text, i, ended);
        if (here !== NO) return this.stop(input, i, here === YES);
      }
      const length = matchLength(this.quote === null ? this.quotes : [this.quote || NEVER], text, i, ended);
      if (length === WAIT) return this.stop(input, i, false);
      if (length > 0) {
        this.quote = this.quote === null ? text.slice(i, i + length) : null;
        i += length;
        continue;
      }
      if (char === "\\" && this.quote?.length === 1) {
        if (i + 1 === text.length && !ended) return this.stop(input, i, false);
        i++;
      } else if (this.quote === null && this.depth !== null) {
        if ("([{".includes(char)) this.depth++;
        else if (")]}".includes(char)) this.depth--;
      }
      i++;
    }
    return this.stop(input, Math.min(i, text.length), this.depth === 0 || ended);
  }

  private stop(input: Input, i: number, satisfied: boolean): boolean {
    input.pos = i;
    return satisfied;
  }
}

export interface LiteralArguments {
  /** The bracket that closes them. */
  close: string;
  notation: LiteralNotation;
  /** Broken ones end at their bracket. */
  balances: boolean;
  /** Stands behind the name of a tool. */
  suffix?: string;
}

/** Reads the arguments behind their opening bracket, and ends the call. */
export function* literalArguments(
  input: Input,
  calls: Calls,
  call: Call,
  { close, notation, balances, suffix = "" }: LiteralArguments,
): Waiting<void> {
  const { ends, repair, depth, tools } = calls.rules;
  const known = tools && ((name: string) => calls.declares(name) || isSuffixed(calls, name, suffix));
  const reader = new LiteralReader({ call, notation, close, ends, known, repair, depth });
  yield* input.run(reader);
  if (reader.outcome === "unclosed" && repair) {
    reader.finish(input.offset);
  } else if (reader.outcome === "open" && !input.finished) {
    call.fail("truncated", "The output was cut off inside the arguments.", input.offset);
  } else if (reader.outcome !== "done") {
    const fault = reader.outcome === "fault";
    const message = reader.outcome === "unclosed" ? "Closing brackets are missing." : reader.message;
    call.fail(reader.kind, message, fault ? reader.faultAt : input.offset);
    const lost = reader.inString && input.mayGoBack;
    if (lost) input.back(reader.stringAt);
    const quotes = notation.quote === undefined ? ['"', "'"] : [notation.quote];
    yield* input.run(new Skip(ends, lost ? [] : quotes, balances && !lost ? reader.open.length : null));
  }
  call.end(input.offset);
}

function isSuffixed(calls: Calls, name: string, suffix: string): boolean {
  return suffix !== "" && name.endsWith(suffix) && calls.declares(name.slice(0, -suffix.length));
}
