/**
 * The library without the registry, for people who bring their own few formats: `format` is then a value, imported from
 * `tool-call-parser/formats/…` or made with `defineFormat`.
 */
import type { ParserEvent } from "./events.ts";
import { onlyValues, type ParserOptions } from "./parser.ts";
import { parseStreamWith, type StreamOptions, transformer } from "./stream.ts";

export type { Argument } from "./argument.ts";
export { type Bracketed, bracketed } from "./bracketed.ts";
export type { Call, Calls } from "./calls.ts";
export type * from "./events.ts";
export {
  type Bare,
  type CallInThought,
  defineFormat,
  type Format,
  type FormatDeclaration,
  type Reading,
  type ReasoningTags,
  type Variant,
} from "./format.ts";
export { type CreateOptions, createParser, type ParseOptions, parse } from "./parse.ts";
export type { EndOptions, Limits, Parser, ParserOptions } from "./parser.ts";
export { RenderError, type RenderOptions, type Turn } from "./render.ts";
export type { ToolDeclaration } from "./schema/declare.ts";
export type { Validation } from "./schema/profiles.ts";
export { headerJson } from "./shapes/header-json.ts";
export { jsonInTags } from "./shapes/json-in-tags.ts";
export type { StreamOptions } from "./stream.ts";

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
