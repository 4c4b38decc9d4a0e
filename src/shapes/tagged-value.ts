import type { Argument } from "../argument.ts";
import type { Call } from "../calls.ts";
import { BLANKS, type Input, isBlank, type Pump } from "../input.ts";
import type { Ends } from "../json/reader.ts";
import { declaresProperty } from "../schema/declared.ts";
import { matchLength } from "./ends.ts";
import type { ParameterTags } from "./parameter-tags.ts";

/** What a value has to know of the call around it. */
export interface Surroundings {
  call: Call;
  argument: Argument;
  key: string;
  /** Parameters that the call has already. */
  given: ReadonlySet<string>;
  ends: Ends;
  repair: boolean;
  /** Is a tool of this name declared? */
  knows: (name: string) => boolean;
}

const LESS = 0x3c;
const NEWLINE = 0x0a;
/** Longest tag that is looked at, and longest garbage in a closer. */
const TAG_LENGTH = 256;
const GARBAGE = 30;

/** Verdicts at a `<`: text; not yet known; the value ends here, or before here; a tag to leave out. */
const DATA = 0;
const WAIT = -1;
const CLOSER = 1;
const BEFORE = 2;
const DROP = 3;

/** What follows a tag, behind white space. */
const OTHER = 0;
const STRUCTURE = 1;
const PARAMETER = 2;
const UNDECLARED = 3;
const ANOTHER_CLOSER = 4;

/**
 * The text of a tag up to where it ends: `<parameter=code>|if a < b: print("</parameter>")|</parameter></function>`.
 *
 * A closer counts only where structure follows it, so that a value may hold closers, tags, and whole calls. The look-ahead
 * is white space and one tag. Inside the value, tags of the same kind are counted, so that a pair stays together.
 */
export class TaggedValue implements Pump {
  /** How it ended: at its closer, without one, or not at all. */
  outcome: "closed" | "missing-closer" | "near-miss-tag" | "open" = "open";
  /** Offset of a whole call that begins inside the value, if the value never ends. */
  resume: number | null = null;

  private readonly tags: ParameterTags;
  private readonly around: Surroundings;
  /** Parameter tags open inside the value, in each function tag that is open inside it. */
  private depths = [0];
  private start = true;
  private pausesHere = false;
  private length = 0;

  constructor(tags: ParameterTags, around: Surroundings) {
    this.tags = tags;
    this.around = around;
  }

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
        const keep = !input.ended && i > from && (code === NEWLINE || (code >= 0xd800 && code <= 0xdbff)) ? 1 : 0;
        this.emit(input, from, i - keep, plain);
        input.pos = i - keep;
        return input.ended;
      }
      const verdict = this.decide(text, i, input);
      if (this.pausesHere) {
        this.pausesHere = false;
        this.emit(input, from, i, plain);
        from = i;
        this.around.argument.pause();
      }
      const layout = this.tags.newline && i > from && text.charCodeAt(i - 1) === NEWLINE ? 1 : 0;
      if (verdict === DATA) {
        i++;
        continue;
      }
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

  private emit(input: Input, from: number, to: number, plain: boolean): void {
    if (to <= from) return;
    this.start = false;
    const whole = from === 0 && to === input.text.length;
    this.around.argument.write(whole ? input.text : input.text.slice(from, to), input.base + from, plain);
  }

  private get depth(): number {
    return this.depths[this.depths.length - 1] as number;
  }

  private count(change: number): typeof DATA {
    this.depths[this.depths.length - 1] = Math.max(0, this.depth + change);
    return DATA;
  }

  /** What is the `<` at `i`? */
  private decide(text: string, i: number, input: Input): number {
    const { tags } = this;
    const known = [stem(tags.parameter.close), stem(tags.parameter.open), tags.call.open, tags.call.close, tags.wrap.open];
    const length = matchLength(known, text, i, input.ended);
    if (length <= 0) return length;
    switch (known.indexOf(text.slice(i, i + length))) {
      case 0:
        return this.closer(text, i, input);
      case 1:
        return this.parameter(text, i, input);
      case 2:
        return this.functionOpens();
      case 3:
        return this.functionCloses(text, i, input);
      default:
        return this.wrapper(text, i, input);
    }
  }

  /** `|</parameter>`, or something that was meant to be one. */
  private closer(text: string, i: number, input: Input): number {
    const { close } = this.tags.parameter;
    const { ended } = input;
    if (text.startsWith(close, i)) {
      if (this.depths.length > 1 && this.depth > 0) return this.count(-1);
      this.length = close.length;
      const next = this.follows(text, i + close.length, ended);
      if (next === WAIT) return WAIT;
      if (this.depth > 0) return next === STRUCTURE || next === PARAMETER ? CLOSER : this.count(-1);
      return next === OTHER ? DATA : CLOSER;
    }
    const from = i + close.length - 1;
    const limit = Math.min(text.length, from + GARBAGE);
    let at = from;
    while (at < limit && text.charCodeAt(at) !== 0x3e && text.charCodeAt(at) !== LESS) at++;
    if (at === text.length) return ended ? DATA : WAIT;
    if (text.charCodeAt(at) !== 0x3e || !this.around.repair || this.depths.length > 1 || this.depth > 0) return DATA;
    const next = this.follows(text, at + 1, ended);
    if (next === WAIT) return WAIT;
    if (next !== PARAMETER && (next !== STRUCTURE || skipBlanks(text, at + 1) === text.length)) return DATA;
    this.length = at + 1 - i;
    this.outcome = "near-miss-tag";
    return CLOSER;
  }

  /** `|<parameter=folder>` inside the value: the closer before it was forgotten, or it is data. */
  private parameter(text: string, i: number, input: Input): number {
    const { argument, key, given, repair } = this.around;
    const header = this.nameIn(text, i, input.ended);
    if (header === null) return WAIT;
    if (header.name === "") return DATA;
    const lineStart = i === input.pos ? this.start : text.charCodeAt(i - 1) === NEWLINE;
    if (lineStart && repair && this.depths.length === 1 && this.depth === 0) {
      if (header.name === key && !argument.isText) {
        this.length = header.length;
        return DROP;
      }
      if (header.name !== key && !given.has(header.name) && this.declares(header.name)) return BEFORE;
    }
    return this.count(1);
  }

  private functionOpens(): number {
    this.depths.push(0);
    return DATA;
  }

  private functionCloses(text: string, i: number, input: Input): number {
    if (this.depths.length > 1) {
      this.depths.pop();
      return DATA;
    }
    if (!this.around.repair) return DATA;
    const next = this.follows(text, i + this.tags.call.close.length, input.ended, true);
    if (next === WAIT) return WAIT;
    return next === STRUCTURE ? BEFORE : DATA;
  }

  /** `|<tool_call><function=declared>` at the start of a line: if this value never ends, a call begins here. */
  private wrapper(text: string, i: number, input: Input): number {
    const lineStart = i === input.pos ? this.start : text.charCodeAt(i - 1) === NEWLINE;
    if (this.resume !== null || !lineStart || this.depths.length > 1) return DATA;
    const { wrap, call } = this.tags;
    const at = skipBlanks(text, i + wrap.open.length);
    if (at === text.length && !input.ended) return WAIT;
    if (!text.startsWith(call.open, at)) {
      return !input.ended && call.open.startsWith(text.slice(at)) ? WAIT : DATA;
    }
    const close = text.indexOf(">", at);
    if (close < 0) return input.ended || text.length - at > TAG_LENGTH ? DATA : WAIT;
    if (!this.around.knows(text.slice(at + call.open.length, close).trim())) return DATA;
    this.resume = input.base + i;
    this.pausesHere = true;
    return DATA;
  }

  private declares(name: string): boolean {
    return hasParameter(this.around.call, name);
  }

  /** The name in a parameter's opener at `i`; null: not yet known, `""`: it is none. */
  private nameIn(text: string, i: number, ended: boolean): { name: string; length: number } | null {
    const { open } = this.tags.parameter;
    if (text.length - i < open.length && !ended) return null;
    const none = { name: "", length: 0 };
    if (!text.startsWith(open, i)) return none;
    const limit = Math.min(text.length, i + TAG_LENGTH);
    for (let at = i + open.length; at < limit; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x3e) return { name: text.slice(i + open.length, at).trim(), length: at + 1 - i };
      if (code === LESS || code === NEWLINE) return none;
    }
    return ended || limit - i === TAG_LENGTH ? none : null;
  }

  /** What stands behind white space at `from`? `call`: a parameter's tags mean nothing there. */
  private follows(text: string, from: number, ended: boolean, call = false): number {
    const { tags } = this;
    const i = skipBlanks(text, from);
    if (i - from === BLANKS) return STRUCTURE;
    if (i === text.length) return ended ? STRUCTURE : WAIT;
    const here = this.around.ends.at(text, i, ended);
    if (here === 1) return STRUCTURE;
    if (!call) {
      if (text.startsWith(tags.call.close, i)) return STRUCTURE;
      if (text.startsWith(tags.parameter.open, i)) {
        const header = this.nameIn(text, i, ended);
        if (header === null) return WAIT;
        return this.declares(header.name) && !this.around.given.has(header.name) ? PARAMETER : UNDECLARED;
      }
      if (text.startsWith(tags.parameter.close, i)) return this.closersThenStructure(text, i, ended);
    }
    const rest = text.slice(i, i + TAG_LENGTH);
    const partial = [tags.call.close, tags.parameter.open, tags.parameter.close].some((tag) => tag.startsWith(rest));
    if (partial) return ended ? STRUCTURE : WAIT;
    return here < 0 ? WAIT : OTHER;
  }

  /** A second closer is a stray one if structure follows it. */
  private closersThenStructure(text: string, i: number, ended: boolean): number {
    const { close } = this.tags.parameter;
    if (this.depth > 0) return ANOTHER_CLOSER;
    const next = this.follows(text, i + close.length, ended);
    return next === OTHER || next === WAIT ? next : ANOTHER_CLOSER;
  }
}

function stem(tag: string): string {
  return tag.slice(0, -1);
}

function skipBlanks(text: string, from: number): number {
  let i = from;
  const end = Math.min(text.length, from + BLANKS);
  while (i < end && isBlank(text.charCodeAt(i))) i++;
  return i;
}

/** Does the tool of this call declare a parameter of this name? */
export function hasParameter(call: Call, name: string): boolean {
  return call.tool !== undefined && declaresProperty(call.tool.node, name);
}
