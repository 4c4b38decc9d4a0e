import type { Input, Pump } from "../input.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import {
  APOSTROPHE,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON_SIGN,
  COMMA,
  HASH,
  isLetter,
  isNumber,
  isNumberPart,
  looksLikePath,
  NEITHER,
  NO,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SLASH,
  STAR,
  UNKNOWN,
  YES,
} from "./lexical.ts";
import { PYTHON_WORDS } from "./repairs.ts";
import {
  AFTER,
  BAD,
  COERCE,
  COLON,
  COMMENT,
  DONE,
  FRESH,
  KEY,
  NONE,
  NUMBER,
  SKIP,
  STRING,
  UNCLOSED,
  VALUE,
  WATCH,
  WORD,
} from "./span.ts";
import { LONG_RUN, NEVER_CLOSES, Strings } from "./strings.ts";
import { ARGUMENTS, CAPTURE, CAPTURE_NAME, type ReaderOptions, type Sink, type Watch } from "./types.ts";

export * from "./types.ts";

/** Brackets that may stand around the arguments: a list, an object, an object under `function`. */
const AROUND = 3;
const ENDS_INSIDE = "The text ends inside a value.";
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
export class JsonReader extends Strings implements Pump {
  /** The chunk before ended inside a string that goes out as it comes. */
  protected inRun = false;
  private resume = VALUE;
  protected readonly limit: number;

  protected readonly objects: boolean[] = [];
  protected readonly nodes: SchemaNode[] = [];
  private readonly counts: number[] = [];
  /** Schema of the next value, and of the container it stands in. */
  protected node: SchemaNode;
  protected container: SchemaNode = anything;
  protected comma = false;

  protected argumentsDepth = 0;
  private captureDepth = 0;
  private captureFrom = 0;
  private captureKey: string | null = null;
  private captureNode: SchemaNode = anything;

  protected word = "";
  private blockComment = false;
  private skipTo = 0;
  private skipString = false;

  constructor(options: ReaderOptions) {
    super(options);
    this.node = options.node ?? anything;
    this.limit = options.depth;
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
    // a chunk inside a long string: nearly all of them are, so this path is kept as short as it can be
    if (this.inRun && this.crossRun(input)) return false;
    this.from = input.pos;
    this.safe = -1;
    return this.readOn(input, text, input.pos);
  }

  protected crossRun(input: Input): boolean {
    const { text } = input;
    const end = text.length;
    if (end >= LONG_RUN || input.pos !== 0 || this.shortRun(text, 0, end) !== end) return false;
    input.pos = end;
    (this.sink as Sink).run(text, input.base);
    return true;
  }

  protected readOn(input: Input, text: string, start: number): boolean {
    const i = this.read(input, text, start, text.length);
    input.pos = i;
    if (input.ended && this.state < DONE) this.runOut(input);
    this.flush(input, i);
    this.inRun = this.streams && !this.slow && this.state === STRING;
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
        case SKIP: {
          const next = this.skip(text, i, end, input);
          this.from = next;
          if (next === i) return i;
          i = next;
          break;
        }
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
    this.skipTo = depth;
    this.abandon(SKIP);
  }

  /** Leaves a broken element of a list at depth 1 that has run into the next: goes on behind it. */
  leave(): void {
    this.backTo(1);
    this.abandon(AFTER);
  }

  private abandon(state: number): void {
    this.literal = false;
    this.quote = QUOTE;
    this.escapedQuotes = false;
    this.streams = false;
    this.state = state;
    this.fault = null;
    this.sink = undefined;
    this.out = "";
    this.held = "";
    this.capture = NONE;
    this.watching = true;
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

  protected separate(i: number): number {
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
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.number(input, text, i, code);
    if (code === 0x74 || code === 0x66 || code === 0x6e) return this.openWord(input, i, code, WORD);
    if (!this.repairing && !this.python) return NEITHER;
    if (code === 0x54 || code === 0x46 || code === 0x4e) return this.openWord(input, i, code + 0x20, WORD);
    if (code === APOSTROPHE) {
      this.begin(QUOTE, input, i);
      this.note("single-quotes", input, i);
      this.quote = APOSTROPHE;
      return this.openString(input, text, i, 1);
    }
    if (code === BACKSLASH && text.charCodeAt(i + 1) === QUOTE && this.repairing) {
      this.begin(QUOTE, input, i);
      this.note("escaped-quotes", input, i);
      this.escapedQuotes = true;
      return this.openString(input, text, i, 2);
    }
    return NEITHER;
  }

  private number(input: Input, text: string, i: number, code: number): number {
    this.openWord(input, i, code, NUMBER);
    let to = i + 1;
    while (to < text.length && isNumberPart(text.charCodeAt(to))) to++;
    this.word = text.slice(i, to);
    if (to < text.length) this.endNumber(input, to);
    return to;
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
    if (this.ends?.first.includes(text[i] as string) && (this.state === AFTER || input.ended)) {
      const here = this.ends.at(text, i, input.ended);
      if (here === UNKNOWN) return UNKNOWN;
      if (here === YES && this.state === AFTER) {
        this.state = UNCLOSED;
        return i;
      }
      // half a marker, and the output is over
      if (here === NO && this.ends.at(text, i, false) === UNKNOWN) {
        if (this.state === AFTER) this.state = UNCLOSED;
        else if (!input.finished) this.stop(input.base + text.length, ENDS_INSIDE);
        if (this.state >= DONE) return text.length;
      }
    }
    const known = this.repairing || (this.python && code === APOSTROPHE && this.state === KEY);
    const next = known ? this.repairStructure(input, text, i, code) : NEITHER;
    return next === NEITHER ? this.fail(input, i, this.expectation(text[i] as string)) : next;
  }

  private repairStructure(input: Input, text: string, i: number, code: number): number {
    if ((code === SLASH || code === BACKSLASH) && i + 1 === text.length) {
      if (!input.ended) return UNKNOWN;
      this.stop(input.base + text.length, ENDS_INSIDE);
      return text.length;
    }
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
    if (code === CLOSE_OBJECT && this.state === AFTER && this.depth === 1 && this.watching && !this.isObject) {
      // a surplus bracket behind a call of a list
      this.from = i + 1;
      return i + 1;
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

  protected push(isObject: boolean): void {
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

  /** From here on only so many containers are open. */
  protected backTo(depth: number): void {
    this.depth = depth;
    if (depth === 0) return;
    this.isObject = this.objects[depth - 1] as boolean;
    this.container = this.nodes[depth - 1] as SchemaNode;
  }

  /** The container that is open ends before `i`. */
  private close(input: Input, i: number): void {
    const depth = this.depth - 1;
    this.backTo(depth);
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
      } else if (wish === CAPTURE || wish === CAPTURE_NAME) {
        this.inName = wish === CAPTURE_NAME && first === QUOTE;
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
  protected complete(input: Input, i: number): void {
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

  // --- numbers, words, comments

  private endNumber(input: Input, i: number): void {
    if (!isNumber(this.word)) {
      const what = Math.abs(Number(this.word)) === Number.POSITIVE_INFINITY ? "too large a number" : "no JSON number";
      return this.stop(input.base + i, `${JSON.stringify(this.word.slice(0, 40))} is ${what}.`);
    }
    this.complete(input, i);
  }

  private endWord(input: Input, i: number): void {
    const { word } = this;
    if (!WORDS.has(word)) {
      const json = this.repairing || this.python ? PYTHON_WORDS.get(word) : undefined;
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
  private skip(text: string, from: number, end: number, { base, ended }: Input): number {
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
      } else {
        // a bracket can begin a marker, so it is counted only once it is known to be none
        const here = this.ends?.first.includes(text[i] as string) ? this.ends.at(text, i, ended) : NO;
        if (here === YES) this.state = UNCLOSED;
        if (here !== NO) return i;
        if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --this.depth <= this.skipTo) {
          this.recovered(base + i + 1);
          return i + 1;
        }
      }
    }
    return end;
  }

  /** The broken element ends before `offset`. */
  private recovered(offset: number): void {
    const depth = this.skipTo;
    this.backTo(depth);
    this.state = depth === 0 ? DONE : AFTER;
    this.watch?.closed(depth, offset);
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
      this.stop(input.offset, inString ? NEVER_CLOSES : ENDS_INSIDE, inString);
    }
  }

  /** A repair: what was read before it goes out, what comes behind it is better not shown before the end. */
}
