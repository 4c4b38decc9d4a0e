import { FENCE, type MarkerTable } from "./grammar.ts";
import { type Input, isBlank, type Pump } from "./input.ts";
import { matchLength } from "./shapes/ends.ts";

const NEWLINE = 0x0a;
const BACKTICK = 0x60;

/** Where text goes. */
export type TextSink = (piece: string) => void;

/** Not in a fence; on the line that opens one; inside one. */
const PROSE = 0;
const OPENING = 1;
const FENCED = 2;

/**
 * Hands text on up to the next marker, and holds back only what may begin one. Knows where lines begin and which text
 * stands in a Markdown fence, where markers are text.
 */
export class Until implements Pump {
  /** The marker at the input's position, `""` for a possible bare call, null at the end of the input. */
  found: string | null = null;
  /** Nothing but blanks has come since the start of the message or the last call. */
  fresh = true;
  /** May a call without a marker begin with this character? `fresh` says where. */
  bare: ((code: number, fresh: boolean) => boolean) | null = null;
  /** Characters with which one may begin in the middle of a line too. */
  midLine: MarkerTable | null = null;

  private readonly table: MarkerTable;
  private readonly fenced: MarkerTable;
  private sink: TextSink;
  private fence = PROSE;
  private ticks = 0;
  /** Nothing, or only blanks, has come on this line. */
  private lineStart = true;
  private lineBlank = true;

  constructor(table: MarkerTable, fenced: MarkerTable, sink: TextSink) {
    this.table = table;
    this.fenced = fenced;
    this.sink = sink;
  }

  /** Has nothing but blanks come on this line, or since the start or a call? */
  get opensLine(): boolean {
    return this.fresh || this.lineBlank;
  }

  /** Nothing has come on this line, or nothing but blanks since the start or a call. */
  get startsLine(): boolean {
    return this.fresh || this.lineStart;
  }

  /** The marker at the input's position is text after all. */
  pass(input: Input, length: number): void {
    const code = input.text.charCodeAt(input.pos);
    this.emit(input, input.pos, input.pos + length);
    input.pos += length;
    if (input.offset <= 0) return;
    if (length === 1) return this.pastCharacter(code);
    this.lineStart = false;
    this.fresh = false;
    this.lineBlank = false;
  }

  /** A fence begins at the input's position. */
  openFence(input: Input): void {
    this.pass(input, FENCE.length);
    this.fence = OPENING;
    this.ticks = FENCE.length;
  }

  /** A call has ended here. */
  behindCall(): void {
    this.fresh = true;
    this.lineStart = true;
    this.lineBlank = true;
  }

  step(input: Input): boolean {
    const { text } = input;
    let i = input.pos;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const table = this.fence === PROSE ? this.table : this.fenced;
      if (table.begins(code)) {
        const length = matchLength(table.markers, text, i, input.ended);
        if (length !== 0) {
          if (length < 0) return this.stop(input, i, false);
          const marker = text.slice(i, i + length);
          if (marker !== FENCE) return this.stop(input, i, true, marker);
          if (this.lineBlank && this.fence === PROSE) return this.stop(input, i, true, marker);
          if (this.lineBlank && this.fence === FENCED) {
            const closed = this.closesFence(text, i, input.ended);
            if (closed < 0) return this.stop(input, i, false);
            if (closed > 0) this.fence = PROSE;
          }
        }
      }
      if ((this.lineStart || this.fresh) && this.fence === PROSE && this.bare?.(code, this.fresh)) {
        return this.stop(input, i, true, "");
      }
      if (this.midLine !== null && this.fence === PROSE && this.midLine.begins(code)) {
        return this.stop(input, i, true, "");
      }
      // what the prompt ends with is no part of the message
      if (i >= -input.base) this.pastCharacter(code);
    }
    return this.stop(input, i, input.ended);
  }

  private pastCharacter(code: number): void {
    if (code === NEWLINE) {
      this.lineStart = true;
      this.lineBlank = true;
      if (this.fence === OPENING) this.fence = FENCED;
      return;
    }
    this.lineStart = false;
    if (!isBlank(code)) {
      this.fresh = false;
      this.lineBlank = false;
    }
    if (this.fence === OPENING) {
      // backticks directly behind the first three belong to the fence, later ones make the line a code span
      if (code !== BACKTICK) this.ticks = Math.abs(this.ticks) * -1;
      else if (this.ticks > 0) this.ticks++;
      else this.fence = PROSE;
    }
  }

  private closesFence(text: string, from: number, ended: boolean): number {
    let i = from;
    while (i < text.length && text.charCodeAt(i) === BACKTICK) i++;
    if (i - from >= Math.abs(this.ticks)) return 1;
    return i === text.length && !ended ? -1 : 0;
  }

  private stop(input: Input, i: number, satisfied: boolean, found: string | null = null): boolean {
    this.emit(input, input.pos, i);
    input.pos = i;
    this.found = found;
    return satisfied;
  }

  /** What stands in the prefill is read but not shown. */
  private emit(input: Input, from: number, to: number): void {
    const start = Math.max(from, -input.base);
    if (start < to) this.sink(start === 0 && to === input.text.length ? input.text : input.text.slice(start, to));
  }
}
