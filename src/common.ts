/** What the library offers with the registry and without it. */
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
  type TemplateMarks,
  type Variant,
} from "./format.ts";
export type { Input, Waiting } from "./input.ts";
export type { CreateOptions, ParseOptions } from "./parse.ts";
export type { EndOptions, Limits, Parser, ParserOptions } from "./parser.ts";
export { RenderError, type RenderOptions, type Turn } from "./render.ts";
export {
  type ArgumentsValidator,
  type ArgumentsValidatorOptions,
  createArgumentsValidator,
} from "./schema/arguments-validator.ts";
export type { KernelSchema, ParametersSchema, ToolDeclaration } from "./schema/declare.ts";
export { describeProblems } from "./schema/describe-problems.ts";
export type { FromJsonSchema } from "./schema/infer.ts";
export type { Validation } from "./schema/profiles.ts";
export { toolArgumentProblems } from "./schema/tool-argument-problems.ts";
export { type Validated, type ValidateOptions, validateArguments } from "./schema/validate-arguments.ts";
export { type KernelCall, ToolCallError, validateToolCall } from "./schema/validate-tool-call.ts";
export { headerJson } from "./shapes/header-json.ts";
export { jsonInTags } from "./shapes/json-in-tags.ts";
export { bareCalls, type ParameterTags, wrappedCalls } from "./shapes/parameter-tags.ts";
export type { StreamOptions } from "./stream.ts";
export type { ArgumentsOf, CallOf, ToolsOption, ValidationOption } from "./types.ts";
