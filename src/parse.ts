import type { ParseResult, ParserEvent } from "./events.ts";
import { onlyValues, type Parser, type ParserOptions, type Resolve, StreamParser } from "./parser.ts";

export type ParseOptions = ParserOptions & { finished?: boolean | undefined };
export type CreateOptions = ParserOptions & { onEvent?: ((event: ParserEvent) => void) | undefined };

/** `parse` for formats that `resolve` knows. */
export function parseWith(resolve: Resolve, text: string, options: ParseOptions): ParseResult {
  const parser = new StreamParser(options, resolve);
  parser.feed(text);
  return parser.end({ finished: options.finished });
}

/**
 * Reads an output that is complete, or, with `finished: false`, was cut off. The same code reads streams.
 *
 * This is the core's form: `format` is a format, not a name.
 */
export function parse(text: string, options: ParseOptions): ParseResult {
  return parseWith(onlyValues, text, options);
}

/** A parser for one reply, to be fed chunk by chunk. This is the core's form: `format` is a format, not a name. */
export function createParser(options: CreateOptions): Parser {
  return new StreamParser(options, onlyValues);
}
