/** The library with all formats: names, `"auto"`. */
import type { ParseResult, ParserEvent } from "./events.ts";
import type { Format } from "./format.ts";
import { type CreateOptions, createWith, type ParseOptions, parseWith } from "./parse.ts";
import type { Parser, ParserOptions } from "./parser.ts";
import { resolve } from "./registry.ts";
import { parseStreamWith, type StreamOptions, transformer } from "./stream.ts";
import type { CallOf, ToolsOption, ValidationOption } from "./types.ts";

export * from "./common.ts";
export { type DetectOptions, detectFormat } from "./detect.ts";
export { formatNames, getFormat } from "./registry.ts";
export {
  type DeclarationTarget,
  type DeclaredAnthropicTool,
  type DeclaredFunction,
  type DeclaredMcpTool,
  type DeclaredSchema,
  type DeclaredTool,
  declareTools,
  type LostKeyword,
  type ToolDeclarations,
} from "./schema/declare-tools.ts";

/**
 * Reads an output that is complete, or, with `finished: false`, was cut off. Never throws on model output.
 *
 * @example
 * ```ts
 * const { content, calls, rejected } = parse(output, { format: "hermes", tools });
 * for (const call of calls) await run(call.name, call.arguments);
 * ```
 */
export function parse<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  text: string,
  options: ParseOptions<T, V> = {},
): ParseResult<CallOf<T, V>> {
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
export function createParser<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  options: CreateOptions<T, V> = {},
): Parser<CallOf<T, V>> {
  return createWith(resolve, options);
}

/**
 * The events of a stream of chunks, as they become certain. If the source throws, the reply ends as cut off, the remaining
 * events come, and then the error.
 */
export function parseStream<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  source: AsyncIterable<string> | ReadableStream<string>,
  options: StreamOptions<T, V> = {},
): AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined> {
  return parseStreamWith(resolve, source, options);
}

/** Chunks in, events out: `chunks.pipeThrough(new ToolCallStream({ format: "qwen3-coder", tools }))`. */
export class ToolCallStream<
  const T extends ToolsOption = ToolsOption,
  V extends ValidationOption = undefined,
> extends TransformStream<string, ParserEvent<CallOf<T, V>>> {
  constructor(options: ParserOptions<Format, T, V> = {}) {
    super(transformer(resolve, options));
  }
}
