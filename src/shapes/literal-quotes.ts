import type { Call } from "../calls.ts";
import type { Input } from "../input.ts";
import { COLON_SIGN, COMMA, isLetter, NEITHER, NO, YES } from "../json/lexical.ts";
import type { Ends } from "../json/reader.ts";
import { declaresProperty } from "../schema/declared.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { matchLength } from "./ends.ts";
import { skipBlanks } from "./tag-text.ts";

/** How a format writes the arguments of a call, where that is not JSON. */
export interface LiteralNotation {
  /**
   * A token on both sides of a string, in which there are no escapes: `{port:<|"|>Oban<|"|>}`. Keys are bare. Without
   * one the notation is Python's: `(port='Oban')`.
   */
  quote?: string | undefined;
  /** What closes a call. */
  closer?: string | undefined;
}

export interface LiteralReaderOptions {
  call: Call;
  notation: LiteralNotation;
  /** The bracket that closes the arguments, whose opener was read. */
  close: string;
  ends: Ends;
  /** Was a tool of this name declared? Null: none was. */
  known: ((name: string) => boolean) | null;
  repair: boolean;
  depth: number;
}

/** What goes on in a bracket. */
export const ARGUMENTS = 0;
export const OBJECT = 1;
export const LIST = 2;

export interface Container {
  kind: number;
  close: number;
  node: SchemaNode;
  count: number;
  given: Set<string>;
  /** Is `{` a dict or a set? The first element says so, and is written with the bracket. */
  undecided: boolean;
}

/** More text is needed. */
export const WAIT = -1;
/** A string ends, and the comma behind it is missing. */
export const NO_COMMA = 2;

export const EQUALS = 0x3d;
export const ROUND = 0x28;
export const CLOSE_ROUND = 0x29;

/** Longest key, and longest look-ahead for one. */
export const KEY_LENGTH = 256;
/** As much is looked at before a quote. */
const BEFORE_LENGTH = 256;
/** `first:<|"|>one,second:|<|"|>`: the string before has not ended. */
const KEY = /,\s*["']?([\p{L}_$][\p{L}\p{N}_$.-]*)["']?\s*[:=][ \n]*$/u;
const PYTHON_KEY = /,\s*([\p{L}_][\p{L}\p{N}_]*)\s*=[ \n]*$/u;
/** `search(query=` in a string, or `call:search{` */
const PYTHON_CALL = /(?:\\[nrt])?([\p{L}_][\p{L}\p{N}_.-]*)\(\s*[\p{L}_][\p{L}\p{N}_]*\s*=/gu;
const CALL = /call:[\p{L}_][\p{L}\p{N}_.:-]*[({]/gu;
const WORD_PART = /[\p{L}\p{N}]/u;
export const WORD: RegExp = /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u;

/**
 * Does a quote end its string? What follows says so, seldom what stands before it. Where both readings are possible it is
 * neither.
 */
export abstract class LiteralQuotes {
  /** Brackets that are open. */
  readonly open: Container[];
  /** Where the last string begins. */
  stringAt = 0;

  protected readonly call: Call;
  protected readonly quoteToken: string | undefined;
  protected readonly closers: readonly string[];
  protected readonly ends: Ends;
  protected readonly known: LiteralReaderOptions["known"];
  protected readonly repair: boolean;
  protected quote = "";
  protected inKey = false;
  /** A quote of this string was read as data. */
  protected dubious = false;
  /** So it was in a string of this call: what looks like its end may be data. */
  protected doubted = false;
  /** Nothing more will come: what is undecided is decided now. */
  protected final = false;
  /** The output was cut off: what ends here is not complete. */
  protected cut = false;
  /** A string is being read. */
  protected quoted = false;

  constructor({ call, notation, close, ends, known, repair }: LiteralReaderOptions) {
    this.call = call;
    this.quoteToken = notation.quote;
    this.closers = notation.closer === undefined ? [] : [notation.closer];
    this.ends = ends;
    this.known = known;
    this.repair = repair;
    this.open = [container(ARGUMENTS, close.charCodeAt(0), call.tool?.node ?? anything)];
  }

  protected get python(): boolean {
    return this.quoteToken === undefined;
  }

  protected get top(): Container {
    return this.open[this.open.length - 1] as Container;
  }

  /** Is this key declared and not yet given? Who knows where no tool was declared. */
  protected expects(key: string): number {
    const { node, given } = this.top;
    if (this.call.tool === undefined) return NEITHER;
    return declaresProperty(node, key) && !given.has(key) ? YES : NO;
  }

  /**
   * `,| days:`: does the next key stand there? Of a tool that was declared, a declared one; behind a string without a
   * fault any word.
   */
  protected keyFollows(text: string, from: number): number {
    const i = skipBlanks(text, from);
    for (let at = i; at - i < KEY_LENGTH; at++) {
      if (at === text.length) return this.final ? NO : WAIT;
      const code = text.charCodeAt(at);
      if (code === COLON_SIGN || code === EQUALS) {
        const key = unquote(text.slice(i, at).trim());
        if (key === "") return NO;
        if (this.quoted && !this.dubious && WORD.test(key)) return YES;
        return this.expects(key) === NO ? NO : YES;
      }
      const token = this.tokenAt(text, at);
      if (token === WAIT) return WAIT;
      if (token > 0 || ",{}[]()\n".includes(text[at] as string)) return NO;
    }
    return NO;
  }

  /** Length of the quote token at `i`; 0: there is none, WAIT: it may be. */
  protected tokenAt(text: string, i: number): number {
    return this.quoteToken === undefined ? 0 : matchLength([this.quoteToken], text, i, this.final);
  }

  /** `port:'Oban'|<|"|>}`: a string in other quotes that the token closes once more. */
  protected surplusToken(text: string, from: number): number {
    if (this.python || !this.repair || this.inKey || this.quote === this.quoteToken) return 0;
    const token = this.tokenAt(text, from);
    if (token <= 0) return token;
    const closes = this.closesAt(text, from + token);
    return closes === YES ? token : Math.min(closes, 0);
  }

  /**
   * The quote at `at` ends nothing by what follows it. Is it data, or is something missing: a comma behind it, or the end
   * of the string before it, so that it opens the next? Two readings are none.
   */
  protected besides(text: string, at: number, length: number, input: Input): number {
    const comma = this.commaMissing(text, at + length);
    return comma === NO ? this.opensNext(text, at, input) : comma;
  }

  /** `city:<|"|>Oban<|"|>| unit:<|"|>` */
  private commaMissing(text: string, from: number): number {
    const { kind } = this.top;
    const i = skipBlanks(text, from);
    if (!this.dubious && (kind === LIST || (this.python && i > from))) {
      const opens = this.opensString(text, i);
      if (opens !== NO) return opens === YES ? NEITHER : WAIT;
    }
    if (kind === LIST) return NO;
    const key = !this.python && "\"'".includes(text[i] ?? "-") ? i + 1 : i;
    const end = wordEnd(text, key, this.final);
    if (end <= key) return end === WAIT ? WAIT : NO;
    const sign = skipBlanks(text, key > i && text[end] === text[i] ? end + 1 : end);
    if (sign >= text.length) return this.final ? NO : WAIT;
    if (text.charCodeAt(sign) !== (this.top.kind === ARGUMENTS && this.python ? EQUALS : COLON_SIGN)) return NO;
    const value = skipBlanks(text, sign + 1);
    const opens = this.opensString(text, value);
    if (opens !== YES) return opens;
    const expected = this.expects(text.slice(key, end));
    if (expected !== NO) return expected === YES && !this.dubious ? NO_COMMA : NEITHER;
    return this.tokenAt(text, value) > 0 ? NEITHER : NO;
  }

  /** `first:<|"|>one,second:|<|"|>two<|"|>`: may the quote at `at` open the next string, of this call or of another? */
  private opensNext(text: string, at: number, input: Input): number {
    const { kind } = this.top;
    const to = input.base + at;
    if (!",:=([{".includes(before(text, at, input))) return NO;
    const held = input.slice(Math.max(this.stringAt + this.quote.length, to - BEFORE_LENGTH), to);
    for (const [, name] of held.matchAll(this.python ? PYTHON_CALL : CALL)) {
      if (name === undefined || this.known === null || this.known(name)) return NEITHER;
    }
    const keyword = this.python && kind === ARGUMENTS;
    if (kind === LIST || (!keyword && this.quote !== this.quoteToken)) return /,[ \n]?$/.test(held) ? NEITHER : NO;
    const key = (keyword ? PYTHON_KEY : KEY).exec(held)?.[1];
    return key !== undefined && this.expects(key) !== NO ? NEITHER : NO;
  }

  /** Does a string begin at `i`? */
  private opensString(text: string, i: number): number {
    if (i === text.length) return this.final ? NO : WAIT;
    return text[i] === '"' || text[i] === "'" ? YES : Math.min(this.tokenAt(text, i), YES);
  }

  /** Does a string end with the quote before `from`? What follows says so: white space and one word at most. */
  protected closesAt(text: string, from: number): number {
    const i = skipBlanks(text, from);
    if (i === text.length) return this.final ? (this.dubious ? NO : YES) : WAIT;
    const code = text.charCodeAt(i);
    const { kind, close, undecided } = this.top;
    if (this.quoted && this.inKey) {
      if (undecided && (code === COMMA || code === close)) return YES;
      return code === COLON_SIGN || (code === EQUALS && this.repair) ? YES : NO;
    }
    if (code === close) return this.dubious || (kind === ARGUMENTS && this.python) ? this.bracketsClose(text, i) : YES;
    if (code === COMMA) {
      if (kind === ARGUMENTS && this.python) return this.keywordFollows(text, i + 1);
      const behind = skipBlanks(text, i + 1);
      if (this.dubious && behind === text.length && !this.final) return WAIT;
      if (this.dubious && text.charCodeAt(behind) === close) return this.bracketsClose(text, behind);
      if (this.quoted && kind !== LIST && this.quote !== this.quoteToken && !this.python) {
        return this.keyFollows(text, i + 1);
      }
      return YES;
    }
    return this.callEndsHere(text, i);
  }

  /** `,| days=` or `,| )` */
  protected keywordFollows(text: string, from: number): number {
    const word = skipBlanks(text, from);
    const end = wordEnd(text, word, this.final);
    if (end === WAIT) return WAIT;
    if (end === word) return text.charCodeAt(end) === CLOSE_ROUND ? this.bracketsClose(text, end) : NO;
    const i = skipBlanks(text, end);
    if (i === text.length) return this.final ? NO : WAIT;
    if (text.charCodeAt(i) !== EQUALS) return NO;
    return this.dubious && this.expects(text.slice(word, end)) === NO ? NO : YES;
  }

  /** `|}})`: brackets for what is open. The last is one only if the call ends there. */
  protected bracketsClose(text: string, from: number): number {
    let i = from;
    for (let level = this.open.length - 1; level >= 0; level--) {
      i = skipBlanks(text, i);
      if (i === text.length) return this.final ? NO : WAIT;
      const code = text.charCodeAt(i);
      if (code !== (this.open[level] as Container).close) return code === COMMA ? YES : NO;
      i++;
    }
    return this.callEndsAt(text, i);
  }

  /**
   * `)|, next(`, `)|]`, `)|` and a line break, the end, or a closer: not `)` in the text of a string. In a string that has
   * a quote in it, less is believed: what follows has to be the next call, or the end of all calls.
   */
  protected callEndsAt(text: string, from: number): number {
    let i = from;
    while (this.python && text.charCodeAt(i) === CLOSE_ROUND) i++;
    const next = skipBlanks(text, i);
    const line = text.slice(i, next).includes("\n");
    if (line && !this.doubted) return YES;
    if (next === text.length) {
      if (!this.final) return WAIT;
      // the bracket of a list is missing too
      const unsure = this.cut ? this.doubted : this.dubious && this.python;
      return unsure ? NO : YES;
    }
    const here = this.callEndsHere(text, next);
    if (here !== NO) return here;
    const char = text[next] as string;
    if (!this.doubted) return ",;]".includes(char) ? YES : this.callFollows(text, next, next > i);
    if (char === "]") return this.listEndsAt(text, next + 1);
    if (!",;".includes(char)) return this.callFollows(text, next, line);
    const behind = skipBlanks(text, next + 1);
    return text[behind] === "]" ? this.listEndsAt(text, behind + 1) : this.callFollows(text, behind, true);
  }

  /** `)]|` and a line break, the end, or a closer. */
  protected listEndsAt(text: string, from: number): number {
    if (!this.python) return NO;
    const i = skipBlanks(text, from);
    if (i === text.length) return this.final ? (this.cut ? NO : YES) : WAIT;
    return text.slice(from, i).includes("\n") ? YES : this.callEndsHere(text, i);
  }

  /** `|next(`. `apart`: something stands between it and the call before, so that it may be the name of any tool. */
  protected callFollows(text: string, i: number, apart: boolean): number {
    if (!this.python) {
      const prefix = matchLength(["call:"], text, i, this.final);
      return prefix > 0 ? YES : prefix;
    }
    const end = wordEnd(text, i, this.final);
    if (end <= i) return end === WAIT || (i === text.length && !this.final) ? WAIT : NO;
    const bracket = skipBlanks(text, end);
    if (bracket === text.length) return this.final ? NO : WAIT;
    if (text.charCodeAt(bracket) !== ROUND) return NO;
    if (this.known?.(text.slice(i, end))) return YES;
    if (!apart) return NO;
    if (!this.doubted) return YES;
    return this.known === null ? NEITHER : NO;
  }

  /** A closer, an opener or an end-of-turn token; at the end of the output half of one. */
  protected callEndsHere(text: string, i: number): number {
    if (!this.ends.first.includes(text[i] as string)) return NO;
    const here = this.ends.at(text, i, false);
    return here === WAIT && this.final ? (this.doubted && this.cut ? NO : YES) : here;
  }

  /** `error|}<tool_call|>`: brackets for all that is open, and then nothing but the end of the call. */
  protected lostQuote(text: string, from: number, input: Input): number {
    let i = from;
    for (let level = this.open.length - 1; level >= 0; level--) {
      i = skipBlanks(text, i);
      if (i === text.length) return this.final ? NO : WAIT;
      if (text.charCodeAt(i) !== (this.open[level] as Container).close) return NO;
      i++;
    }
    i = skipBlanks(text, i);
    const closer = matchLength(this.closers, text, i, this.final);
    if (closer <= 0 || this.cut) return closer < 0 ? WAIT : NO;
    const breaks = this.ends.breaks(text, i, this.final);
    // it may have been closed with another
    return breaks === YES && "\"'".includes(before(text, from, input)) ? NEITHER : breaks;
  }
}

/** A bracket that was opened. */
export function container(kind: number, close: number, node: SchemaNode, undecided = false): Container {
  return { kind, close, node, count: 0, given: new Set(), undecided };
}

/** The character before `i` and one blank. */
function before(text: string, i: number, input: Input): string {
  const two = i > 1 ? text.slice(i - 2, i) : input.slice(input.base + i - 2, input.base + i);
  return two.trimEnd().slice(-1);
}

/** Where the word ends that begins at `from`. */
function wordEnd(text: string, from: number, final: boolean): number {
  let i = from;
  while (i < text.length && i - from < KEY_LENGTH && isWordPart(text, i)) i++;
  return i === text.length && !final ? WAIT : i;
}

function isWordPart(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  if (isLetter(code)) return true;
  return code < 0x80 ? "0123456789_$.-".includes(text[i] as string) : WORD_PART.test(text[i] as string);
}

function unquote(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
