import { type Input, isBlank, type Waiting } from "../input.ts";
import { matchLength } from "./ends.ts";
import { skipBlanks } from "./tag-text.ts";

/** Around a tag's name and what is in it. */
export interface TagPair {
  /** `<function=`, or with the name in an attribute: `<invoke name=`. */
  open: string;
  close: string;
}

/** The tags of a format that writes one per parameter. */
export interface ParameterTags {
  /** Around the calls, as in `<tool_call>…</tool_call>`. */
  wrap?: TagPair;
  /** Other names of the wrapper. */
  wraps?: readonly TagPair[];
  /** What may stand before a call in the wrapper, in this order. */
  lead?: readonly string[];
  /** Around one call. */
  call: TagPair;
  /** Around one value. `stem`: with how much of its name a misspelt closer begins. */
  parameter: TagPair & { stem?: string };
  /** An element that holds all arguments as one JSON value. */
  json?: TagPair;
  /** Tags in a call that mean nothing. */
  layout?: readonly string[];
  /** One line break behind a value's opener and one before its closer is layout. */
  newline?: boolean;
  /** A value may stand in `<![CDATA[…]]>`. */
  cdata?: boolean;
  /** Stands behind the `<` and `</` of every tag: as it should be, then the ways in which it is misspelt. */
  marks?: readonly string[];
  /** What a tag is made of, where that is not `<`, `</` and `>`. Blanks may stand in it, attributes are escaped. */
  brackets?: { open: string; close: string; end: string };
  /** The attribute of a parameter that says what its value is, what it says of raw text, and of any value. */
  type?: { attribute: string; text: string; of: (value: unknown) => string };
  /** The attribute of a call that counts the calls of the turn from 1. */
  index?: string;
  /** The tool that is meant by a name which is none; the name itself if there is no telling. */
  nameOf?: (written: string, declares: (name: string) => boolean) => string;
  /** A sole parameter of this name that the tool does not have holds all arguments. */
  allIn?: string;
}

/** What stands at a place. */
export const WAIT = -1;
export const NONE = 0;
export const WRAP_OPEN = 1;
export const WRAP_CLOSE = 2;
export const CALL_OPEN = 3;
export const CALL_CLOSE = 4;
export const PARAMETER_OPEN = 5;
export const PARAMETER_CLOSE = 6;
/** Begins like a parameter's closer, and goes on in another way. */
export const PARAMETER_GARBLED = 7;
export const JSON_OPEN = 8;
export const JSON_CLOSE = 9;

/** How sure a tag's name is: only if it is a known one; written in an unusual way; just as the format writes it. */
export const NEAR = 1;
export const UNUSUAL = 2;
export const EXACT = 3;

/** Any name will do that is written as one. */
export const surely = (_name: string, sure: number): boolean => sure > NEAR;

/** Longest name in a tag, and longest tag. */
const NAME_LENGTH = 256;
const TAG_LENGTH = 512;
/** Longest tag with a token in it that is none of the format's. */
const GARBLED_LENGTH = 64;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const LESS = 0x3c;
const GREATER = 0x3e;
const NEWLINE = 0x0a;

interface Word {
  kind: number;
  word: string;
  /** The attribute that holds the name; `""`: it follows a `=`; null: the tag has none. */
  attribute: string | null;
}

/** The tags of one format, compiled. */
export class TagSet {
  readonly tags: ParameterTags;
  readonly open: string;
  readonly close: string;
  readonly end: string;
  readonly blanks: boolean;
  readonly lead: readonly string[];
  readonly layout: readonly string[];
  /** Calls stand in a wrapper. */
  readonly wrapped: boolean;
  readonly marks: readonly string[];
  readonly markStarts: string;
  readonly opening: readonly Word[];
  readonly closing: readonly Word[];
  /** The closer of a call and a parameter's tags as the format writes them. */
  readonly callClose: string;
  /** What closes a call, and what closes the wrapper around it. */
  readonly closers: readonly string[];
  private readonly usual: readonly string[];

  constructor(tags: ParameterTags) {
    this.tags = tags;
    this.open = tags.brackets?.open ?? "<";
    this.close = tags.brackets?.close ?? "</";
    this.end = tags.brackets?.end ?? ">";
    this.blanks = tags.brackets !== undefined;
    this.lead = tags.lead ?? [];
    this.layout = tags.layout ?? [];
    this.marks = tags.marks ?? [];
    this.markStarts = [...new Set(this.marks.map((mark) => mark[0]))].join("");
    const wraps = [...(tags.wrap ? [tags.wrap] : []), ...(tags.wraps ?? [])];
    this.wrapped = wraps.length > 0;
    const opens = (kind: number, pair: TagPair | undefined): Word[] => (pair ? [this.opener(kind, pair.open)] : []);
    const closes = (kind: number, pair: TagPair | undefined): Word[] =>
      pair ? [{ kind, word: pair.close.slice(this.close.length, -this.end.length), attribute: null }] : [];
    this.opening = [
      ...opens(PARAMETER_OPEN, tags.parameter),
      ...opens(CALL_OPEN, tags.call),
      ...wraps.flatMap((pair) => opens(WRAP_OPEN, pair)),
      ...opens(JSON_OPEN, tags.json),
    ];
    const { stem } = tags.parameter;
    this.closing = [
      ...closes(PARAMETER_CLOSE, tags.parameter),
      ...(stem === undefined ? [] : [{ kind: PARAMETER_GARBLED, word: stem, attribute: null }]),
      ...closes(CALL_CLOSE, tags.call),
      ...wraps.flatMap((pair) => closes(WRAP_CLOSE, pair)),
      ...closes(JSON_CLOSE, tags.json),
    ];
    this.callClose = this.marked(tags.call.close);
    this.closers = [this.callClose, ...wraps.map((pair) => this.marked(pair.close))];
    this.usual = [this.callClose, this.marked(tags.parameter.open), this.marked(tags.parameter.close), ...this.layout];
  }

  private opener(kind: number, open: string): Word {
    const inside = open.slice(this.open.length);
    if (inside.endsWith(this.end)) return { kind, word: inside.slice(0, -this.end.length), attribute: null };
    const [word = "", attribute = ""] = inside.replace(/=$/, "").split(" ");
    return { kind, word, attribute };
  }

  /** A tag with its mark: `</｜DSML｜invoke>`. */
  marked(tag: string): string {
    const [mark = ""] = this.marks;
    const length = tag.startsWith(this.close) ? this.close.length : this.open.length;
    return tag.slice(0, length) + mark + tag.slice(length);
  }

  /** Is the text from here on half of a tag that belongs to a call? */
  endsInHalf(text: string, from: number): boolean {
    const rest = text.slice(from, from + TAG_LENGTH);
    return this.usual.some((tag) => tag.startsWith(rest));
  }
}

/** Says which tag of a set stands at a place, and reads the name in it. */
export class TagScanner {
  readonly set: TagSet;
  /** Where the tag goes on behind its first word; for a closer, where it ends. */
  behind = 0;
  /** Which of the marks it has; -1: none. */
  mark = -1;
  /** A special token stands in the tag, be it known or not. */
  hasToken = false;
  /** Its first word begins a closer. */
  closes = false;
  /** The output ended inside the tag. */
  ranOut = false;
  /** There is no blank in the closer. */
  usual = true;

  name = "";
  sure: number = EXACT;
  /** The name ended at a line break instead of its `>`. */
  ateNewline = false;
  /** `<invoke name="list_boats"/>` */
  selfClosed = false;
  attributes: ReadonlyMap<string, string> = NO_ATTRIBUTES;

  private readonly repair: boolean;
  private word: Word = NO_WORD;

  constructor(set: TagSet, repair: boolean) {
    this.set = set;
    this.repair = repair;
  }

  /** The tag at `i`. With `marked` one without its mark is none. */
  at(text: string, i: number, ended: boolean, marked = false): number {
    const { open, close, marks, blanks } = this.set;
    this.ranOut = false;
    this.hasToken = false;
    let j = i;
    const closing = text.startsWith(close, i);
    if (closing) j += close.length;
    else if (isPart(close, text, i)) return this.half(ended);
    else if (text.startsWith(open, i)) j += open.length;
    else return isPart(open, text, i) ? this.half(ended) : NONE;
    this.mark = -1;
    this.closes = closing;
    this.hasToken = blanks;
    if (marks.length !== 0) {
      // a tag without a mark is looked at often in code, and has few beginnings
      const length =
        j < text.length && !this.set.markStarts.includes(text[j] as string) ? 0 : matchLength(marks, text, j, ended);
      if (length < 0) return WAIT;
      if (length !== 0) this.mark = marks.indexOf(text.slice(j, j + length));
      else if (ended && marks.some((mark) => isPart(mark, text, j))) return this.half(ended);
      if (this.repair ? marked && this.mark < 0 : this.mark !== 0) return NONE;
      j += length;
      this.hasToken = this.mark >= 0;
    }
    if (blanks) j = skipBlanks(text, j);
    return this.wordAt(closing ? this.set.closing : this.set.opening, text, j, ended);
  }

  private half(ended: boolean): number {
    this.ranOut = ended;
    return ended ? NONE : WAIT;
  }

  private wordAt(words: readonly Word[], text: string, j: number, ended: boolean): number {
    let half = false;
    for (const one of words) {
      const { word, attribute, kind } = one;
      if (!text.startsWith(word, j)) {
        half ||= isPart(word, text, j);
        continue;
      }
      const k = j + word.length;
      this.behind = k;
      this.word = one;
      if (attribute !== null) {
        if (k === text.length) half = true;
        else if (this.goesOn(text, k, attribute)) return kind;
        else half ||= isPart(attribute, text, k);
        continue;
      }
      const { end, blanks } = this.set;
      const spaced = blanks || (this.repair && words === this.set.closing && kind !== PARAMETER_GARBLED);
      const at = spaced ? skipBlanks(text, k) : k;
      if (text.startsWith(end, at)) {
        // what is garbled goes on behind its word
        if (kind !== PARAMETER_GARBLED) this.behind = at + end.length;
        else if (half) break;
        this.usual = blanks || at === k;
        return kind;
      }
      if (isPart(end, text, at)) half = true;
      else if ((kind === PARAMETER_CLOSE || kind === PARAMETER_GARBLED) && !half) return PARAMETER_GARBLED;
    }
    return half ? this.half(ended) : NONE;
  }

  /** May the tag go on like this behind its word? */
  private goesOn(text: string, k: number, attribute: string): boolean {
    const code = text.charCodeAt(k);
    if (code === GREATER || code === 0x20) return true;
    if (attribute === "") return code === EQUALS;
    return isBlank(code) || text.startsWith(attribute, k) || text.startsWith(this.set.end, k);
  }

  /** The tag found is a special token, and no text of the model's, wherever it stands. */
  get isToken(): boolean {
    return this.set.blanks || this.mark >= 0;
  }

  /** Where the tag at `i` ends, which has a token in it and is none of the format's. 0: nowhere, -1: not yet known. */
  garbledEnd(text: string, i: number, ended: boolean): number {
    const { end } = this.set;
    const at = text.slice(i, i + GARBLED_LENGTH).indexOf(end, this.set.close.length);
    if (at >= 0) return i + at + end.length;
    return text.length - i >= GARBLED_LENGTH ? NONE : this.half(ended);
  }

  /** `<parameter>`, without a name. */
  nameless(text: string): boolean {
    return text.startsWith(this.set.end, this.behind);
  }

  /** Does a name stand in the tag found, as far as can be seen at its beginning? */
  isRegular(text: string): boolean {
    return this.word.attribute !== "" || text.charCodeAt(this.behind) === EQUALS;
  }

  /** Is the tag found an opener with a name? 1, or -1: not yet known, 0: no. */
  opensSurely(text: string, ended: boolean): number {
    if (this.word.attribute === "") return text.charCodeAt(this.behind) === EQUALS ? 1 : NONE;
    const end = this.header(text, ended, surely);
    return end > 0 ? 1 : end;
  }

  /**
   * Reads the name in the tag that `at` has found, or one that is nearly a name: `accepts` says which are known.
   * Answers where the tag ends, -1: not yet known, 0: there is no name.
   */
  header(text: string, ended: boolean, accepts: (name: string, sure: number) => boolean): number {
    this.ateNewline = false;
    this.selfClosed = false;
    this.attributes = NO_ATTRIBUTES;
    const { attribute } = this.word;
    if (attribute === null) return NONE;
    const end = attribute === "" ? this.bareName(text, accepts) : this.attributesOf(text, attribute, accepts);
    if (end === WAIT && ended) {
      this.ranOut = true;
      return NONE;
    }
    return end;
  }

  /** `<function|=tide_level>`, or with the name in quotes, a blank for the `=`, or, for a known name, a lost `>`. */
  private bareName(text: string, accepts: (name: string, sure: number) => boolean): number {
    const first = text.charCodeAt(this.behind);
    const regular = first === EQUALS;
    if (!regular && first !== 0x20) return NONE;
    const from = this.behind + 1;
    const limit = from + NAME_LENGTH;
    for (let i = from; i < limit; i++) {
      if (i >= text.length) return WAIT;
      const code = text.charCodeAt(i);
      const closes = code === GREATER;
      if (!closes && code !== NEWLINE && !(code === EQUALS && i > from && regular)) continue;
      const written = text.slice(from, i).trim();
      this.name = unquote(written);
      const exact = closes && regular && this.name === written && !/["'<]/.test(written);
      this.sure = exact ? EXACT : NEAR;
      this.ateNewline = code === NEWLINE;
      if (accepts(this.name, this.sure)) return i + 1;
      if (closes || code === NEWLINE) return NONE;
    }
    return NONE;
  }

  /** `<invoke| name="tide_level">`, or with other quotes or none, the blank or, for a known name, the `>` lost. */
  private attributesOf(text: string, wanted: string, accepts: (name: string, sure: number) => boolean): number {
    const { end } = this.set;
    const attributes = new Map<string, string>();
    this.attributes = attributes;
    this.sure = isBlank(text.charCodeAt(this.behind)) ? EXACT : UNUSUAL;
    const limit = this.behind + TAG_LENGTH;
    let i = this.behind;
    for (;;) {
      i = skipBlanks(text, i);
      if (i > limit) return NONE;
      const slash = text.charCodeAt(i) === SLASH ? 1 : 0;
      if (text.startsWith(end, i + slash)) {
        this.selfClosed = slash === 1;
        if (this.selfClosed) this.sure = UNUSUAL;
        i += end.length + slash;
        break;
      }
      if (isPart(end, text, i + slash)) return WAIT;
      if (text.charCodeAt(i) === LESS) {
        this.sure = NEAR;
        break;
      }
      i = this.attribute(text, i);
      if (i <= 0) return i;
    }
    const name = attributes.get(wanted);
    if (name === undefined && this.word.kind !== JSON_OPEN) return NONE;
    this.name = name ?? "";
    return accepts(this.name, this.sure) ? i : NONE;
  }

  /** `|name="tide_level"`: answers where it ends, or -1 or 0 like `header`. */
  private attribute(text: string, from: number): number {
    let i = from;
    while (isNamePart(text.charCodeAt(i)) && i - from < NAME_LENGTH) i++;
    const key = text.slice(from, i);
    i = skipBlanks(text, i);
    if (i === text.length) return WAIT;
    if (key === "" || text.charCodeAt(i) !== EQUALS) return NONE;
    const value = skipBlanks(text, i + 1);
    if (value === text.length) return WAIT;
    const quote = text.charCodeAt(value);
    const quoted = quote === QUOTE || quote === APOSTROPHE;
    if (quote !== QUOTE || value !== i + 1) this.sure = UNUSUAL;
    const start = quoted ? value + 1 : value;
    for (i = start; i - start <= NAME_LENGTH; i++) {
      if (i === text.length) return WAIT;
      const code = text.charCodeAt(i);
      if (quoted ? code === quote : isBlank(code) || code === LESS || code === GREATER) {
        if (!quoted && text.charCodeAt(i - 1) === SLASH) i--;
        if (!quoted && i === start) return NONE;
        const written = text.slice(start, i);
        (this.attributes as Map<string, string>).set(key, this.unescape(written));
        return quoted ? i + 1 : i;
      }
      if (code === NEWLINE) return NONE;
    }
    return NONE;
  }

  /** Attributes are escaped where a format's tags are tokens, else they are as they are, but for blanks around them. */
  private unescape(text: string): string {
    if (!this.set.blanks) return text.trim();
    return text.replace(/&(quot|amp);/g, (_, name: string) => (name === "amp" ? "&" : '"'));
  }

  /** Waits for the tag at the input's position. */
  *next(input: Input): Waiting<number> {
    for (;;) {
      const kind = this.at(input.text, input.pos, input.ended);
      if (kind !== WAIT) return kind;
      yield;
    }
  }

  /** Reads the header of the tag at the input's position; false: it has no name. */
  *named(input: Input, accepts: (name: string, sure: number) => boolean): Waiting<boolean> {
    for (;;) {
      this.at(input.text, input.pos, input.ended);
      const end = this.header(input.text, input.ended, accepts);
      if (end > 0) input.pos = end;
      if (end !== WAIT) return end > 0;
      yield;
    }
  }
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const NO_WORD: Word = { kind: NONE, word: "", attribute: null };

/** Does the text end in a part of this literal? */
function isPart(literal: string, text: string, from: number): boolean {
  return text.length - from < literal.length && literal.startsWith(text.slice(from));
}

function isNamePart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x2d;
}

function unquote(text: string): string {
  const match = /^(?:name\s*=\s*)?(["'])(.*)\1$/.exec(text);
  return match === null ? text : (match[2] as string).trim();
}
