/** Length at which the rope is flattened: it then neither grows deep nor keeps thousands of small strings alive. */
const FLATTEN = 2048;

/**
 * Text that is gathered piece by piece. Measured on 100 KB in pieces of 4 characters, against one `+=` for all: an array
 * of pieces that is joined at the end takes 2.5 times as long, a rope alone 1.5, a rope that is flattened every 2 KB 0.85.
 */
export class Gathered {
  private flat: string[] = [];
  private recent = "";

  add(piece: string): void {
    this.recent += piece;
    if (this.recent.length > FLATTEN) this.flatten();
  }

  private flatten(): void {
    // reading a character makes the engine flatten the rope
    this.recent.charCodeAt(0);
    this.flat.push(this.recent);
    this.recent = "";
  }

  /** The last `length` characters, from the end backwards: what is asked for is often short, what is gathered may be long. */
  tail(length: number): string {
    let text = this.recent;
    for (let last = this.flat.length - 1; last >= 0 && text.length < length; last--) text = this.flat[last] + text;
    return text.slice(text.length - length);
  }

  clear(): void {
    if (this.flat.length !== 0) this.flat = [];
    this.recent = "";
  }

  /** Cuts off the last `length` characters. */
  shorten(length: number): void {
    let rest = length;
    while (rest > this.recent.length) {
      rest -= this.recent.length;
      this.recent = this.flat.pop() ?? "";
    }
    this.recent = this.recent.slice(0, this.recent.length - rest);
  }
}
