import { createParser } from "eventsource-parser";
import { isObject } from "../../schema/value.ts";
import { Patience } from "./abort.ts";
import { errorIn, LlamaServerError, refusal, unexpected } from "./error.ts";

/** What a server sends: a response, or the bytes or the text of its body, in pieces that may be cut anywhere. */
export type ServerStream =
  | Response
  | ReadableStream<Uint8Array>
  | ReadableStream<string>
  | AsyncIterable<Uint8Array | string>;

/** One event of a server, as it was sent. */
export type ServerEvent = Record<string, unknown>;

/**
 * The objects that the server sends, up to its `[DONE]` or the end. An answer that is one JSON object instead of a stream
 * is one event.
 * @throws {LlamaServerError}
 */
export async function* readEvents(
  source: ServerStream,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const patience = new Patience(signal);
  try {
    const events = new Events();
    for await (const piece of decoded(await bodyOf(source, patience), patience)) {
      events.feed(piece);
      yield* events.take();
      if (events.done) return;
    }
    events.end();
    yield* events.take();
  } finally {
    patience.end();
  }
}

/** Makes objects of text. */
class Events {
  done = false;
  private events: ServerEvent[] = [];
  /** Null while only blanks have come. `json`: no stream, but one object. `other`: neither, a page perhaps. */
  private form: "sse" | "json" | "other" | null = null;
  private text = "";
  private failure: LlamaServerError | null = null;
  /** What has come is all that comes, so that the last event may lack its end. */
  private over = false;
  private readonly sse = createParser({
    onEvent: ({ event, data }) => this.event(data, event === "error"),
    // older servers write a line `error: {…}`
    onError: ({ field, value = "" }) => {
      if (field === "error") this.event(value, true);
    },
  });

  feed(piece: string): void {
    if (this.form === "sse") return this.sse.feed(piece);
    this.text += piece;
    const first = this.form === null ? this.text.trimStart()[0] : undefined;
    if (first !== undefined) this.form = first === "{" ? "json" : first === "<" ? "other" : "sse";
    if (this.form !== "sse") return;
    this.sse.feed(this.text);
    this.text = "";
  }

  end(): void {
    this.over = true;
    if (this.form === "sse") this.sse.feed("\n\n");
    else if (this.form === "other") this.fail(unexpected(this.text, "events"));
    else if (this.form === "json") this.event(this.text, false);
  }

  /** What was read since the last time; an error comes behind it. */
  *take(): Generator<ServerEvent, void, undefined> {
    const { events } = this;
    this.events = [];
    yield* events;
    if (this.failure !== null) throw this.failure;
  }

  private event(data: string, isError: boolean): void {
    if (this.done || this.failure !== null) return;
    if (data.trim() === "[DONE]") {
      this.done = true;
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      // the connection was lost in the middle of it: who reads misses the last event anyway
      if (!this.over) this.fail(isError ? refusal(data, null) : unexpected(data, "JSON"));
      return;
    }
    const error = errorIn(value) ?? (isError ? errorIn({ error: value }) : null);
    if (error !== null) this.fail(error);
    else if (isObject(value)) this.events.push(value);
    else this.fail(unexpected(data, "JSON objects"));
  }

  private fail(error: LlamaServerError): void {
    this.failure ??= error;
  }
}

/** @throws {LlamaServerError} `refused` for a response that is an error. */
async function bodyOf(source: ServerStream, patience: Patience): Promise<Exclude<ServerStream, Response>> {
  if (!("body" in source)) return source;
  if (!source.ok) throw refusal(await textOf(source, patience), source.status, source.statusText);
  if (source.body === null) throw unexpected("", "a body", source.status);
  return source.body as ReadableStream<Uint8Array>;
}

/** The text of a response. */
export async function textOf(response: Response, patience: Patience): Promise<string> {
  try {
    return await patience.wait(response.text());
  } catch (error) {
    if (error instanceof LlamaServerError) throw error;
    throw lost(error, response.status);
  }
}

function lost(cause: unknown, status: number | null = null): LlamaServerError {
  const why = cause instanceof Error ? `: ${cause.message}` : ".";
  return new LlamaServerError("incomplete", `The connection was lost${why}`, { status, cause });
}

/** The text of the pieces. A character may be split over two of them. */
async function* decoded(
  body: Exclude<ServerStream, Response>,
  patience: Patience,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const pieces = piecesOf(body);
  try {
    for (;;) {
      const next = await patience.wait(pieces.next());
      if (next.done === true) break;
      yield typeof next.value === "string" ? next.value : decoder.decode(next.value, { stream: true });
    }
  } catch (error) {
    throw error instanceof LlamaServerError ? error : lost(error);
  } finally {
    // not awaited: a body that hangs must not keep anybody waiting
    pieces.cancel().catch(() => {});
  }
  yield decoder.decode();
}

interface Pieces {
  next(): Promise<IteratorResult<Uint8Array | string, unknown>>;
  cancel(): Promise<unknown>;
}

/** Not every browser can iterate a ReadableStream. */
function piecesOf(body: Exclude<ServerStream, Response>): Pieces {
  if ("getReader" in body) {
    const reader = (body as ReadableStream<Uint8Array | string>).getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<Uint8Array | string, unknown>>,
      cancel: () => reader.cancel(),
    };
  }
  const iterator = (body as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]();
  return { next: () => iterator.next(), cancel: async () => iterator.return?.() };
}
