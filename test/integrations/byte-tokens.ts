/**
 * A tokenizer for tests: a token is a number from 0 to 255, a byte of UTF-8, or the number of a longer piece. As in
 * node-llama-cpp and transformers.js, what is no complete character is decoded as U+FFFD.
 */
export class ByteTokens {
  private readonly pieces: Uint8Array[] = [];
  private readonly special = new Set<number>();
  /** Drops the blank in front of the first token, as SentencePiece decoders do. */
  dropsFirstBlank = false;

  /** The token of this text; control tokens are those that a text API would leave out. */
  token(text: string, control = false): number {
    const id = this.add(new TextEncoder().encode(text));
    if (control) this.special.add(id);
    return id;
  }

  /** A token of bytes that may be a part of characters. */
  add(bytes: Uint8Array): number {
    return 255 + this.pieces.push(bytes);
  }

  /** Each byte by itself. */
  bytes(text: string): number[] {
    return [...new TextEncoder().encode(text)];
  }

  piece(token: number): Uint8Array {
    return token < 256 ? Uint8Array.of(token) : (this.pieces[token - 256] as Uint8Array);
  }

  decode(tokens: readonly (number | bigint)[], special: boolean): string {
    const shown = tokens.map(Number).filter((token) => special || !this.special.has(token));
    const text = new TextDecoder().decode(Uint8Array.from(shown.flatMap((token) => [...this.piece(token)])));
    return this.dropsFirstBlank ? text.replace(/^ /, "") : text;
  }
}

export async function* stream<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
