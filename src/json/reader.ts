import { BLANKS, type Input, isBlank, type Pump } from "../input.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { escapeControl, literalBackslashes, PYTHON_WORDS, type RepairLog } from "./repairs.ts";

/** Where JSON text goes as soon as it can no longer change. */
export interface Sink extends RepairLog {
  write(json: string): void;
  /** The same for text that stands in the output just so, at this offset. */
  verbatim(json: string, from: number): void;
  /** Something was repaired: what is written from here on is better not shown before the end. */
  hush(): void;
}

/** What a `Watch` wants done with a value. */
export const CAPTURE = 1;
export const DESCEND = 2;
export const ARGUMENTS = 3;
export type Wish = typeof CAPTURE | typeof DESCEND | typeof ARGUMENTS;

/**
 * Reads along in the object *around* the arguments. Never called inside them: that was a sixth of the running time.
 */
export interface Watch {
  /** Where the arguments go, and their schema: asked after `value` has answered ARGUMENTS. */
  readonly sink: Sink;
  readonly node: SchemaNode;
  /** A value begins with the character `first`, under `key` or in a list (null). */
  value(key: string | null, depth: number, first: number, offset: number): Wish;
  /** A captured value is complete, as compact JSON. False: stop reading, this is nothing of ours. */
  got(key: string | null, json: string, offset: number): boolean;
  /** The arguments, or a container that was descended into, are complete; `depth` is that of the value. */
  closed(depth: number, offset: number): void;
  /** A key without a value: `{"function=hunt", …}`. True: taken. */
  lone(key: string): boolean;
}

/** Knows what ends a call from outside, for text that went wrong. Both answer 1 yes, 0 no, -1 not yet known. */
export interface Ends {
  /** Characters at which to ask. */
  readonly first: string;
  /** Does a closer or an opener of the format stand here? */
  at(text: string, at: number, ended: boolean): number;
  /** Is this certainly the end of a call, even inside a string that never closes? */
  breaks(text: string, at: number, ended: boolean): number;
}

export interface ReaderOptions {
  sink?: Sink | undefined;
  node?: SchemaNode | undefined;
  watch?: Watch | undefined;
  ends?: Ends | undefined;
  repair: boolean;
  /** Deepest nesting. */
  depth: number;
}

/** Why reading stopped. */
export interface Fault {
  kind: "invalid-arguments" | "limit-exceeded";
  message: string;
  /** Of the first wrong character. */
  offset: number;
  /** Where the token begins that went wrong: what follows is read again from here to find the end of the call. */
  token: number;
  /** The token is a string that never closes: nothing in it can be trusted to be data. */
  inString: boolean;
  /** `offset` is inside a string. */
  within: boolean;
}

const VALUE = 0;
const KEY = 1;
const COLON = 2;
const AFTER = 3;
const STRING = 4;
const FRESH = 5;
const NUMBER = 6;
const WORD = 7;
const COMMENT = 8;
const SKIP = 9;
const DONE = 10;
const BAD = 11;
const UNCLOSED = 12;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON_SIGN = 0x3a;
const SLASH = 0x2f;
const HASH = 0x23;
const STAR = 0x2a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Why a value is read whole before anything of it goes on. */
const NONE = 0;
const COERCE = 1;
const WATCH = 2;

/** Brackets that may stand around the arguments: a list, an object, an object under `function`. */
const AROUND = 3;

const YES = 1;
const NO = 0;
const UNKNOWN = -1;
const NEITHER = -2;

/** Runs of 16 characters and more are scanned by the regular expression engine, shorter ones by a loop: it was measured. */
const LONG_RUN = 16;
const PLAIN = /[^"\\\x00-\x1f]*/y;
const NUMBER_SYNTAX = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/**
 * Reads one JSON value incrementally and writes to its sink what can no longer change: structure without blanks, strings
 * and numbers as they were written.
 *
 * - A string is closed only when structure follows; until then its closing quote is not written and may still be data.
 * - Commas and keys are written with the value behind them.
 * - Numbers, words, escapes and surrogate pairs are written when they are whole, a value that coercion may change when it
 *   is whole and coerced, a string that looks like a Windows path, or from its first `\b` or `\f` on, when it closes.
 *
 * So repair needs no second pass: at a character that strict JSON refuses, the reader either knows the one reading, or
 * it stops with a `fault`.
 *
 * What is read is not copied token by token. The text at hand from `from` on is the *span*, source text without blanks;
 * up to `safe` it may go out, behind `held`, which waits from earlier chunks. Only a blank, a repair or the end of the
 * chunk cuts the span.
 */
export class JsonReader implements Pump {
  fault: Fault | null = null;
  /** Brackets that are open. */
  depth = 0;

  private state = VALUE;
  private resume = VALUE;
  private sink: Sink | undefined;
  private readonly watch: Watch | undefined;
  private readonly ends: Ends | undefined;
  private readonly repairing: boolean;
  private readonly limit: number;

  private readonly objects: boolean[] = [];
  private readonly nodes: SchemaNode[] = [];
  private readonly counts: number[] = [];
  private isObject = false;
  /** Schema of the next value, and of the container it stands in. */
  private node: SchemaNode;
  private container: SchemaNode = anything;
  private key: string | null = null;
  private comma = false;

  /** Inside the object around the arguments. */
  private watching: boolean;
  private argumentsDepth = 0;
  private capture = NONE;
  private captureDepth = 0;
  private captureFrom = 0;
  private captureKey: string | null = null;
  private captureNode: SchemaNode = anything;

  /** Text of this chunk that goes out. */
  private out = "";
  /** Text that may not go out yet, and where it stands in the output just so (-1: it differs from the output). */
  private held = "";
  private heldFrom = -1;
  /** Position in the text at hand where the span begins, and up to where it may go out (-1: nothing may). */
  private from = 0;
  private safe = -1;

  private inKey = false;
  private quote = QUOTE;
  private escapedQuotes = false;
  /** The string goes out as it comes. */
  private streams = false;
  /** Length of `held` where a string begins that is held. */
  private stringFrom = 0;
  private keyFrom = 0;
  /** A `\n`, `\t` or `\r` of this string is out. */
  private sentEscape = false;
  /** Backslashes of this string are data. */
  private literal = false;
  /** Something of this string was repaired. */
  private dubious = false;
  /** Every quote, backslash and possible end of the call has to be looked at. */
  private slow = false;
  private token = 0;
  private word = "";
  private blockComment = false;
  private skipTo = 0;
  private skipString = false;

  constructor(options: ReaderOptions) {
    this.sink = options.sink;
    this.node = options.node ?? anything;
    this.watch = options.watch;
    this.ends = options.ends;
    this.repairing = options.repair;
    this.limit = options.depth;
    this.watching = options.watch !== undefined;
  }

  /** The value is complete. */
  get done(): boolean {
    return this.state === DONE;
  }

  /** Every value is complete, only closing brackets are missing at this place. */
  get unclosed(): boolean {
    return this.state === UNCLOSED;
  }

  step(input: Input): boolean {
    const { text } = input;
    const end = text.length;
    // a chunk inside a long string: nearly all of them are, so this path is kept as short as it can be
    if (this.streams && !this.slow && this.state === STRING && end < LONG_RUN && input.pos === 0) {
      if (this.shortRun(text, 0, end) === end) {
        input.pos = end;
        (this.sink as Sink).verbatim(text, input.base);
        return false;
      }
    }
    return this.readOn(input, text, end);
  }

  private readOn(input: Input, text: string, end: number): boolean {
    this.from = input.pos;
    this.safe = -1;
    const i = this.read(input, text, input.pos, end);
    input.pos = i;
    if (input.ended && this.state < DONE) this.runOut(input);
    this.flush(input, i);
    return this.state >= DONE;
  }

  private read(input: Input, text: string, start: number, end: number): number {
    let i = start;
    while (i < end) {
      switch (this.state) {
        case STRING: {
          if (!this.slow) i = end - i < LONG_RUN ? this.shortRun(text, i, end) : this.longRun(text, i, end);
          else i = this.slowRun(text, i, end);
          if (i === end) return i;
          const next = this.endRun(input, text, i);
          if (next === i && this.state === STRING) return i;
          i = next;
          break;
        }
        case FRESH: {
          const path = looksLikePath(text, i, input.ended);
          if (path === UNKNOWN) return i;
          this.state = STRING;
          if (path === YES) this.defer(input, i);
          else this.streams = true;
          break;
        }
        case NUMBER: {
          const from = i;
          while (i < end && isNumberPart(text.charCodeAt(i))) i++;
          this.word += text.slice(from, i);
          if (i < end) this.endNumber(input, i);
          break;
        }
        case WORD: {
          const from = i;
          while (i < end && isLetter(text.charCodeAt(i)) && this.word.length + i - from < 6) i++;
          this.word += text.slice(from, i);
          if (i < end || this.word.length > 5) this.endWord(input, i);
          break;
        }
        case COMMENT:
          i = this.comment(text, i, end);
          this.from = i;
          break;
        case SKIP:
          i = this.skip(text, i, end, input.base);
          this.from = i;
          break;
        case DONE:
        case BAD:
        case UNCLOSED:
          return i;
        default: {
          const code = text.charCodeAt(i);
          if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
            this.cut(input, i);
            this.from = ++i;
            break;
          }
          const next = this.structure(input, text, i, code);
          if (next === UNKNOWN) return i;
          i = next;
        }
      }
    }
    return i;
  }

  /** Closes the brackets that are missing. */
  finish(input: Input): void {
    (this.sink ?? this.watch?.sink)?.repair("missing-bracket", input.offset);
    this.from = input.pos;
    this.safe = -1;
    while (this.depth > 0) {
      const bracket = this.isObject ? "}" : "]";
      if (!this.watching || this.capture !== NONE) this.put(bracket);
      if (!this.watching && this.capture === NONE) this.release();
      this.close(input, input.pos);
    }
    this.flush(input, input.pos);
  }

  /** Leaves a broken element of a list: goes on behind the bracket that closes the container at `depth`. */
  recover(depth: number): void {
    this.skipString = this.fault?.within ?? false;
    this.literal = false;
    this.quote = QUOTE;
    this.escapedQuotes = false;
    this.streams = false;
    this.state = SKIP;
    this.skipTo = depth;
    this.fault = null;
    this.sink = undefined;
    this.out = "";
    this.held = "";
    this.capture = NONE;
    this.watching = true;
  }

  // --- the span: `…,"a":1|,"b":|`, safe up to the first mark

  /** Moves the span up to `i` out of the text: what is safe to `out`, the rest to `held`. */
  private cut(input: Input, i: number): void {
    const { from } = this;
    if (i <= from) return;
    const { text } = input;
    if (this.watching && this.capture === NONE && !(this.inKey && this.state === STRING)) {
      this.held = "";
    } else if (this.safe < from) {
      this.hold(text.slice(from, i), input.base + from);
    } else {
      this.out += this.held + text.slice(from, this.safe);
      this.held = text.slice(this.safe, i);
      this.heldFrom = input.base + this.safe;
    }
    this.from = i;
    this.safe = -1;
  }

  private hold(piece: string, offset: number): void {
    if (this.held === "") this.heldFrom = offset;
    else if (this.heldFrom + this.held.length !== offset) this.heldFrom = -1;
    this.held += piece;
  }

  /** Text that does not stand in the output. */
  private put(piece: string): void {
    this.heldFrom = -1;
    this.held += piece;
  }

  /** All that was read may go out. */
  private release(): void {
    this.out += this.held;
    this.held = "";
  }

  /** The end of the chunk: hands on what may go. */
  private flush(input: Input, i: number): void {
    if (this.streams && this.state === STRING && i > this.from) this.safe = i;
    const { from, safe } = this;
    if (this.out === "" && safe >= from && !this.watching) {
      // the usual case: one piece of the output, as it stands
      const { text, base } = input;
      if (this.held === "" && from === 0 && safe === text.length) {
        this.from = i;
        this.safe = -1;
        (this.sink as Sink).verbatim(text, base);
        return;
      }
      const piece = this.held + text.slice(from, safe);
      const at = this.held === "" || this.heldFrom + this.held.length === base + from ? base + safe - piece.length : -1;
      this.held = safe < i ? text.slice(safe, i) : "";
      this.heldFrom = base + safe;
      this.from = i;
      this.safe = -1;
      if (piece === "") return;
      if (at >= 0 && this.heldFrom >= 0) (this.sink as Sink).verbatim(piece, at);
      else (this.sink as Sink).write(piece);
      return;
    }
    this.cut(input, i);
    this.send();
  }

  private send(): void {
    const { out } = this;
    if (out === "") return;
    this.out = "";
    this.sink?.write(out);
  }

  // --- structure: `{"a": |1, |"b": [2]|}`

  /** Reads the structural character at `i`; answers where to go on, or UNKNOWN. */
  private structure(input: Input, text: string, i: number, code: number): number {
    switch (this.state) {
      case AFTER:
        if (code === COMMA) return this.separate(i);
        if (code === (this.isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
          this.close(input, i + 1);
          return i + 1;
        }
        break;
      case COLON:
        if (code === COLON_SIGN) {
          this.state = VALUE;
          return i + 1;
        }
        if (this.watching && this.capture === NONE && this.watch?.lone(this.key as string)) {
          this.state = AFTER;
          return i;
        }
        break;
      case KEY:
        if (code === QUOTE) return this.openKey(input, i, 1);
        if (code === CLOSE_OBJECT) return this.closeEmpty(input, i);
        break;
      default: {
        if (
          code === CLOSE_LIST &&
          this.depth > 0 &&
          !this.isObject &&
          (this.comma || this.counts[this.depth - 1] === 0)
        ) {
          return this.closeEmpty(input, i);
        }
        const next = this.value(input, text, i, code);
        if (next !== NEITHER) return next;
      }
    }
    return this.odd(input, text, i, code);
  }

  private separate(i: number): number {
    this.comma = true;
    if (this.isObject) {
      this.state = KEY;
    } else {
      const count = (this.counts[this.depth - 1] as number) + 1;
      this.counts[this.depth - 1] = count;
      this.node = this.container.plain ? this.container : this.container.item(count);
      this.state = VALUE;
      this.key = null;
    }
    return i + 1;
  }

  private closeEmpty(input: Input, i: number): number {
    if (this.comma) {
      if (!this.repairing) return this.fail(input, i, "Expected another value after the comma.");
      this.note("trailing-comma", input, i);
      if (this.held.endsWith(",")) this.held = this.held.slice(0, -1);
      this.heldFrom = -1;
    }
    this.close(input, i + 1);
    return i + 1;
  }

  private value(input: Input, text: string, i: number, code: number): number {
    if (code === QUOTE) {
      this.begin(code, input, i);
      return this.openString(input, text, i, 1);
    }
    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (this.depth - (this.watching ? AROUND : this.argumentsDepth) >= this.limit) {
        return this.fail(input, i, `Nested deeper than ${this.limit} levels.`, "limit-exceeded");
      }
      this.begin(code, input, i);
      this.push(code === OPEN_OBJECT);
      if (this.capture === NONE) this.safe = i + 1;
      return i + 1;
    }
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.openWord(input, i, code, NUMBER);
    if (code === 0x74 || code === 0x66 || code === 0x6e) return this.openWord(input, i, code, WORD);
    if (!this.repairing) return NEITHER;
    if (code === 0x54 || code === 0x46 || code === 0x4e) return this.openWord(input, i, code + 0x20, WORD);
    if (code === APOSTROPHE) {
      this.begin(QUOTE, input, i);
      this.note("single-quotes", input, i);
      this.quote = APOSTROPHE;
      return this.openString(input, text, i, 1);
    }
    if (code === BACKSLASH && text.charCodeAt(i + 1) === QUOTE) {
      this.begin(QUOTE, input, i);
      this.note("escaped-quotes", input, i);
      this.escapedQuotes = true;
      return this.openString(input, text, i, 2);
    }
    return NEITHER;
  }

  private openWord(input: Input, i: number, code: number, state: number): number {
    this.begin(code, input, i);
    this.token = input.base + i;
    this.word = "";
    this.state = state;
    return i;
  }

  /** A character that is no JSON here: comments, stray escapes, odd keys, a forgotten comma, the end of the call. */
  private odd(input: Input, text: string, i: number, code: number): number {
    if (this.state === AFTER && this.ends?.first.includes(text[i] as string)) {
      const here = this.ends.at(text, i, input.ended);
      if (here === UNKNOWN) return UNKNOWN;
      if (here === YES) {
        this.state = UNCLOSED;
        return i;
      }
    }
    const next = this.repairing ? this.repairStructure(input, text, i, code) : NEITHER;
    return next === NEITHER ? this.fail(input, i, this.expectation(text[i] as string)) : next;
  }

  private repairStructure(input: Input, text: string, i: number, code: number): number {
    if ((code === SLASH || code === BACKSLASH) && i + 1 === text.length && !input.ended) return UNKNOWN;
    const next = text.charCodeAt(i + 1);
    if (code === HASH || (code === SLASH && (next === SLASH || next === STAR))) {
      this.note("comment", input, i);
      this.blockComment = code === SLASH && next === STAR;
      this.word = "";
      this.resume = this.state;
      this.state = COMMENT;
      this.from = code === HASH ? i + 1 : i + 2;
      return this.from;
    }
    if (code === BACKSLASH && (next === 0x6e || next === 0x72 || next === 0x74)) {
      this.note("stray-escape", input, i);
      this.from = i + 2;
      return i + 2;
    }
    if (code === BACKSLASH && next === QUOTE && this.state === KEY) {
      this.note("escaped-quotes", input, i);
      this.escapedQuotes = true;
      return this.openKey(input, i, 2);
    }
    if (code === APOSTROPHE && this.state === KEY) {
      this.note("single-quotes", input, i);
      this.quote = APOSTROPHE;
      return this.openKey(input, i, 1);
    }
    const another = this.isObject ? code === QUOTE || code === APOSTROPHE : code === OPEN_OBJECT || code === OPEN_LIST;
    if (this.state === AFTER && this.depth > 0 && another) {
      this.note("missing-comma", input, i);
      if (!this.watching || this.capture !== NONE) this.put(",");
      return this.separate(i - 1);
    }
    return NEITHER;
  }

  private expectation(found: string): string {
    const what =
      this.state === AFTER
        ? `a comma or "${this.isObject ? "}" : "]"}"`
        : this.state === COLON
          ? "a colon after the key"
          : this.state === KEY
            ? "a key in double quotes"
            : "a value";
    return `Expected ${what}, but found ${JSON.stringify(found)}.`;
  }

  private push(isObject: boolean): void {
    const { depth } = this;
    if (this.capture !== NONE) this.node = anything;
    this.objects[depth] = isObject;
    this.nodes[depth] = this.node;
    this.counts[depth] = 0;
    this.depth = depth + 1;
    this.isObject = isObject;
    this.container = this.node;
    this.comma = false;
    if (isObject) {
      this.state = KEY;
    } else {
      this.key = null;
      this.state = VALUE;
      if (!this.container.plain) this.node = this.container.item(0);
    }
  }

  /** The container that is open ends before `i`. */
  private close(input: Input, i: number): void {
    const depth = --this.depth;
    if (depth > 0) {
      this.isObject = this.objects[depth - 1] as boolean;
      this.container = this.nodes[depth - 1] as SchemaNode;
    }
    if (this.watching && this.capture === NONE) {
      this.from = i;
      this.held = "";
      this.state = depth === 0 ? DONE : AFTER;
      this.watch?.closed(depth, input.base + i);
    } else {
      this.complete(input, i);
    }
  }

  /** A value begins at `i`: does it stream, or has it to be read whole first? */
  private begin(first: number, input: Input, i: number): void {
    this.comma = false;
    if (this.watching) {
      if (this.capture !== NONE) return;
      const watch = this.watch as Watch;
      const wish = watch.value(this.key, this.depth, first, input.base + i);
      this.from = i;
      this.safe = -1;
      this.held = "";
      if (wish === ARGUMENTS) {
        this.watching = false;
        this.argumentsDepth = this.depth;
        this.sink = watch.sink;
        this.node = watch.node;
      } else if (wish === CAPTURE) {
        this.capture = WATCH;
        this.captureDepth = this.depth;
        this.captureFrom = 0;
        this.captureKey = this.key;
        return;
      } else {
        return;
      }
    }
    if (this.capture === NONE && !this.node.plain && this.node.holds(first)) {
      this.cut(input, i);
      this.capture = COERCE;
      this.captureNode = this.node;
      this.captureDepth = this.depth;
      this.captureFrom = this.held.length;
    }
  }

  /** A value is whole, and ends before `i`. */
  private complete(input: Input, i: number): void {
    if (this.capture === NONE) {
      this.safe = i;
    } else if (this.depth === this.captureDepth) {
      this.cut(input, i);
      const capture = this.capture;
      this.capture = NONE;
      if (capture === COERCE) {
        this.coerce();
      } else {
        const json = this.held;
        this.held = "";
        if (!(this.watch as Watch).got(this.captureKey, json, input.base + i)) {
          return this.stop(input.base + i, "This is no call.");
        }
      }
    }
    this.state = this.depth === 0 ? DONE : AFTER;
    if (!this.watching && this.watch !== undefined && this.depth === this.argumentsDepth) {
      this.cut(input, i);
      this.send();
      this.sink = undefined;
      this.watching = true;
      this.watch.closed(this.depth, input.base + i);
    }
  }

  private coerce(): void {
    const json = this.held.slice(this.captureFrom);
    const value: unknown = JSON.parse(json);
    const coerced = this.captureNode.coerce(value);
    this.out += Object.is(coerced, value) ? this.held : this.held.slice(0, this.captureFrom) + JSON.stringify(coerced);
    this.held = "";
  }

  // --- strings: `"it came to |rest"`

  private openKey(input: Input, i: number, length: number): number {
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

  private openString(input: Input, text: string, i: number, length: number): number {
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

  private startString(input: Input, i: number, length: number): void {
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
  private defer(input: Input, i: number): void {
    this.safe = Math.max(i, this.from);
    this.cut(input, i);
    this.out += this.held;
    this.held = "";
    this.streams = false;
    this.stringFrom = 0;
  }

  /** Where the run ends of characters that go out as they are, valid escapes included: cutting at each cost 3x on code. */
  private shortRun(text: string, start: number, end: number): number {
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

  private longRun(text: string, start: number, end: number): number {
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
  private slowRun(text: string, start: number, end: number): number {
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE || code === this.quote || code === BACKSLASH || code < 0x20) return i;
      if (this.dubious && this.ends?.first.includes(text[i] as string)) return i;
    }
    return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
  }

  /** The character at `i` is no plain one. Answers where to go on; `i` itself means: wait for more text. */
  private endRun(input: Input, text: string, i: number): number {
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
    if (here === YES) return this.fail(input, i, "A string that never closes.", "invalid-arguments", true);
    return i + 1;
  }

  /** Writes something else than the `length` characters at `i`. */
  private replace(input: Input, i: number, length: number, piece: string): number {
    if (this.streams) this.safe = i;
    this.cut(input, i);
    this.put(piece);
    if (this.streams) this.release();
    this.from = i + length;
    return i + length;
  }

  private backslash(input: Input, text: string, i: number): number {
    if (i + 1 >= text.length) {
      if (!input.ended) return i;
      return this.fail(input, i, "A string that never closes.", "invalid-arguments", true);
    }
    const letter = text.charCodeAt(i + 1);
    if (this.escapedQuotes && letter === QUOTE) return this.maybeClose(input, text, i, 2);
    if (letter === this.quote && this.quote !== QUOTE) return this.replace(input, i, 2, text[i + 1] as string);
    const length = escapeLength(text, i, input.ended);
    if (length < 0) return i;
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
  private invalidEscape(input: Input, i: number): number {
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

  private maybeClose(input: Input, text: string, i: number, length: number): number {
    const verdict = this.closes(text, i + length, input.ended);
    if (verdict === UNKNOWN) return i;
    if (verdict === YES || (verdict === NO && !this.repairing)) {
      if (length === 2 || this.quote !== QUOTE) this.replace(input, i, length, '"');
      this.closeString(input, text, i + length);
      return i + length;
    }
    if (verdict === NEITHER || this.inKey)
      return this.fail(input, i, "A quote inside a string that can be read in two ways.");
    if (this.doubt(input, i)) return i;
    this.note("inner-quote", input, i);
    return this.replace(input, i, length, this.quote === QUOTE ? '\\"' : (text[i + length - 1] as string));
  }

  /** The string ends before `i`. */
  private closeString(input: Input, text: string, i: number): void {
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

  /** Something of this string is wrong. Then it cannot hold what looks like the end of the call: true if it does. */
  private doubt(input: Input, i: number): boolean {
    if (this.dubious) return false;
    this.dubious = true;
    this.slow = true;
    if (this.ends === undefined) return false;
    const sofar = input.slice(this.token, input.base + i);
    for (let at = 1; at < sofar.length; at++) {
      if (this.ends.first.includes(sofar[at] as string) && this.ends.breaks(sofar, at, false) === YES) {
        this.fail(input, i, "A string that never closes.", "invalid-arguments", true);
        return true;
      }
    }
    return false;
  }

  /** Does structure follow the quote before `from`, so that it closes the string? `"a |"b", c|"}` */
  private closes(text: string, from: number, ended: boolean): number {
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
  private startsNext(text: string, from: number, ended: boolean): number {
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

  // --- numbers, words, comments

  private endNumber(input: Input, i: number): void {
    if (!isInteger(this.word) && !NUMBER_SYNTAX.test(this.word)) {
      return this.stop(input.base + i, `${JSON.stringify(this.word.slice(0, 40))} is no JSON number.`);
    }
    this.complete(input, i);
  }

  private endWord(input: Input, i: number): void {
    const { word } = this;
    if (!WORDS.has(word)) {
      const json = this.repairing ? PYTHON_WORDS.get(word) : undefined;
      if (json === undefined) return this.stop(input.base + i, `${JSON.stringify(word)} is no JSON value.`);
      this.note("python-word", input, i);
      this.held = this.held.slice(0, this.held.length - word.length);
      this.put(json);
      if (this.capture === NONE) this.release();
    }
    this.complete(input, i);
  }

  private comment(text: string, from: number, end: number): number {
    for (let i = from; i < end; i++) {
      const code = text.charCodeAt(i);
      const over = this.blockComment ? code === SLASH && this.word === "*" : code === 0x0a;
      this.word = code === STAR ? "*" : "";
      if (over) {
        this.state = this.resume;
        return i + 1;
      }
    }
    return end;
  }

  /** Balance only, strings respected: `{"broken": |x, "y": "}"}` */
  private skip(text: string, from: number, end: number, base: number): number {
    for (let i = from; i < end; i++) {
      const code = text.charCodeAt(i);
      if (this.skipString) {
        if (code === BACKSLASH) {
          this.literal = !this.literal;
        } else {
          if (code === QUOTE && !this.literal) this.skipString = false;
          this.literal = false;
        }
      } else if (code === QUOTE) {
        this.skipString = true;
        this.literal = false;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        this.depth++;
      } else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --this.depth <= this.skipTo) {
        this.depth = this.skipTo;
        this.isObject = this.depth > 0 && (this.objects[this.depth - 1] as boolean);
        this.container = this.depth > 0 ? (this.nodes[this.depth - 1] as SchemaNode) : anything;
        this.state = this.depth === 0 ? DONE : AFTER;
        this.watch?.closed(this.depth, base + i + 1);
        return i + 1;
      }
    }
    return end;
  }

  // --- ends

  /** The text has run out. */
  private runOut(input: Input): void {
    if (this.state === NUMBER) this.endNumber(input, input.pos);
    else if (this.state === WORD) this.endWord(input, input.pos);
    else if (this.state === COMMENT && this.resume === AFTER) this.state = AFTER;
    if (this.state === AFTER) {
      this.state = UNCLOSED;
    } else if (this.state < DONE) {
      const inString = this.state === STRING || this.state === FRESH;
      this.stop(input.offset, inString ? "A string that never closes." : "The text ends inside a value.", inString);
    }
  }

  /** A repair: what was read before it goes out, what comes behind it is better not shown before the end. */
  private note(kind: Parameters<RepairLog["repair"]>[0], input: Input, i: number): void {
    if (this.streams) this.safe = i;
    this.cut(input, i);
    this.send();
    this.sink?.hush();
    (this.sink ?? this.watch?.sink)?.repair(kind, kind === "python-word" ? this.token : input.base + i);
  }

  private fail(
    input: Input,
    i: number,
    message: string,
    kind: Fault["kind"] = "invalid-arguments",
    inString = false,
  ): number {
    const offset = input.base + i;
    const within = this.state === STRING;
    this.fault = { kind, message, offset, token: within ? this.token : offset, inString, within };
    this.state = BAD;
    if (within && this.streams) this.safe = i;
    return i;
  }

  private stop(offset: number, message: string, inString = false): void {
    const token = this.state === NUMBER || this.state === WORD || inString ? this.token : offset;
    const at = inString ? offset : token;
    this.fault = { kind: "invalid-arguments", message, offset: at, token, inString, within: inString };
    this.state = BAD;
  }
}

/** `"|C:\\` and `"|\\server` are held to their end: models forget to double such backslashes. */
function looksLikePath(text: string, i: number, ended: boolean): number {
  const code = text.charCodeAt(i);
  const length = text.length - i;
  if (code === BACKSLASH) {
    if (length > 1 && text.charCodeAt(i + 1) !== BACKSLASH) return NO;
    if (length > 2) return isLetter(text.charCodeAt(i + 2)) ? YES : NO;
  } else if (isLetter(code)) {
    if (length > 1 && text.charCodeAt(i + 1) !== COLON_SIGN) return NO;
    if (length > 2) return text.charCodeAt(i + 2) === BACKSLASH ? YES : NO;
  } else {
    return NO;
  }
  return ended ? NO : UNKNOWN;
}

/** `"|\n}`: two characters, backslash and n, between tokens. */
function strayThenStructure(text: string, from: number, ended: boolean): number {
  let i = from;
  for (;;) {
    i = skipBlanks(text, i);
    if (i >= text.length) return ended ? NO : UNKNOWN;
    if (text.charCodeAt(i) !== BACKSLASH) break;
    if (i + 1 === text.length) return ended ? NO : UNKNOWN;
    const letter = text.charCodeAt(i + 1);
    if (letter !== 0x6e && letter !== 0x72 && letter !== 0x74) return NO;
    i += 2;
  }
  const code = text.charCodeAt(i);
  return code === CLOSE_OBJECT || code === CLOSE_LIST || code === COMMA ? YES : NO;
}

/** The usual number, without asking the regular expression engine. */
function isInteger(word: string): boolean {
  const first = word.charCodeAt(0);
  if (word.length > 15 || (first === 0x30 && word.length > 1)) return false;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

const ESCAPES = '"\\/bfnrt';

/** Length of the valid escape at `i`; 0: it is none, -1: not yet known. The escaped halves of a surrogate pair are one. */
function escapeLength(text: string, i: number, ended: boolean): number {
  if (i + 1 >= text.length) return -1;
  if (text.charCodeAt(i + 1) !== 0x75) return ESCAPES.includes(text[i + 1] as string) ? 2 : 0;
  for (let at = i + 2; at < i + 6; at++) {
    if (at >= text.length) return ended ? 0 : -1;
    if (!isHex(text.charCodeAt(at))) return 0;
  }
  if (!isHighSurrogate(Number.parseInt(text.slice(i + 2, i + 6), 16))) return 6;
  for (let at = i + 6; at < i + 12; at++) {
    if (at >= text.length) return ended ? 6 : -1;
    const code = text.charCodeAt(at);
    if (at === i + 6 ? code !== BACKSLASH : at === i + 7 ? code !== 0x75 : !isHex(code)) return 6;
  }
  return 12;
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function isNumberPart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d || code === 0x65 || code === 0x45
  );
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function skipBlanks(text: string, from: number): number {
  let i = from;
  const end = Math.min(text.length, from + BLANKS);
  while (i < end && isBlank(text.charCodeAt(i))) i++;
  return i;
}

/** Is this a whole word that can begin a value? */
function wordAhead(text: string, i: number, ended: boolean): number {
  for (const word of ["true", "false", "null", "True", "False", "None"]) {
    const length = Math.min(word.length, text.length - i);
    if (text.startsWith(word.slice(0, length), i)) {
      if (length === word.length) return YES;
      return ended ? NO : UNKNOWN;
    }
  }
  return NO;
}

/** `"value" |"key":`: was the comma forgotten? A key of at most 64 characters and no quotes, then a colon. */
function keyAhead(text: string, from: number, ended: boolean): number {
  let i = from + 1;
  const end = Math.min(text.length, i + BLANKS);
  while (i < end && text.charCodeAt(i) !== QUOTE && text.charCodeAt(i) !== BACKSLASH && text.charCodeAt(i) >= 0x20) i++;
  if (i === text.length) return ended ? NO : UNKNOWN;
  if (text.charCodeAt(i) !== QUOTE) return NO;
  i = skipBlanks(text, i + 1);
  if (i === text.length) return ended ? NO : UNKNOWN;
  return text.charCodeAt(i) === 0x3a ? YES : NO;
}
