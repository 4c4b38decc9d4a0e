import type { ParseResult, ToolCall } from "../../events.ts";
import type { Format } from "../../format.ts";
import type { ParserOptions } from "../../parser.ts";
import type { ToolsOption, ValidationOption } from "../../types.ts";
import type { CompletionInfo } from "./completion.ts";
import type { LlamaServerError } from "./error.ts";

/** A call in a message of the conversation. */
export interface MessageToolCall {
  id?: string | null | undefined;
  type?: "function" | undefined;
  /** Arguments that cannot be read, such as those of a call that was cut off, are sent as `{}`. */
  function: { name: string; arguments?: string | Readonly<Record<string, unknown>> | null | undefined };
}

/** A message of the conversation, as in OpenAI's chat completions. Further fields are sent as they are. */
export interface Message {
  role: string;
  content?: string | readonly object[] | object | null | undefined;
  reasoning_content?: string | null | undefined;
  tool_calls?: readonly MessageToolCall[] | null | undefined;
  tool_call_id?: string | null | undefined;
  name?: string | null | undefined;
  [field: string]: unknown;
}

/** `required` and a name are told to the template; the model is not forced: that takes a `grammar`. */
export type ToolChoice = "auto" | "none" | "required" | { type?: "function"; function: { name: string } };

/** Fields of the chat template, which go to `/apply-template`. */
export interface TemplateOptions {
  chat_template_kwargs?: Readonly<Record<string, unknown>> | undefined;
  reasoning_effort?: string | undefined;
  parallel_tool_calls?: boolean | undefined;
  continue_final_message?: boolean | undefined;
}

/** Fields of `/completion`, under the server's names: any of them, not only these. */
export interface Sampling {
  temperature?: number | undefined;
  top_k?: number | undefined;
  top_p?: number | undefined;
  min_p?: number | undefined;
  seed?: number | undefined;
  /** The most tokens to be generated. */
  n_predict?: number | undefined;
  /** Stop strings besides those of the format. */
  stop?: readonly string[] | undefined;
  grammar?: string | undefined;
  json_schema?: object | undefined;
  cache_prompt?: boolean | undefined;
  /** Tokens that keep their text besides those of the format. */
  preserved_tokens?: readonly string[] | undefined;
  [field: string]: unknown;
}

/** Options of a parser that can be given for all chats or for one. */
export type ReadingOptions<V extends ValidationOption = ValidationOption> = Omit<
  ParserOptions<Format, ToolsOption, V>,
  "tools" | "prefill"
>;

export interface LlamaServerOptions<V extends ValidationOption = ValidationOption> extends ReadingOptions<V> {
  /** Where the server listens (default `http://127.0.0.1:8080`), with its `--api-prefix` if it has one. */
  baseUrl?: string | undefined;
  /** The server's `--api-key`. */
  apiKey?: string | undefined;
  /** Further headers of each request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Default: that of the platform. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** A request: the conversation, the tools, options of a parser, and the server's own fields for sampling and template. */
export interface ChatRequest<T extends ToolsOption = ToolsOption, V extends ValidationOption = ValidationOption>
  extends ParserOptions<Format, T, V>,
    TemplateOptions,
    Sampling {
  messages: readonly Message[];
  toolChoice?: ToolChoice | undefined;
  /** Which model, where the server has several. */
  model?: string | undefined;
  /** Aborting ends the reading, and the generation with it. */
  signal?: AbortSignal | undefined;
}

/** The result of a chat. */
export interface ChatResult<Call extends ToolCall = ToolCall> extends ParseResult<Call> {
  /** What the server says of the completion; null where its last event did not come. */
  completion: CompletionInfo | null;
  /** Why the output was cut off, where it was not the server that ended it. */
  error: LlamaServerError | null;
}
