import type { Input } from "../input.ts";
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON_SIGN,
  COMMA,
  isHighSurrogate,
  isLetter,
  isNumber,
  isNumberPart,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "./lexical.ts";
import { JsonReader } from "./reader.ts";
import { AFTER, FRESH, KEY, NONE, NUMBER, STRING, VALUE } from "./span.ts";

/** No key is open that began in this chunk. */
const NOWHERE = -1;
const MINUS = 0x2d;

/**
 * The JSON reader with a short cut: arguments as they are usually written, without blanks and escapes, are read in one
 * loop. At the first character that needs a closer look the general reader takes over, from the same state, so that only
 * speed depends on this class.
 */
export class QuickReader extends JsonReader {
  /** Where in the text at hand a key begins that is not whole yet, and whose schema matters. */
  private keyAt = NOWHERE;

  override step(input: Input): boolean {
    const usual = !this.watching && this.capture === NONE && !this.slow && this.depth > this.argumentsDepth;
    if (!usual || input.ended) return super.step(input);
    if (this.inRun && this.crossRun(input)) return false;
    const { text, pos } = input;
    this.from = pos;
    this.safe = -1;
    this.keyAt = NOWHERE;
    const i = this.quick(input, text, pos);
    if (i < 0) {
      if (this.keyAt !== NOWHERE) {
        this.cut(input, this.keyAt);
        this.keyFrom = this.held.length;
      }
      return this.readOn(input, text, ~i);
    }
    input.pos = i;
    this.flush(input, i);
    if (this.keyAt !== NOWHERE) this.keyFrom = this.held.length - (i - this.keyAt);
    this.inRun = this.streams && this.state === STRING;
    return false;
  }

  /** Answers where it waits for more text, or by `handOver` where the general reader has to take over. */
  private quick(input: Input, text: string, start: number): number {
    const end = text.length;
    let { state } = this;
    let i = start;
    while (i < end) {
      let code = text.charCodeAt(i);
      switch (state) {
        case STRING: {
          while (code !== QUOTE) {
            if (code === BACKSLASH || code < 0x20) return this.handOver(state, i);
            if (++i === end) return this.wait(state, isHighSurrogate(code) ? i - 1 : i);
            code = text.charCodeAt(i);
          }
          if (i + 1 === end) return this.wait(state, i);
          const next = text.charCodeAt(i + 1);
          if (this.inKey) {
            if (next !== COLON_SIGN) return this.handOver(state, i);
            if (!this.container.plain) this.takeKey(text, start, i);
            state = VALUE;
            i += 2;
          } else {
            if (next === COMMA) {
              // what follows tells whether this quote is data
              if (i + 2 === end) return this.wait(state, i);
              const third = text.charCodeAt(i + 2);
              if (third !== QUOTE && (third !== OPEN_OBJECT || this.isObject)) return this.handOver(state, i);
            } else if (next !== (this.isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
              return this.handOver(state, i);
            }
            this.streams = false;
            this.safe = ++i;
            state = AFTER;
          }
          break;
        }
        case FRESH:
          // the beginning of a path is held to its end: `"|C:\Maps"`
          if (code === BACKSLASH) return this.handOver(state, i);
          if (isLetter(code)) {
            if (i + 1 === end) return this.wait(state, i);
            if (text.charCodeAt(i + 1) === COLON_SIGN) return this.handOver(state, i);
          }
          this.streams = true;
          state = STRING;
          break;
        case AFTER:
          if (code === COMMA) {
            this.separate(i++);
            state = this.state;
          } else {
            if (code !== (this.isObject ? CLOSE_OBJECT : CLOSE_LIST) || this.depth - 1 <= this.argumentsDepth)
              return this.handOver(state, i);
            this.backTo(this.depth - 1);
            this.safe = ++i;
          }
          break;
        case KEY:
          if (code !== QUOTE) return this.handOver(state, i);
          if (!this.container.plain) this.keyAt = i;
          this.inKey = true;
          this.startString(input, i++, 1);
          state = STRING;
          break;
        case VALUE:
          if (!this.node.plain && this.node.holds(code)) return this.handOver(state, i);
          if (code === QUOTE) {
            this.inKey = false;
            this.comma = false;
            this.startString(input, i++, 1);
            this.safe = i;
            state = FRESH;
          } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
            if (this.depth - this.argumentsDepth >= this.limit) return this.handOver(state, i);
            this.push(code === OPEN_OBJECT);
            state = this.state;
            this.safe = ++i;
          } else if (code === MINUS || (code >= 0x30 && code <= 0x39)) {
            this.comma = false;
            this.token = input.base + i;
            this.word = "";
            state = NUMBER;
          } else {
            return this.handOver(state, i);
          }
          break;
        case NUMBER: {
          const from = i;
          while (i < end && isNumberPart(text.charCodeAt(i))) i++;
          this.word += text.slice(from, i);
          if (i === end) return this.wait(state, i);
          if (!isNumber(this.word)) return this.handOver(state, i);
          this.safe = i;
          state = AFTER;
          break;
        }
        default:
          return this.handOver(state, i);
      }
    }
    return this.wait(state, i);
  }

  private wait(state: number, i: number): number {
    this.state = state;
    return i;
  }

  /** The complement of the position: a negative number. */
  private handOver(state: number, i: number): number {
    this.state = state;
    return ~i;
  }

  /** The key of a member whose schema matters ends before `i`. */
  private takeKey(text: string, start: number, i: number): void {
    const { keyAt } = this;
    this.key = keyAt === NOWHERE ? this.held.slice(this.keyFrom + 1) + text.slice(start, i) : text.slice(keyAt + 1, i);
    this.keyAt = NOWHERE;
    this.node = this.container.key(this.key);
  }
}
