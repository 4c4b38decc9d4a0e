import { BLANKS, type Input, isBlank, type Pump } from "../input.ts";

/** Verdicts at a `<`: text; not yet known; the text ends here, or before here; a tag to leave out. */
export const DATA = 0;
export const WAIT = -1;
export const CLOSER = 1;
export const BEFORE = 2;
export const DROP = 3;

/** What follows a tag, behind white space. */
export const OTHER = 0;
export const STRUCTURE = 1;
export const PARAMETER = 2;
export const UNDECLARED = 3;
export const ANOTHER_CLOSER = 4;

const LESS = 0x3c;
const NEWLINE = 0x0a;
/** Longest garbage in a closer. */
const GARBAGE = 30;

/** Takes the text of a value, piece by piece. */
export interface TextSink {
  write(piece: string, from: number, plain: boolean): void;
  /** From here on the text may be read again as something else. */
  pause(): void;
}

export interface TagTextOptions {
  argument: TextSink;
  /** One line break before the closer is layout. */
  newline: boolean;
  repair: boolean;
}

/**
 * Where does the text of a tag end? A closer counts only where structure follows it, so that a value may hold closers,
 * tags, and whole calls. The look-ahead is white space and one tag. Inside the value, tags of the same kind are counted,
 * so that a pair stays together. What counts as structure is the business of the notation: `decide` and `follows`.
 */
export abstract class TagText implements Pump {
  /** How it ended: at its closer, without one, or not at all. */
  outcome: "closed" | "missing-closer" | "near-miss-tag" | "open" = "open";
  /** Offset of a whole call that begins inside the value, if the value never ends. */
  resume: number | null = null;

  /** Value tags open inside the value, in each call that is open inside it. */
  protected readonly depths: number[] = [0];
  /** Nothing of the value has come. */
  protected start = true;
  /** What stands behind this place may be read again as a call of its own. */
  protected pausesHere = false;
  /** Length of the tag that a verdict is about. */
  protected length = 0;
  protected readonly repair: boolean;
  /** Stands before the closer and is no part of the text: `]]>`. */
  protected suffix = "";
  private readonly argument: TextSink;
  private readonly newline: boolean;

  constructor({ argument, newline, repair }: TagTextOptions) {
    this.argument = argument;
    this.newline = newline;
    this.repair = repair;
  }

  /** What is the `<` at `i`? */
  protected abstract decide(text: string, i: number, input: Input): number;

  /** What stands behind white space at `from`? `call`: behind a call's closer, where the tags of values mean nothing. */
  protected abstract follows(text: string, from: number, ended: boolean, call?: boolean): number;

  step(input: Input): boolean {
    const { text } = input;
    const end = text.length;
    let from = input.pos;
    let i = from;
    let plain = true;
    for (;;) {
      let code = 0;
      while (i < end) {
        code = text.charCodeAt(i);
        if (code === LESS) break;
        if (code < 0x20 || code === 0x22 || code === 0x5c) plain = false;
        i++;
      }
      if (i === end) {
        // a line break may belong to the closer, half a character waits for the other half
        let keep = !input.ended && i > from && (code === NEWLINE || (code >= 0xd800 && code <= 0xdbff)) ? 1 : 0;
        if (this.suffix !== "" && !input.ended) keep = Math.max(keep, this.suffixAt(text, from, i));
        this.emit(input, from, i - keep, plain);
        input.pos = i - keep;
        return input.ended;
      }
      const verdict = this.decide(text, i, input);
      if (this.pausesHere) {
        this.pausesHere = false;
        this.emit(input, from, i, plain);
        from = i;
        this.argument.pause();
      }
      if (verdict === DATA) {
        i++;
        continue;
      }
      // where the closer is missing, the line break is the one that stands behind it
      const trims = this.newline || verdict === WAIT || verdict === BEFORE;
      let layout = trims && i > from && text.charCodeAt(i - 1) === NEWLINE ? 1 : 0;
      if (this.suffix !== "") layout = Math.max(layout, this.suffixAt(text, from, i));
      this.emit(input, from, i - layout, plain);
      plain = true;
      if (verdict === WAIT) {
        input.pos = i - layout;
        return false;
      }
      if (verdict !== DROP) {
        input.pos = verdict === CLOSER ? i + this.length : i;
        if (this.outcome === "open") this.outcome = verdict === CLOSER ? "closed" : "missing-closer";
        return true;
      }
      i += this.length;
      from = i;
      input.pos = i;
    }
  }

  /** How much of the suffix stands between `from` and `to`, directly before `to`. */
  protected suffixAt(text: string, from: number, to: number): number {
    const { suffix } = this;
    const first = suffix.charCodeAt(0);
    for (let i = Math.max(from, to - suffix.length); i < to; i++) {
      if (text.charCodeAt(i) === first && suffix.startsWith(text.slice(i, to))) return to - i;
    }
    return 0;
  }

  private emit(input: Input, from: number, to: number, plain: boolean): void {
    if (to <= from) return;
    this.start = false;
    const whole = from === 0 && to === input.text.length;
    this.argument.write(whole ? input.text : input.text.slice(from, to), input.base + from, plain);
  }

  /** Is this place the start of a line of the value? */
  protected startsLine(text: string, i: number, input: Input): boolean {
    return i === input.pos ? this.start : text.charCodeAt(i - 1) === NEWLINE;
  }

  protected get depth(): number {
    return this.depths[this.depths.length - 1] as number;
  }

  protected count(change: number): typeof DATA {
    this.depths[this.depths.length - 1] = Math.max(0, this.depth + change);
    return DATA;
  }

  /** `|</parameter>`, or something that was meant to be one. */
  protected closer(close: string, text: string, i: number, input: Input): number {
    if (text.startsWith(close, i)) return this.closerTo(text, i, i + close.length, input);
    return this.garbled(text, i, i + close.length - 1, input);
  }

  /** `|</parameter>`, which ends at `to`. */
  protected closerTo(text: string, i: number, to: number, { ended }: Input): number {
    if (this.depths.length > 1 && this.depth > 0) return this.count(-1);
    this.length = to - i;
    const next = this.follows(text, to, ended);
    if (next === WAIT) return WAIT;
    if (this.depth > 0) return next === STRUCTURE || next === PARAMETER ? CLOSER : this.count(-1);
    return next === OTHER ? DATA : CLOSER;
  }

  /** `|</parameter_>`: what begins like a closer, up to `from`, and goes on in another way. */
  protected garbled(text: string, i: number, from: number, { ended }: Input): number {
    const limit = Math.min(text.length, from + GARBAGE);
    let at = from;
    while (at < limit && text.charCodeAt(at) !== 0x3e && text.charCodeAt(at) !== LESS) at++;
    if (at === text.length) return ended ? DATA : WAIT;
    if (text.charCodeAt(at) !== 0x3e || !this.repair || this.depths.length > 1 || this.depth > 0) return DATA;
    const next = this.follows(text, at + 1, ended);
    if (next === WAIT) return WAIT;
    if (next !== PARAMETER && (next !== STRUCTURE || skipBlanks(text, at + 1) === text.length)) return DATA;
    this.length = at + 1 - i;
    this.outcome = "near-miss-tag";
    return CLOSER;
  }

  /** A call opens inside the value. */
  protected callOpens(): typeof DATA {
    this.depths.push(0);
    return DATA;
  }

  /** `|</function>`: of a call inside the value, or of this one, whose value's closer was forgotten. */
  protected callCloses(close: string, text: string, i: number, input: Input): number {
    return this.callClosesTo(text, i + close.length, input);
  }

  /** The same for a closer that ends at `from`. */
  protected callClosesTo(text: string, from: number, input: Input): number {
    if (this.depths.length > 1) {
      this.depths.pop();
      return DATA;
    }
    if (!this.repair) return DATA;
    const next = this.follows(text, from, input.ended, true);
    if (next === WAIT) return WAIT;
    // where the output was cut, the end is no structure
    if (input.ended && !input.finished && skipBlanks(text, from) === text.length) return DATA;
    return next === STRUCTURE ? BEFORE : DATA;
  }
}

/** A tag without its last character: `<parameter`. */
export function stem(tag: string): string {
  return tag.slice(0, -1);
}

/** Where white space at `from` ends, of which no more is looked at than any look-ahead does. */
export function skipBlanks(text: string, from: number): number {
  let i = from;
  const end = Math.min(text.length, from + BLANKS);
  while (i < end && isBlank(text.charCodeAt(i))) i++;
  return i;
}
