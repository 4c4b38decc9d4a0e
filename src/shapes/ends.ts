import { BLANKS, type Input, isBlank, type Pump, type Waiting } from "../input.ts";
import type { Ends, Fault } from "../json/reader.ts";

const YES = 1;
const NO = 0;
const UNKNOWN = -1;

/** What opens and closes the calls of one format. */
export interface CallMarkers {
  openers: readonly string[];
  closers: readonly string[];
}

/** Everything that ends a call from outside: its closers, the next opener, an end-of-turn token. */
export class FormatEnds implements Ends {
  readonly first: string;
  private readonly all: readonly string[];
  private readonly closers: readonly string[];
  /** What may follow a closer that counts even inside a string that never closes. */
  private readonly after: readonly string[];
  /** Openers of formats without closers: they count by themselves. */
  private readonly alone: readonly string[];

  constructor(groups: readonly CallMarkers[], stops: readonly string[]) {
    this.closers = groups.flatMap((group) => group.closers);
    this.after = [...groups.flatMap((group) => group.openers), ...stops];
    this.alone = groups.filter((group) => group.closers.length === 0).flatMap((group) => [...group.openers, ...stops]);
    this.all = [...new Set([...this.closers, ...this.after])];
    this.first = [...new Set(this.all.map((marker) => marker[0] as string))].join("");
  }

  at(text: string, at: number, ended: boolean): number {
    return lookFor(this.all, text, at, ended) as number;
  }

  breaks(text: string, at: number, ended: boolean): number {
    const alone = this.breaksAlone(text, at, ended);
    if (alone !== NO) return alone;
    const length = matchLength(this.closers, text, at, ended);
    if (length <= 0) return length;
    let i = at + length;
    const limit = i + BLANKS;
    while (i < text.length && i < limit && isBlank(text.charCodeAt(i))) i++;
    if (i === text.length) return ended ? YES : UNKNOWN;
    return lookFor(this.after, text, i, ended);
  }

  /** `functools[{"name"` is the next call, `functools[{\"name\"` is in a string. */
  private breaksAlone(text: string, at: number, ended: boolean): number {
    const length = matchLength(this.alone, text, at, ended);
    return length <= 0 ? length : quotesPlainly(text, at + length, ended);
  }
}

/** Is the next quote none that is escaped, as all are in a string? At most `BLANKS` characters are looked at. */
function quotesPlainly(text: string, from: number, ended: boolean): number {
  for (let i = from; i < from + BLANKS; i++) {
    if (i >= text.length) return ended ? YES : UNKNOWN;
    if (text[i] === '"') return YES;
    if (text[i] === "\\") return NO;
  }
  return YES;
}

function lookFor(markers: readonly string[], text: string, at: number, ended: boolean): number {
  const length = matchLength(markers, text, at, ended);
  return length > 0 ? YES : length;
}

/** Length of the longest of the markers that stands at this place; 0: none, -1: one still may. */
export function matchLength(markers: readonly string[], text: string, at: number, ended: boolean): number {
  let length = NO;
  let waits = false;
  for (const marker of markers) {
    if (marker.length <= length) continue;
    if (text.startsWith(marker, at)) length = marker.length;
    else if (!ended && text.length - at < marker.length && marker.startsWith(text.slice(at))) waits = true;
  }
  return waits ? UNKNOWN : length;
}

/**
 * Looks for the end of a broken call: the first closer or opener outside of strings, or one inside a string that can be
 * nothing else.
 */
class Resync implements Pump {
  private readonly ends: Ends;
  /** `quotes`: strings hold data. `open`: a string never closes, so nothing is known to be data. `none`: no JSON. */
  private readonly strings: "quotes" | "open" | "none";
  private inString = false;
  private escaped = false;

  constructor(ends: Ends, strings: "quotes" | "open" | "none") {
    this.ends = ends;
    this.strings = strings;
  }

  step(input: Input): boolean {
    const { text, ended } = input;
    for (let i = input.pos; i < text.length; i++) {
      const char = text[i] as string;
      if (this.ends.first.includes(char) && !this.escaped) {
        const open = this.inString || this.strings === "open";
        const here = open ? this.ends.breaks(text, i, ended) : this.ends.at(text, i, ended);
        if (here !== NO) {
          input.pos = i;
          return here === YES;
        }
      }
      if (this.escaped) this.escaped = false;
      else if (char === "\\") this.escaped = this.inString;
      else if (char === '"' && this.strings === "quotes") this.inString = !this.inString;
    }
    input.pos = text.length;
    return ended;
  }
}

/** Reads on to the end of a call that went wrong. */
export function* resync(input: Input, ends: Ends, fault: Fault): Waiting<void> {
  // at a cut a string that is open holds all the rest, calls that it quotes included
  if (fault.inString && input.ended && !input.finished) {
    input.pos = input.text.length;
    return;
  }
  input.back(fault.token);
  yield* input.run(new Resync(ends, fault.inString ? "open" : "quotes"));
}

/** Ends that know more closers. */
export function withClosers(ends: Ends, closers: readonly string[]): Ends {
  return {
    first: ends.first + closers.map((closer) => closer[0]).join(""),
    at: (text, at, ended) => {
      const length = matchLength(closers, text, at, ended);
      return length !== 0 ? (length < 0 ? UNKNOWN : YES) : ends.at(text, at, ended);
    },
    breaks: (text, at, ended) => ends.breaks(text, at, ended),
  };
}

/** Does something stand here that ends a call from outside? */
export function* endsHere(input: Input, ends: Ends): Waiting<boolean> {
  for (let length = 1; yield* input.more(length); length++) {
    const here = ends.at(input.text, input.pos, false);
    if (here !== UNKNOWN) return here === YES;
  }
  return ends.at(input.text, input.pos, true) === YES;
}

/** The same from the input's position, where no JSON is read. */
export function* resyncTo(input: Input, ends: Ends): Waiting<void> {
  yield* input.run(new Resync(ends, "none"));
}

/** The same; `closers` end the call too. */
export function* resyncAt(input: Input, ends: Ends, closers: readonly string[]): Waiting<void> {
  yield* resyncTo(input, withClosers(ends, closers));
}
