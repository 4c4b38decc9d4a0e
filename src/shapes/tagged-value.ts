import type { Argument } from "../argument.ts";
import type { Call } from "../calls.ts";
import { BLANKS, type Input } from "../input.ts";
import type { Ends } from "../json/reader.ts";
import { declaresProperty } from "../schema/declared.ts";
import { matchLength } from "./ends.ts";
import * as verdict from "./tag-text.ts";
import { skipBlanks, TagText } from "./tag-text.ts";
import {
  CALL_CLOSE,
  CALL_OPEN,
  NONE,
  PARAMETER_CLOSE,
  PARAMETER_GARBLED,
  PARAMETER_OPEN,
  surely,
  type TagScanner,
  WAIT,
  WRAP_OPEN,
} from "./tags.ts";

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
  /** Only tags with their mark are tags. */
  marked: boolean;
  /** The value stands in `<![CDATA[…]]>`. */
  cdata: boolean;
}

const CDATA_END = "]]>";

/**
 * The text of a tag up to where it ends: `<parameter=code>|if a < b: print("</parameter>")|</parameter></function>`.
 */
export class TaggedValue extends TagText {
  private readonly tags: TagScanner;
  private readonly around: Surroundings;

  constructor(tags: TagScanner, around: Surroundings) {
    super({ argument: around.argument, newline: tags.set.tags.newline === true, repair: around.repair });
    this.tags = tags;
    this.around = around;
    if (around.cdata) this.suffix = CDATA_END;
  }

  protected decide(text: string, i: number, input: Input): number {
    const { tags, around } = this;
    const kind = tags.at(text, i, input.ended, around.marked);
    if (kind === NONE && around.repair && tags.hasToken && tags.closes) return this.strange(text, i, input);
    if (kind <= NONE) return kind === WAIT ? verdict.WAIT : verdict.DATA;
    if (around.cdata) return this.cdataEnds(kind, text, i, input);
    switch (kind) {
      case PARAMETER_CLOSE:
        return this.closerTo(text, i, tags.behind, input);
      case PARAMETER_GARBLED:
        return this.garbled(text, i, tags.behind, input);
      case PARAMETER_OPEN:
        return this.parameter(text, i, input);
      case CALL_OPEN:
        return this.innerCall(text, i, input);
      case CALL_CLOSE:
        return this.callClosesTo(text, tags.behind, input);
      case WRAP_OPEN:
        return this.wrapper(text, i, tags.behind, input, false);
      default:
        return verdict.DATA;
    }
  }

  /** `|</｜DSML｜arg>`: with a token in it a closer is no text. */
  private strange(text: string, i: number, input: Input): number {
    const end = this.tags.garbledEnd(text, i, input.ended);
    return end <= NONE ? (end === WAIT ? verdict.WAIT : verdict.DATA) : this.garbled(text, i, end - 1, input);
  }

  /** `]]>|</param>`: in a CDATA section nothing else counts. */
  private cdataEnds(kind: number, text: string, i: number, input: Input): number {
    const whole = i - input.pos >= CDATA_END.length && text.endsWith(CDATA_END, i);
    return kind === PARAMETER_CLOSE && text.startsWith(CDATA_END, i - CDATA_END.length) && whole
      ? this.closerTo(text, i, this.tags.behind, input)
      : verdict.DATA;
  }

  /** `|<parameter=folder>` inside the value: the closer before it was forgotten, or it is data. */
  private parameter(text: string, i: number, input: Input): number {
    const { tags, around } = this;
    const { argument, key, given, repair } = around;
    const end = tags.header(text, input.ended, surely);
    if (end === WAIT) return verdict.WAIT;
    if (end === NONE) return tags.nameless(text) ? this.count(1) : verdict.DATA;
    const { name } = tags;
    const mayStand = tags.isToken || this.startsLine(text, i, input);
    if (mayStand && repair && this.depths.length === 1 && this.depth === 0) {
      if (name === key && !argument.isText) {
        this.length = end - i;
        return verdict.DROP;
      }
      if (name !== key && !given.has(name) && this.declares(name)) return verdict.BEFORE;
    }
    return this.count(1);
  }

  /** `|<function=other>` inside the value. */
  private innerCall(text: string, i: number, input: Input): number {
    const { tags } = this;
    const opens = tags.opensSurely(text, input.ended);
    if (opens <= NONE) return opens === WAIT ? verdict.WAIT : verdict.DATA;
    return tags.set.wrapped ? this.callOpens() : this.wrapper(text, i, i, input, true);
  }

  /** `|<tool_call><function=declared>` at the start of a line: if this value never ends, a call begins here. */
  private wrapper(text: string, i: number, from: number, input: Input, opens: boolean): number {
    const { tags, around } = this;
    const data = (): number => (opens ? this.callOpens() : verdict.DATA);
    if (this.resume !== null || this.depths.length > 1 || (opens && this.depth > 0)) return data();
    if (!this.startsLine(text, i, input) && !tags.isToken) return data();
    let at = skipBlanks(text, from);
    for (const lead of tags.set.lead) if (text.startsWith(lead, at)) at = skipBlanks(text, at + lead.length);
    if (at === text.length) return input.ended ? data() : verdict.WAIT;
    const kind = tags.at(text, at, input.ended, around.marked);
    if (kind === WAIT) return verdict.WAIT;
    if (kind !== CALL_OPEN) return this.leadMayCome(text, at, input) ? verdict.WAIT : data();
    const end = tags.header(text, input.ended, surely);
    if (end === WAIT) return verdict.WAIT;
    if (end === NONE || !around.knows(tags.name)) return data();
    this.resume = input.base + i;
    this.pausesHere = true;
    return data();
  }

  private leadMayCome(text: string, at: number, { ended }: Input): boolean {
    const rest = text.slice(at, at + 64);
    return !ended && this.tags.set.lead.some((lead) => lead.length > rest.length && lead.startsWith(rest));
  }

  private declares(name: string): boolean {
    return hasParameter(this.around.call, name);
  }

  protected follows(text: string, from: number, ended: boolean, call = false): number {
    const { tags, around } = this;
    const i = skipBlanks(text, from);
    if (i - from === BLANKS) return verdict.STRUCTURE;
    if (i === text.length) return ended ? verdict.STRUCTURE : verdict.WAIT;
    const kind = tags.at(text, i, ended);
    const { mark } = tags;
    if (kind === WAIT) return verdict.WAIT;
    if (kind === PARAMETER_OPEN) {
      if (call) return verdict.OTHER;
      const end = tags.header(text, ended, surely);
      if (end === WAIT) return verdict.WAIT;
      const known = end !== NONE && this.declares(tags.name) && !around.given.has(tags.name);
      if (known) return verdict.PARAMETER;
      return (around.marked && mark < 0) || !tags.isRegular(text) ? verdict.OTHER : verdict.UNDECLARED;
    }
    if (kind === PARAMETER_CLOSE || kind === PARAMETER_GARBLED) {
      if (call || kind === PARAMETER_GARBLED || (around.marked && mark < 0)) return verdict.OTHER;
      return this.closersThenStructure(text, tags.behind, ended);
    }
    if (kind === CALL_OPEN) {
      const opens = around.marked && mark < 0 ? NONE : tags.opensSurely(text, ended);
      if (opens !== NONE) return opens === WAIT ? verdict.WAIT : verdict.STRUCTURE;
    } else if (kind !== NONE && (!call || kind !== CALL_CLOSE)) {
      if (!around.marked || mark >= 0) return verdict.STRUCTURE;
      // a tag that has lost its mark is one only beside others that have theirs
      return kind === CALL_CLOSE ? this.follows(text, tags.behind, ended, true) : verdict.OTHER;
    }
    if (kind === NONE && around.repair && tags.hasToken) return verdict.STRUCTURE;
    if (!call) {
      const layout = matchLength(tags.set.layout, text, i, ended);
      if (layout !== 0) return layout < 0 ? verdict.WAIT : verdict.STRUCTURE;
    }
    const here = around.ends.at(text, i, ended);
    if (here === 1) return verdict.STRUCTURE;
    if (!call && tags.set.endsInHalf(text, i)) return ended ? verdict.STRUCTURE : verdict.WAIT;
    return here < 0 ? verdict.WAIT : verdict.OTHER;
  }

  /** A second closer is a stray one if structure follows it. */
  private closersThenStructure(text: string, to: number, ended: boolean): number {
    if (this.depth > 0) return verdict.ANOTHER_CLOSER;
    const next = this.follows(text, to, ended);
    return next === verdict.OTHER || next === verdict.WAIT ? next : verdict.ANOTHER_CLOSER;
  }
}

/** Does the tool of this call declare a parameter of this name? */
export function hasParameter(call: Call, name: string): boolean {
  return call.tool !== undefined && declaresProperty(call.tool.node, name);
}
