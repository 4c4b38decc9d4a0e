import type { Bytes } from "./bytes.ts";

/** What a GGUF file says of itself: the texts, and the lists of texts, that were asked for. */
export type Metadata = ReadonlyMap<string, string | readonly string[]>;

/** The file is no whole GGUF file, or of a kind that is not read. The message goes on from the file's name. */
export class GgufError extends Error {
  override name = "GgufError";
}

const MAGIC = "GGUF";
/** Longest key that the format allows. */
const KEY_LENGTH = 65_535;
/** Longest text that is kept: a chat template has some ten kilobytes. */
const TEXT_LENGTH = 16 * 1024 * 1024;
/** Most texts that are kept of one list. */
const LIST_LENGTH = 1000;
/** Lists may hold lists. */
const DEPTH = 8;

const STRING = 8;
const ARRAY = 9;
/** Bytes of the values that have a fixed size, by their type: integers, floats, booleans. */
const SIZES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [7, 1],
  [10, 8],
  [11, 8],
  [12, 8],
]);

/** Does a GGUF file begin here? */
export async function isGguf(bytes: Bytes): Promise<boolean> {
  return (await bytes.has(4)) && Buffer.from(bytes.peek(4)).toString("latin1") === MAGIC;
}

/**
 * Reads the metadata at the head of a GGUF file, version 2 or 3, and not a byte of the tensors behind it.
 * The layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 * @throws {GgufError}
 */
export async function readGguf(bytes: Bytes, wanted: (key: string) => boolean): Promise<Metadata> {
  const reader = new Reader(bytes);
  await reader.skip(MAGIC.length);
  const version = await reader.uint32();
  if (version === 1)
    throw new GgufError("is a GGUF file of version 1, which is no longer in use; versions 2 and 3 are read");
  if (version > 0xffff) throw new GgufError("is a big-endian GGUF file, of which only the little-endian kind is read");
  if (version < 2 || version > 3)
    throw new GgufError(`is a GGUF file of version ${version}; versions 2 and 3 are read`);
  await reader.skip(8); // the number of tensors
  const found = new Map<string, string | readonly string[]>();
  for (let left = await reader.size(); left > 0; left--) {
    const key = await reader.text(KEY_LENGTH);
    const type = await reader.uint32();
    const value = wanted(key) ? await reader.textOrTexts(type) : await reader.skipValue(type);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/** Little-endian values. Waits only where the bytes at hand do not suffice: vocabularies have some hundred thousand texts. */
class Reader {
  private readonly bytes: Bytes;
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(bytes: Bytes) {
    this.bytes = bytes;
  }

  async uint32(): Promise<number> {
    return (await this.take(4)).getUint32(0, true);
  }

  /** A length or a count: 64 bits, of which no file needs more than 53. */
  async size(): Promise<number> {
    const size = (await this.take(8)).getBigUint64(0, true);
    if (size > Number.MAX_SAFE_INTEGER)
      throw new GgufError("is a broken GGUF file: a length in its metadata cannot be true");
    return Number(size);
  }

  async text(longest: number): Promise<string> {
    const length = await this.size();
    if (length > longest) throw new GgufError(`is a broken GGUF file: a text of ${length} bytes in its metadata`);
    if (!(await this.bytes.has(length))) throw cut();
    return this.decoder.decode(this.bytes.take(length));
  }

  /** A text, or a list of texts; anything else is left out. */
  async textOrTexts(type: number): Promise<string | readonly string[] | undefined> {
    if (type === STRING) return this.text(TEXT_LENGTH);
    if (type !== ARRAY) return this.skipValue(type);
    const kind = await this.uint32();
    const count = await this.size();
    if (kind !== STRING || count > LIST_LENGTH) return this.skipItems(kind, count, 1);
    const texts: string[] = [];
    while (texts.length < count) texts.push(await this.text(TEXT_LENGTH));
    return texts;
  }

  async skipValue(type: number, depth = 0): Promise<undefined> {
    if (type !== ARRAY) return this.skipItems(type, 1, depth);
    if (depth === DEPTH) throw new GgufError("is a broken GGUF file: lists within lists in its metadata");
    const kind = await this.uint32();
    return this.skipItems(kind, await this.size(), depth + 1);
  }

  private async skipItems(type: number, count: number, depth: number): Promise<undefined> {
    const size = SIZES.get(type);
    if (size !== undefined) return this.skip(size * count);
    if (type !== STRING && type !== ARRAY) {
      throw new GgufError(`is a broken GGUF file: there is no type ${type} of metadata`);
    }
    for (let left = count; left > 0; left--) {
      if (type === ARRAY) await this.skipValue(type, depth);
      else if (!this.skipTextAtHand()) await this.skip(await this.size());
    }
  }

  async skip(count: number): Promise<undefined> {
    if (!(await this.bytes.skip(count))) throw cut();
  }

  private skipTextAtHand(): boolean {
    const { bytes } = this;
    if (bytes.available < 8) return false;
    const { buffer, byteOffset } = bytes.peek(8);
    const view = new DataView(buffer, byteOffset, 8);
    const length = view.getUint32(0, true);
    if (view.getUint32(4, true) !== 0 || bytes.available < 8 + length) return false;
    bytes.take(8 + length);
    return true;
  }

  private async take(count: number): Promise<DataView> {
    if (!(await this.bytes.has(count))) throw cut();
    const { buffer, byteOffset } = this.bytes.take(count);
    return new DataView(buffer, byteOffset, count);
  }
}

function cut(): GgufError {
  return new GgufError("is a broken GGUF file: it ends inside its metadata");
}
