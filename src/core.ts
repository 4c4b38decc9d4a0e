/**
 * The library without the registry, for people who bring their own few formats: `format` is then a value, imported from
 * `tool-call-parser/formats/…` or made with `defineFormat`.
 */
import type { ParserEvent } from "./events.ts";
import { onlyValues, type ParserOptions } from "./parser.ts";
import { parseStreamWith, type StreamOptions, transformer } from "./stream.ts";

export * from "./common.ts";
export { createParser, parse } from "./parse.ts";

/** The events of a stream of chunks, as they become certain. */
export function parseStream(
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions,
): AsyncGenerator<ParserEvent, void, undefined> {
  return parseStreamWith(onlyValues, source, options);
}

/** Chunks in, events out. */
export class ToolCallStream extends TransformStream<string, ParserEvent> {
  constructor(options: ParserOptions) {
    super(transformer(onlyValues, options));
  }
}
