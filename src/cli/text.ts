import { createReadStream } from "node:fs";
import { type Io, UsageError } from "./io.ts";

/**
 * The text of a file, or of standard input (no path, or `-`), piece by piece as it arrives. A character that is cut
 * between two reads comes whole, with the second one; bytes that are no UTF-8 become U+FFFD, and a warning.
 * @throws {UsageError} for what cannot be read, or is no text.
 */
export function readText(path: string | undefined, io: Io): AsyncGenerator<string, void, undefined> {
  return textOf(readBytes(path, io), nameOf(path), io);
}

/** What to call an input in messages. */
export function nameOf(path: string | undefined): string {
  return path === undefined || path === "-" ? "standard input" : path;
}

/**
 * The bytes of a file or of standard input, as they arrive.
 * @throws {UsageError} for what cannot be read.
 */
export async function* readBytes(path: string | undefined, io: Io): AsyncGenerator<Uint8Array, void, undefined> {
  const fromStdin = path === undefined || path === "-";
  if (fromStdin && io.stdin.isTTY === true) io.stderr.write("Reading from the terminal. Ctrl-D ends the input.\n");
  const source: AsyncIterable<Uint8Array | string> = fromStdin ? io.stdin : createReadStream(path);
  try {
    for await (const chunk of source) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  } catch (error) {
    throw new UsageError(`${nameOf(path)} ${reason(error)}.`);
  }
}

/** Bytes as text; `name` is what to call them in messages. */
export async function* textOf(
  source: AsyncIterable<Uint8Array>,
  name: string,
  io: Io,
): AsyncGenerator<string, void, undefined> {
  const decoder = new Decoder(() =>
    io.stderr.write(`tool-call-parser: ${name} has bytes that are not UTF-8; each is read as U+FFFD.\n`),
  );
  let first = true;
  for await (const bytes of source) {
    if (first && bytes.includes(0)) throw new UsageError(`${name} is a binary file, not text.`);
    first = false;
    const text = decoder.decode(bytes);
    if (text !== "") yield text;
  }
  const rest = decoder.end();
  if (rest !== "") yield rest;
}

/** Waits for the first piece of a text, so that what cannot be read at all fails before anything is made of it. */
export async function begun(
  text: AsyncGenerator<string, void, undefined>,
): Promise<AsyncGenerator<string, void, undefined>> {
  const first = await text.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* text;
  })();
}

/** The whole text of a file or of standard input. */
export async function readWhole(path: string | undefined, io: Io): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of readText(path, io)) pieces.push(piece);
  return pieces.join("");
}

/** The lines of a text, without what ends them. */
export async function* lines(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let pieces: string[] = [];
  for await (const chunk of text) {
    const [head, ...rest] = chunk.split("\n");
    pieces.push(head as string);
    for (const piece of rest) {
      yield pieces.join("").replace(/\r$/, "");
      pieces = [piece];
    }
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}

/** Reads a JSON file. A byte order mark is no part of it. */
export async function readJsonFile(path: string, io: Io): Promise<unknown> {
  const text = withoutMark(await readWhole(path, io));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not valid JSON: ${(error as Error).message}.`);
  }
}

export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** UTF-8 to text, over reads that may cut a character. A byte order mark is text like any other. */
class Decoder {
  private readonly lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Says whether what the other one replaced was wrong or stood there. Null once it was wrong. */
  private strict: TextDecoder | null = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  private readonly warn: () => void;

  constructor(warn: () => void) {
    this.warn = warn;
  }

  decode(bytes: Uint8Array): string {
    this.check(() => this.strict?.decode(bytes, { stream: true }));
    return this.lenient.decode(bytes, { stream: true });
  }

  end(): string {
    this.check(() => this.strict?.decode());
    return this.lenient.decode();
  }

  private check(decode: () => void): void {
    try {
      decode();
    } catch {
      this.strict = null;
      this.warn();
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a directory",
  EACCES: "may not be read",
  EPERM: "may not be read",
};

function reason(error: unknown): string {
  const { code, message } = error as Error & { code?: string };
  return REASONS[code ?? ""] ?? `cannot be read: ${message}`;
}
