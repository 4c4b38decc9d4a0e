import type { ParseResult, ParserEvent } from "./events.ts";
import type { Format } from "./format.ts";
import { onlyValues, type Parser, type ParserOptions, type Resolve, StreamParser } from "./parser.ts";
import type { CallOf, ToolsOption, ValidationOption } from "./types.ts";

export type ParseOptions<
  T extends ToolsOption = ToolsOption,
  V extends ValidationOption = ValidationOption,
> = ParserOptions<Format, T, V> & { finished?: boolean | undefined };
export type CreateOptions<
  T extends ToolsOption = ToolsOption,
  V extends ValidationOption = ValidationOption,
> = ParserOptions<Format, T, V> & { onEvent?: ((event: ParserEvent<CallOf<T, V>>) => void) | undefined };

/** `parse` for formats that `resolve` knows. */
export function parseWith<T extends ToolsOption, V extends ValidationOption>(
  resolve: Resolve,
  text: string,
  options: ParseOptions<T, V>,
): ParseResult<CallOf<T, V>> {
  const parser = createWith(resolve, options);
  parser.feed(text);
  return parser.end({ finished: options.finished });
}

/** `createParser` for formats that `resolve` knows. */
export function createWith<T extends ToolsOption, V extends ValidationOption>(
  resolve: Resolve,
  options: CreateOptions<T, V>,
): Parser<CallOf<T, V>> {
  return new StreamParser(options as CreateOptions, resolve) as Parser as Parser<CallOf<T, V>>;
}

/**
 * Reads an output that is complete, or, with `finished: false`, was cut off. The same code reads streams.
 *
 * This is the core's form: `format` is a format, not a name.
 */
export function parse<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  text: string,
  options: ParseOptions<T, V>,
): ParseResult<CallOf<T, V>> {
  return parseWith(onlyValues, text, options);
}

/** A parser for one reply, to be fed chunk by chunk. This is the core's form: `format` is a format, not a name. */
export function createParser<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  options: CreateOptions<T, V>,
): Parser<CallOf<T, V>> {
  return createWith(onlyValues, options);
}
