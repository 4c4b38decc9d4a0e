import { BLANKS, type Input, isBlank } from "../input.ts";
import type { SchemaNode } from "../schema/node.ts";
import {
  APOSTROPHE,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON_SIGN,
  COMMA,
  escapeLength,
  HASH,
  isHighSurrogate,
  isLetter,
  keyAhead,
  NEITHER,
  NO,
  OPEN_LIST,
  OPEN_OBJECT,
  pythonEscape,
  QUOTE,
  SLASH,
  STAR,
  skipBlanks,
  strayThenStructure,
  UNKNOWN,
  wordAhead,
  YES,
} from "./lexical.ts";
import { escapeControl, literalBackslashes } from "./repairs.ts";
import { COLON, FRESH, NONE, Span, STRING, VALUE } from "./span.ts";
import type { Ends, Fault } from "./types.ts";

/** Runs of this length and more are scanned by the regular expression engine, shorter ones by a loop: it was measured. */
export const LONG_RUN = 16;
export const NEVER_CLOSES = "A string that never closes.";
const PLAIN = /[^"\\\x00-\x1f]*/y;

/** The end of an object or list, and the beginning of an object behind it. */
const NEXT_OBJECT = /[}\]]([\s;,]*\{\s*)$/;

/**
 * Strings: where their runs of plain characters end, what their escapes mean, and where they close. A string closes only
 * where structure follows; until then its quote may be data.
 */
export abstract class Strings extends Span {
  protected quote: number = QUOTE;
  protected escapedQuotes = false;
  /** Length of `held` where a string begins that is held. */
  protected stringFrom = 0;
  protected keyFrom = 0;
  /** A `\n`, `\t` or `\r` of this string is out. */
  protected sentEscape = false;
  /** Backslashes of this string are data. */
  protected literal = false;
  /** Something of this string was repaired. */
  protected dubious = false;
  /** Every quote, backslash and possible end of the call has to be looked at. */
  protected slow = false;
  /** The string is the name of a tool. */
  protected inName = false;

  /** The container that is open: is it an object, what is its schema, the key that was read last in it? */
  protected isObject = false;
  protected abstract container: SchemaNode;
  protected abstract node: SchemaNode;
  protected key: string | null = null;
  /** Brackets that are open. */
  depth = 0;

  /** A value is whole, and ends before `i`. */
  protected abstract complete(input: Input, i: number): void;

  protected openKey(input: Input, i: number, length: number): number {
    this.inKey = true;
    const watched = this.watching && this.capture === NONE;
    if (watched || !this.container.plain || length === 2 || this.quote !== QUOTE) {
      this.cut(input, i);
      if (watched) this.held = "";
      this.keyFrom = this.held.length;
    }
    this.startString(input, i, length);
    this.state = STRING;
    return i + length;
  }

  protected openString(input: Input, text: string, i: number, length: number): number {
    this.inKey = false;
    this.startString(input, i, length);
    this.state = STRING;
    if (this.capture !== NONE || this.watching) {
      if (this.slow) this.stringFrom = this.held.length;
      else this.stringFrom = -1;
      return i + length;
    }
    this.safe = i + length;
    if (this.slow) {
      this.stringFrom = -1;
      this.streams = true;
      return i + length;
    }
    const next = i + 1 < text.length ? text.charCodeAt(i + 1) : BACKSLASH;
    if (next !== BACKSLASH && !isLetter(next)) this.streams = true;
    else this.state = FRESH;
    return i + length;
  }

  protected startString(input: Input, i: number, length: number): void {
    this.token = input.base + i;
    this.sentEscape = false;
    this.literal = false;
    this.dubious = false;
    this.slow = length === 2 || this.quote !== QUOTE;
    if (this.slow) {
      this.cut(input, i);
      this.put('"');
      this.from = i + length;
    }
  }

  /** From `i` to its end the string is held. */
  protected defer(input: Input, i: number): void {
    this.safe = Math.max(i, this.from);
    this.cut(input, i);
    this.out += this.held;
    this.held = "";
    this.streams = false;
    this.stringFrom = 0;
  }

  /** Where the run ends of characters that go out as they are, valid escapes included: cutting at each cost 3x on code. */
  protected shortRun(text: string, start: number, end: number): number {
    let i = start;
    let code = 0;
    while (i < end) {
      code = text.charCodeAt(i);
      if (code === BACKSLASH) {
        if (i + 1 === end) return i;
        code = text.charCodeAt(i + 1);
        if (code === 0x6e || code === 0x72 || code === 0x74) this.sentEscape = true;
        else if (code !== QUOTE && code !== BACKSLASH && code !== SLASH) return i;
        i += 2;
      } else if (code === QUOTE || code < 0x20) {
        return i;
      } else {
        i++;
      }
    }
    return isHighSurrogate(code) ? end - 1 : end;
  }

  protected longRun(text: string, start: number, end: number): number {
    let i = start;
    for (;;) {
      PLAIN.lastIndex = i;
      PLAIN.test(text);
      i = PLAIN.lastIndex;
      if (i === end) return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
      const near = Math.min(end, i + LONG_RUN);
      const next = this.shortRun(text, i, near);
      if (next < near && !isHighSurrogate(text.charCodeAt(next))) return next;
      if (next === i) return i;
      i = next;
    }
  }

  /** The same where every quote, backslash and possible end of the call has to be looked at. */
  protected slowRun(text: string, start: number, end: number): number {
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE || code === this.quote || code === BACKSLASH || code < 0x20) return i;
      if (this.dubious && this.ends?.first.includes(text[i] as string)) return i;
    }
    return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
  }

  /** The character at `i` is no plain one. Answers where to go on; `i` itself means: wait for more text. */
  protected endRun(input: Input, text: string, i: number): number {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) return this.backslash(input, text, i);
    if (code === this.quote && !this.escapedQuotes) return this.maybeClose(input, text, i, 1);
    if (code === QUOTE) return this.replace(input, i, 1, '\\"'); // data in a string with other quotes
    if (code < 0x20) {
      if (!this.repairing) return this.fail(input, i, "A raw control character in a string.");
      if (this.doubt(input, i)) return i;
      this.note("control-character", input, i);
      return this.replace(input, i, 1, escapeControl(code));
    }
    // a pair that is cut between two chunks goes out whole
    if (isHighSurrogate(code)) return i + 1 === text.length && !input.ended ? i : i + 1;
    const here = (this.ends as Ends).breaks(text, i, input.ended);
    if (here === UNKNOWN) return i;
    if (here === YES) return this.neverCloses(input, i);
    return i + 1;
  }

  private neverCloses(input: Input, i: number): number {
    return this.fail(input, i, NEVER_CLOSES, "invalid-arguments", true);
  }

  /** Writes something else than the `length` characters at `i`. */
  protected replace(input: Input, i: number, length: number, piece: string): number {
    if (this.streams) this.safe = i;
    this.cut(input, i);
    this.put(piece);
    if (this.streams) this.release();
    this.from = i + length;
    return i + length;
  }

  protected backslash(input: Input, text: string, i: number): number {
    if (i + 1 >= text.length) {
      if (!input.ended) return i;
      return this.neverCloses(input, i);
    }
    const letter = text.charCodeAt(i + 1);
    if (this.escapedQuotes && letter === QUOTE) return this.maybeClose(input, text, i, 2);
    if (letter === this.quote && this.quote !== QUOTE) return this.replace(input, i, 2, text[i + 1] as string);
    const length = escapeLength(text, i, input.ended);
    if (length < 0) return input.ended ? this.neverCloses(input, i) : i;
    if (length === 0 && this.python) {
      const decoded = pythonEscape(text, i);
      if (decoded === null) return input.ended ? this.neverCloses(input, i) : i;
      if (decoded.length > 0) return this.replace(input, i, decoded.length, decoded.json);
    }
    if (length === 0) {
      if (letter === 0x75) return this.fail(input, i, "A broken \\u escape.");
      return this.invalidEscape(input, i);
    }
    if (length > 2 || letter <= 0x60) return i + length;
    if (this.literal) return this.replace(input, i, 2, `\\\\${text[i + 1]}`);
    if (this.streams) {
      if (letter === 0x62 || letter === 0x66) this.defer(input, i);
      else this.sentEscape = true;
    }
    return i + 2;
  }

  /** `"D:\Maps"`: no JSON escape, so the backslashes of this string were meant as they stand. */
  protected invalidEscape(input: Input, i: number): number {
    if (!this.repairing || (this.sentEscape && this.streams && !this.literal)) {
      return this.fail(input, i, "An invalid escape in a string.");
    }
    if (!this.literal) {
      this.literal = true;
      this.slow = true;
      this.note("invalid-escape", input, i);
      if (!this.streams) {
        const from = Math.max(0, this.stringFrom);
        this.held = this.held.slice(0, from) + literalBackslashes(this.held.slice(from));
      }
    }
    return this.replace(input, i, 1, "\\\\");
  }

  protected maybeClose(input: Input, text: string, i: number, length: number): number {
    const verdict = this.closes(text, i + length, input.ended);
    if (verdict === UNKNOWN) return i;
    if (verdict === YES || (verdict === NO && !this.repairing)) {
      if (length === 2 || this.quote !== QUOTE) this.replace(input, i, length, '"');
      const next = i + length;
      this.closeString(input, text, next);
      // the colon is nearly always here already: one turn of the reader less for each key
      if (this.state !== COLON || text.charCodeAt(next) !== COLON_SIGN) return next;
      this.state = VALUE;
      return next + 1;
    }
    if (verdict === NEITHER || this.inKey || (this.inName && this.watching))
      return this.fail(input, i, "A quote inside a string that can be read in two ways.");
    const next = length === 1 ? this.runsOn(input, text, i) : NO;
    if (next !== NO || this.doubt(input, i)) return i;
    this.note("inner-quote", input, i);
    return this.replace(input, i, length, this.quote === QUOTE ? '\\"' : (text[i + length - 1] as string));
  }

  /** `"y}\n{|"name": …`: its closing quote was lost, and the string has run into the next object around arguments. */
  private runsOn(input: Input, text: string, i: number): number {
    if (this.watch === undefined || !this.repairing) return NO;
    const to = input.base + i;
    const before = NEXT_OBJECT.exec(input.slice(Math.max(this.token, to - BLANKS), to));
    if (before === null) return NO;
    const next = keyAhead(text, i, input.ended);
    if (next !== YES) return next;
    if (!this.watch.expects(text.slice(i + 1, text.indexOf('"', i + 1)))) return NO;
    this.neverCloses(input, i);
    (this.fault as Fault).next = to - (before[1] as string).length;
    return YES;
  }

  /** The string ends before `i`. */
  protected closeString(input: Input, text: string, i: number): void {
    const plainQuotes = this.quote === QUOTE && !this.escapedQuotes;
    this.quote = QUOTE;
    this.escapedQuotes = false;
    if (!this.inKey) {
      if (!this.streams && this.capture === NONE) {
        this.cut(input, i);
        this.release();
      }
      this.streams = false;
      return this.complete(input, i);
    }
    this.state = COLON;
    const watched = this.watching && this.capture === NONE;
    if (!watched && this.container.plain) return;
    const raw = this.held.slice(this.keyFrom) + (plainQuotes || i > this.from ? text.slice(this.from, i) : "");
    this.key = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    if (!this.container.plain) this.node = this.container.key(this.key);
  }

  /** Something of this string is wrong. Then it cannot hold what looks like the end of the call: true if it does, or may. */
  protected doubt(input: Input, i: number): boolean {
    if (this.dubious) return false;
    if (this.ends !== undefined) {
      // what stands before this place may need the text behind it to be told: `</tool_call>|\n<tool_call>`
      const text = input.slice(this.token, input.seen);
      const length = input.base + i - this.token;
      for (let at = 1; at < length; at++) {
        const here = this.ends.first.includes(text[at] as string) ? this.ends.breaks(text, at, input.ended) : NO;
        if (here === NO) continue;
        if (here === YES) this.neverCloses(input, i);
        return true;
      }
    }
    this.dubious = true;
    this.slow = true;
    return false;
  }

  /** Does structure follow the quote before `from`, so that it closes the string? `"a |"b", c|"}` */
  protected closes(text: string, from: number, ended: boolean): number {
    let i = from;
    if (i < text.length && isBlank(text.charCodeAt(i))) {
      i = skipBlanks(text, i);
      if (i - from >= BLANKS) return YES;
    }
    if (i === text.length) return ended ? YES : UNKNOWN;
    const code = text.charCodeAt(i);
    if (this.inKey) {
      return code === COLON_SIGN || (code === COMMA && this.watching && this.capture === NONE) ? YES : NO;
    }
    if (this.depth === 0) return YES;
    if (code === (this.isObject ? CLOSE_OBJECT : CLOSE_LIST)) return YES;
    if (code === COMMA) return this.startsNext(text, i + 1, ended);
    if (!this.repairing) return YES;
    if (this.ends?.first.includes(text[i] as string)) {
      const here = this.ends.at(text, i, ended);
      if (here !== NO) return here;
    }
    if (code === HASH && i > from) return YES;
    if (code === SLASH && i > from) {
      if (i + 1 === text.length && !ended) return UNKNOWN;
      return text.charCodeAt(i + 1) === SLASH || text.charCodeAt(i + 1) === STAR ? YES : NO;
    }
    if (code === BACKSLASH) return strayThenStructure(text, i, ended);
    if (code === QUOTE && i > from) return this.isObject ? keyAhead(text, i, ended) : NEITHER;
    return NO;
  }

  /** `"|, "next"`: a comma counts only before the start of a key or value. */
  protected startsNext(text: string, from: number, ended: boolean): number {
    let i = from;
    if (i < text.length && isBlank(text.charCodeAt(i))) {
      i = skipBlanks(text, i);
      if (i - from >= BLANKS) return YES;
    }
    if (i === text.length) return ended ? YES : UNKNOWN;
    const code = text.charCodeAt(i);
    if (code === QUOTE || code === APOSTROPHE || code === HASH || code === SLASH || code === BACKSLASH) return YES;
    if (code === (this.isObject ? CLOSE_OBJECT : CLOSE_LIST)) return YES;
    if (this.isObject) return NO;
    if (code === OPEN_OBJECT || code === OPEN_LIST || code === 0x2d || (code >= 0x30 && code <= 0x39)) return YES;
    return wordAhead(text, i, ended);
  }
}
