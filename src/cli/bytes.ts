/** Bytes that arrive in pieces, taken from the front. */
export class Bytes {
  private readonly source: AsyncIterator<Uint8Array, void, undefined>;
  private chunk: Uint8Array = new Uint8Array(0);
  private at = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, void, undefined>;
  }

  /** How many bytes are at hand. */
  get available(): number {
    return this.chunk.length - this.at;
  }

  /** Waits for `count` bytes; false where the source ends before. */
  async has(count: number): Promise<boolean> {
    if (this.available >= count) return true;
    const pieces = [this.chunk.subarray(this.at)];
    let length = this.available;
    while (length < count) {
      const { done, value } = await this.source.next();
      if (done === true) break;
      pieces.push(value);
      length += value.length;
    }
    this.chunk = Buffer.concat(pieces);
    this.at = 0;
    return length >= count;
  }

  /** The next bytes, which are at hand, left where they are. */
  peek(count: number): Uint8Array {
    return this.chunk.subarray(this.at, this.at + count);
  }

  /** The next bytes, which are at hand. */
  take(count: number): Uint8Array {
    const bytes = this.peek(count);
    this.at += count;
    return bytes;
  }

  /** Leaves out as many, without keeping any of them; false where the source ends before. */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > this.available) {
      left -= this.available;
      const { done, value } = await this.source.next();
      if (done === true) return false;
      this.chunk = value;
      this.at = 0;
    }
    this.at += left;
    return true;
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.available > 0) yield this.take(this.available);
    for (let next = await this.source.next(); next.done !== true; next = await this.source.next()) yield next.value;
  }

  /** Nothing more is wanted. */
  async close(): Promise<void> {
    await this.source.return?.();
  }
}
