import { visibleLine } from "./style.ts";

/** A place in the output, for people. */
export interface Place {
  /** Counted from 1. */
  line: number;
  /** Counted from 1, in characters (code points). */
  column: number;
  /** The line, as much of it as has arrived. */
  text: string;
  /** UTF-16 position in `text`. */
  at: number;
}

/** Finds the line and column of offsets in a text that is still arriving. */
export class Places {
  private readonly lines: string[] = [];
  private readonly starts: number[] = [0];
  private last = "";

  add(chunk: string): void {
    const [head, ...rest] = chunk.split("\n");
    this.last += head;
    for (const piece of rest) {
      this.lines.push(this.last);
      this.starts.push((this.starts.at(-1) as number) + this.last.length + 1);
      this.last = piece;
    }
  }

  get isEmpty(): boolean {
    return this.lines.length === 0 && this.last === "";
  }

  at(offset: number): Place {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const text = this.lines[low] ?? this.last;
    const at = Math.min(offset - (this.starts[low] as number), text.length);
    return { line: low + 1, column: [...text.slice(0, at)].length + 1, text, at };
  }
}

/** The line of a place, cut to fit, and a caret under the place: two lines, `width` columns at most. */
export function excerpt({ text, at }: Place, width: number): [line: string, caret: string] {
  const half = Math.max(10, Math.floor(width / 2) - 2);
  // Twice as much to the right when there is little to the left, and the other way round.
  const from = Math.max(0, Math.min(at - half, text.length - 2 * half));
  const before = (from > 0 ? "…" : "") + shown(text.slice(from, at));
  const behind = shown(text.slice(at, from + 2 * half)) + (from + 2 * half < text.length ? "…" : "");
  return [(before + behind).trimEnd(), `${" ".repeat(columns(before))}^`];
}

function shown(text: string): string {
  return visibleLine(text.replaceAll("\t", " "));
}

const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{Mark}|[\u200b-\u200f]/u;

/** How many columns of a terminal a text takes. */
function columns(text: string): number {
  let count = 0;
  for (const char of text) count += NO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return count;
}
