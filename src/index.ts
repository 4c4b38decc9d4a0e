/** The library with all formats: names, `"auto"`. */
import type { ParseResult, ParserEvent } from "./events.ts";
import { type CreateOptions, type ParseOptions, parseWith } from "./parse.ts";
import { type Parser, type ParserOptions, StreamParser } from "./parser.ts";
import { resolve } from "./registry.ts";
import { parseStreamWith, type StreamOptions, transformer } from "./stream.ts";

export * from "./common.ts";
export { type DetectOptions, detectFormat } from "./detect.ts";
export { formatNames, getFormat } from "./registry.ts";

/**
 * Reads an output that is complete, or, with `finished: false`, was cut off. Never throws on model output.
 *
 * @example
 * ```ts
 * const { content, calls, rejected } = parse(output, { format: "hermes", tools });
 * for (const call of calls) await run(call.name, call.arguments);
 * ```
 */
export function parse(text: string, options: ParseOptions = {}): ParseResult {
  return parseWith(resolve, text, options);
}

/**
 * A parser for one reply, to be fed chunk by chunk. The result does not depend on where the chunks are cut.
 *
 * @example
 * ```ts
 * const parser = createParser({ format: "mistral", tools, onEvent: (event) => console.log(event) });
 * for await (const chunk of output) parser.feed(chunk);
 * const { calls } = parser.end();
 * ```
 */
export function createParser(options: CreateOptions = {}): Parser {
  return new StreamParser(options, resolve);
}

/**
 * The events of a stream of chunks, as they become certain. If the source throws, the reply ends as cut off, the remaining
 * events come, and then the error.
 */
export function parseStream(
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions = {},
): AsyncGenerator<ParserEvent, void, undefined> {
  return parseStreamWith(resolve, source, options);
}

/** Chunks in, events out: `chunks.pipeThrough(new ToolCallStream({ format: "qwen3-coder", tools }))`. */
export class ToolCallStream extends TransformStream<string, ParserEvent> {
  constructor(options: ParserOptions = {}) {
    super(transformer(resolve, options));
  }
}
