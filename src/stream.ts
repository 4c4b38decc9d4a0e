import type { ParserEvent } from "./events.ts";
import type { Format } from "./format.ts";
import { type ParserOptions, type Resolve, StreamParser } from "./parser.ts";
import type { CallOf, ToolsOption, ValidationOption } from "./types.ts";

/** Did the output come to its natural end? A function is asked when it is over. */
export type Finished = boolean | (() => boolean) | undefined;

export function isFinished(finished: Finished = true): boolean {
  return typeof finished === "function" ? finished() : finished;
}

export interface StreamOptions<T extends ToolsOption = ToolsOption, V extends ValidationOption = ValidationOption>
  extends ParserOptions<Format, T, V> {
  /** Did the output come to its natural end? Asked when the source is exhausted. Default true. */
  finished?: Finished;
  /** Aborting makes the iteration throw the signal's reason and releases the source. */
  signal?: AbortSignal | undefined;
}

/** `parseStream` for formats that `resolve` knows. */
export async function* parseStreamWith<T extends ToolsOption, V extends ValidationOption>(
  resolve: Resolve,
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions<T, V>,
): AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined> {
  type Event = ParserEvent<CallOf<T, V>>;
  const { finished, signal, ...rest } = options as StreamOptions;
  let events: Event[] = [];
  const parser = new StreamParser({ ...rest, onEvent: (event) => events.push(event as Event) }, resolve);
  const take = (): Event[] => {
    const taken = events;
    events = [];
    return taken;
  };
  try {
    for await (const chunk of abortable(source, signal)) {
      parser.feed(chunk);
      if (events.length !== 0) yield* take();
      if (parser.stopped) return;
    }
  } catch (error) {
    if (signal?.aborted !== true) {
      parser.end({ finished: false });
      yield* take();
    }
    throw error;
  }
  parser.end({ finished: isFinished(finished) });
  yield* take();
}

/** The chunks of a source, until the signal says stop. */
async function* abortable(
  source: AsyncIterable<string> | ReadableStream<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  signal?.throwIfAborted();
  const iterator = chunks(source)[Symbol.asyncIterator]();
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
  });
  aborted.catch(() => {});
  try {
    for (;;) {
      const next = await (signal === undefined ? iterator.next() : Promise.race([iterator.next(), aborted]));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    // not awaited: a source that hangs must not keep an aborted reader waiting
    iterator.return?.()?.catch(() => {});
  }
}

/** Not every browser can iterate a ReadableStream. */
async function* chunks(
  source: AsyncIterable<string> | ReadableStream<string>,
): AsyncGenerator<string, void, undefined> {
  if (Symbol.asyncIterator in source) {
    yield* source as AsyncIterable<string>;
    return;
  }
  const reader = (source as ReadableStream<string>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** A `TransformStream` of chunks into events, for formats that `resolve` knows. */
export function transformer<T extends ToolsOption, V extends ValidationOption>(
  resolve: Resolve,
  options: ParserOptions<Format, T, V>,
): Transformer<string, ParserEvent<CallOf<T, V>>> {
  let parser: StreamParser;
  return {
    start(controller) {
      const onEvent = (event: ParserEvent): void => controller.enqueue(event as ParserEvent<CallOf<T, V>>);
      parser = new StreamParser({ ...(options as ParserOptions), onEvent }, resolve);
    },
    transform(chunk) {
      parser.feed(chunk);
    },
    flush() {
      parser.end();
    },
  };
}
