import { Gathered } from "./gathered.ts";

/**
 * The text cursor: the only file that knows that text arrives in chunks.
 *
 * Readings are straight-line generators over an `Input`. Where they need more text they yield, and are resumed when it
 * has come. What may run long (a JSON value, text up to a marker) is a `Pump` instead: `feed` calls it directly, because
 * resuming a generator through its `yield*` levels costs about 15 ns a level and chunk, more than reading the chunk does.
 */

/** Something that reads on, chunk by chunk. */
export interface Pump {
  /** Reads what it can. True when it is satisfied; at the end of the input it always is. */
  step(input: Input): boolean;
}

/** What a generator that waits for text looks like: it yields nothing and returns its answer. */
export type Waiting<T> = Generator<undefined, T, undefined>;

/** Blanks after which a look-ahead gives up, so that no text is held or read again without bound. */
export const BLANKS = 64;

/** Characters that may be read again in the shortest of outputs. */
const SLACK = 4096;

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export class Input {
  /** The text at hand. Consumed text leaves it at the next chunk, so that it never grows. */
  text = "";
  /** Everything before this position in `text` is consumed. */
  pos = 0;
  /** Offset in the model's output of `text[0]`; negative inside the prefill. */
  base = 0;
  /** No more text will come. */
  ended = false;
  /** False when the output was cut off instead of coming to its end. Means something only once `ended` is true. */
  finished = true;
  /** The pump that waits for text, if one does. */
  pump: Pump | null = null;

  /** Marked text that has left `text`: it ends where `text` begins. */
  private readonly kept = new Gathered();
  private marks = 0;
  private reread = 0;

  /** UTF-16 offset of the next unread character in the model's output. */
  get offset(): number {
    return this.base + this.pos;
  }

  /** UTF-16 offset behind the last character that has come. */
  get seen(): number {
    return this.base + this.text.length;
  }

  append(chunk: string): void {
    const { text, pos } = this;
    if (pos === text.length) {
      if (this.marks !== 0) this.kept.add(text);
      this.text = chunk;
    } else {
      if (this.marks !== 0) this.kept.add(text.slice(0, pos));
      this.text = text.slice(pos) + chunk;
    }
    this.base += pos;
    this.pos = 0;
  }

  /** Remembers this place: text from here on can be had again until `release`. Marks nest. */
  mark(): number {
    if (this.marks++ === 0) {
      this.text = this.text.slice(this.pos);
      this.base += this.pos;
      this.pos = 0;
    }
    return this.offset;
  }

  release(): void {
    if (--this.marks === 0) this.kept.clear();
  }

  /** The text from `from`, which is not before the outermost mark, up to the offset `to`, which has been seen. */
  slice(from: number, to: number): string {
    const { base, text } = this;
    if (from >= base) return text.slice(from - base, to - base);
    return this.kept.tail(base - from).slice(0, to - from) + text.slice(0, Math.max(0, to - base));
  }

  /**
   * May text be read again? All rereading together is bounded by twice the output, whatever it is made of: who may not go
   * back takes the text as it was read.
   */
  get mayGoBack(): boolean {
    return this.reread <= 2 * Math.max(0, this.offset) + SLACK;
  }

  /** Goes back to a place behind the outermost mark, to read on from there. */
  back(to: number): void {
    this.reread += this.offset - to;
    const again = this.base - to;
    if (again > 0) {
      this.text = this.kept.tail(again) + this.text;
      this.kept.shorten(again);
      this.base = to;
    }
    this.pos = to - this.base;
  }

  /** Waits for `count` unread characters; false when the input ends before. */
  *more(count = 1): Waiting<boolean> {
    while (this.text.length - this.pos < count) {
      if (this.ended) return false;
      yield;
    }
    return true;
  }

  /** Waits for one character and gives its code without reading it, -1 at the end. */
  *peek(): Waiting<number> {
    return (yield* this.more()) ? this.text.charCodeAt(this.pos) : -1;
  }

  /** Reads white space, `BLANKS` characters of it at most. */
  *space(): Waiting<number> {
    for (let count = 0; ; count++) {
      if (count === BLANKS || !isBlank(yield* this.peek())) return count;
      this.pos++;
    }
  }

  /** Does this literal come next? Waits only as long as it may. */
  *at(literal: string): Waiting<boolean> {
    for (let length = 1; length <= literal.length; length++) {
      if (!(yield* this.more(length)) || this.text[this.pos + length - 1] !== literal[length - 1]) return false;
    }
    return true;
  }

  /** Reads the literal if it comes next. */
  *take(literal: string): Waiting<boolean> {
    if (!(yield* this.at(literal))) return false;
    this.pos += literal.length;
    return true;
  }

  /** Is the end of the output half of one of these literals? */
  endsInPartOf(literals: readonly string[]): boolean {
    const length = this.text.length - this.pos;
    if (!this.ended || length === 0) return false;
    return literals.some((literal) => literal.length > length && literal.startsWith(this.text.slice(this.pos)));
  }

  /** Reads the longest of the literals that comes next, and answers which. */
  *takeOne(literals: readonly string[]): Waiting<string | null> {
    let longest: string | null = null;
    for (const literal of literals) {
      if (literal.length > (longest?.length ?? 0) && (yield* this.at(literal))) longest = literal;
    }
    if (longest !== null) this.pos += longest.length;
    return longest;
  }

  /** Lets a pump read until it is satisfied. */
  *run(pump: Pump): Waiting<void> {
    if (pump.step(this)) return;
    this.pump = pump;
    yield;
  }

  /** Called with each new chunk: true when the reading has to be resumed. */
  advance(): boolean {
    if (this.pump === null) return true;
    if (!this.pump.step(this)) return false;
    this.pump = null;
    return true;
  }
}
