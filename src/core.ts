/**
 * The library without the registry, for people who bring their own few formats: `format` is then a value, imported from
 * `tool-call-parser/formats/…` or made with `defineFormat`.
 */
import type { ParserEvent } from "./events.ts";
import type { Format } from "./format.ts";
import { onlyValues, type ParserOptions } from "./parser.ts";
import { parseStreamWith, type StreamOptions, transformer } from "./stream.ts";
import type { CallOf, ToolsOption, ValidationOption } from "./types.ts";

export * from "./common.ts";
export { createParser, parse } from "./parse.ts";

/** The events of a stream of chunks, as they become certain. */
export function parseStream<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions<T, V>,
): AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined> {
  return parseStreamWith(onlyValues, source, options);
}

/** Chunks in, events out. */
export class ToolCallStream<
  const T extends ToolsOption = ToolsOption,
  V extends ValidationOption = undefined,
> extends TransformStream<string, ParserEvent<CallOf<T, V>>> {
  constructor(options: ParserOptions<Format, T, V>) {
    super(transformer(onlyValues, options));
  }
}
