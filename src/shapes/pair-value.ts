import type { Argument } from "../argument.ts";
import type { Call, Calls } from "../calls.ts";
import { BLANKS, type Input, isBlank } from "../input.ts";
import { declaresProperty } from "../schema/declared.ts";
import { matchLength } from "./ends.ts";
import {
  ANOTHER_CLOSER,
  BEFORE,
  DATA,
  DROP,
  OTHER,
  PARAMETER,
  STRUCTURE,
  skipBlanks,
  stem,
  TagText,
  UNDECLARED,
  WAIT,
} from "./tag-text.ts";

/** Longest name of a tool or a key. */
export const NAME_LENGTH = 256;

export interface Pair {
  open: string;
  close: string;
}

/** The tags of a format that writes one for each key and one for each value. */
export interface KeyValueTags {
  /** Around all calls, where the format has that. */
  section?: Pair;
  /** Around one call; the name follows `open` directly. */
  call: Pair;
  /** Stands behind the name, where the format has that. */
  separator?: string;
  /** Around a key. Without `close` it ends where the value opens. */
  key: { open: string; close?: string };
  /** Around the type of a value, which may stand before it. */
  type?: Pair;
  value: Pair;
  /** With how much of its name a misspelt closer of a value begins. */
  stem?: string;
  /** The arguments may be a JSON object behind the name. Otherwise that is a repair. */
  json?: boolean;
}

/** What a value has to know of the call around it. */
export interface PairSurroundings {
  call: Call;
  calls: Calls;
  argument: Argument;
  key: string;
  /** Keys that the call has already. */
  given: ReadonlySet<string>;
}

/** `<arg_value>|Oban|</arg_value>`: the text of a value up to where it ends. */
export class PairValue extends TagText {
  private readonly tags: KeyValueTags;
  private readonly around: PairSurroundings;
  private readonly known: readonly string[];
  /** How any opener begins that belongs to a value. */
  private readonly strange: string;

  constructor(tags: KeyValueTags, around: PairSurroundings) {
    super({ argument: around.argument, newline: false, repair: around.calls.rules.repair });
    this.tags = tags;
    this.around = around;
    this.strange = strangeOpener(tags) ?? tags.key.open;
    this.known = [tags.stem ?? stem(tags.value.close), tags.value.open, tags.key.open, tags.call.open, tags.call.close];
  }

  protected decide(text: string, i: number, input: Input): number {
    const { known, tags } = this;
    const length = matchLength(known, text, i, input.ended);
    if (length <= 0) return length;
    switch (known.indexOf(text.slice(i, i + length))) {
      case 0:
        return this.valueCloses(text, i, length, input);
      case 1:
        return this.valueOpens(length, i === input.pos);
      case 2:
        return this.sibling(text, i, input);
      case 3:
        return this.innerCall(text, i, input);
      default:
        return this.callCloses(tags.call.close, text, i, input);
    }
  }

  /** `|</arg_value>`, or what was meant to be it: `|</arg_key>` */
  private valueCloses(text: string, i: number, length: number, input: Input): number {
    const { close } = this.tags.value;
    if (text.startsWith(close, i)) return this.closerTo(text, i, i + close.length, input);
    return this.garbled(text, i, i + length, input);
  }

  /** `|<arg_value>`: repeated before a value that is no text, or part of one. */
  private valueOpens(length: number, first: boolean): number {
    if (!first || !this.start || !this.repair || this.around.argument.isText) return this.count(1);
    this.length = length;
    return DROP;
  }

  /** `|<arg_key>days</arg_key>` inside the value: the closer before it was forgotten, or it is data. */
  private sibling(text: string, i: number, input: Input): number {
    if (!this.repair || this.depths.length > 1 || this.depth > 0) return DATA;
    const name = this.keyAt(text, i + this.tags.key.open.length, input.ended);
    if (name === null) return WAIT;
    const { key, given } = this.around;
    return name !== "" && name !== key && !given.has(name) && this.declares(name) ? BEFORE : DATA;
  }

  /** `|<tool_call>declared<arg_key>`: a whole call inside the value. If this value never ends, it begins there. */
  private innerCall(text: string, i: number, input: Input): number {
    const { call, key, separator } = this.tags;
    const from = skipBlanks(text, i + call.open.length);
    const end = nameEnd(text, from);
    const next = skipBlanks(text, end);
    if (next === text.length && !input.ended && next - from < NAME_LENGTH + BLANKS) return WAIT;
    if (end === from) return DATA;
    const marks = [key.open, call.close, ...(separator === undefined ? [] : [separator])];
    const length = matchLength(marks, text, next, input.ended);
    if (length <= 0) return length;
    const declared = this.around.calls.declares(text.slice(from, end));
    if (declared && this.resume === null && this.depths.length === 1) {
      this.resume = input.base + i;
      this.pausesHere = true;
    }
    return this.callOpens();
  }

  protected follows(text: string, from: number, ended: boolean, call = false): number {
    const i = skipBlanks(text, from);
    if (i - from === BLANKS) return STRUCTURE;
    if (i === text.length) return ended ? STRUCTURE : WAIT;
    const here = this.around.calls.rules.ends.at(text, i, ended);
    if (here === 1) return STRUCTURE;
    const { tags } = this;
    if (!call) {
      const { open, close } = tags.key;
      if (text.startsWith(open, i)) return this.rank(this.keyAt(text, i + open.length, ended));
      if (text.startsWith(tags.value.close, i)) return this.closersThenStructure(text, i, ended);
      if (close !== undefined && this.repair) {
        // `</arg_value>|days</arg_key>`: the opener of the next key is missing
        const name = this.keyAt(text, i, ended);
        if (name === null && this.mayDeclare(text.slice(i))) return WAIT;
        if (name !== null && name !== "" && this.declares(name)) return PARAMETER;
      }
    }
    const rest = text.slice(i);
    if ([...this.known, tags.value.close].some((tag) => tag.startsWith(rest))) return ended ? STRUCTURE : WAIT;
    // `</arg_value>|<arg_kye>`: an opener, but not one to go by
    const strange = !call && this.repair && text.startsWith(this.strange, i) && !text.startsWith(tags.value.open, i);
    if (strange) return UNDECLARED;
    return here < 0 ? WAIT : OTHER;
  }

  private rank(name: string | null): number {
    if (name === null) return WAIT;
    return this.declares(name) && !this.around.given.has(name) && name !== this.around.key ? PARAMETER : UNDECLARED;
  }

  /** A second closer is a stray one if structure follows it. */
  private closersThenStructure(text: string, i: number, ended: boolean): number {
    if (this.depth > 0) return ANOTHER_CLOSER;
    const next = this.follows(text, i + this.tags.value.close.length, ended);
    return next === OTHER || next === WAIT ? next : ANOTHER_CLOSER;
  }

  private declares(name: string): boolean {
    return hasKey(this.around.call, name);
  }

  /** Without blanks, it may be a key of which only the beginning has come. */
  private mayDeclare(text: string): boolean {
    return this.around.call.tool !== undefined && text.length < NAME_LENGTH && !/[\s]/.test(text);
  }

  /** The key that stands at `from`, up to its closer; null: not yet known, `""`: there is none. */
  private keyAt(text: string, from: number, ended: boolean): string | null {
    const close = this.tags.key.close ?? this.tags.value.open;
    const limit = Math.min(text.length, from + NAME_LENGTH);
    let at = from;
    while (at < limit && text.charCodeAt(at) !== 0x3c && text.charCodeAt(at) !== 0x0a) at++;
    if (at === text.length) return ended ? "" : null;
    if (text.startsWith(close, at)) return text.slice(from, at).trim();
    return !ended && close.startsWith(text.slice(at)) ? null : "";
  }
}

/** How an opener begins that is none of the format's, but belongs to it: `<arg_`. */
export function strangeOpener({ stem }: KeyValueTags): string | undefined {
  return stem?.replace("/", "");
}

/** Where the name of a tool that begins at `from` ends: at a blank, a tag or an object. */
function nameEnd(text: string, from: number): number {
  let at = from;
  const limit = Math.min(text.length, from + NAME_LENGTH);
  while (at < limit && endsName(text.charCodeAt(at)) === false) at++;
  return at;
}

export function endsName(code: number): boolean {
  return code === 0x3c || code === 0x7b || isBlank(code);
}

/** Does the tool of this call declare this key? */
export function hasKey(call: Call, name: string): boolean {
  return call.tool !== undefined && declaresProperty(call.tool.node, name);
}
