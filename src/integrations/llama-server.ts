import type { ParserOptions } from "../parser.ts";
import { resolve } from "../registry.ts";
import type { CallOf, ToolsOption, ValidationOption } from "../types.ts";
import { chatEvents } from "./llama-server/chat.ts";
import { Connection } from "./llama-server/connection.ts";
import { Models } from "./llama-server/model.ts";
import { type ChatReply, Reply } from "./llama-server/reply.ts";
import { partsOf } from "./llama-server/request.ts";
import type { ChatRequest, LlamaServerOptions } from "./llama-server/types.ts";

export { readChatStream } from "./llama-server/chat-stream.ts";
export { type CompletionInfo, readCompletionStream, type ServerStreamOptions } from "./llama-server/completion.ts";
export { LlamaServerError, type LlamaServerErrorKind } from "./llama-server/error.ts";
export { messagesOf } from "./llama-server/history.ts";
export type { ChatReply } from "./llama-server/reply.ts";
export type { ServerStream } from "./llama-server/sse.ts";
export type * from "./llama-server/types.ts";

/** A llama.cpp server whose raw output is read here. */
export interface LlamaServer<D extends ValidationOption = ValidationOption> {
  /**
   * The reply to a conversation: iterate it for the events, or ask for its `result()`.
   * @throws {RangeError} for an unknown format, {TypeError} for a malformed declaration of a tool: at once. The iteration
   * throws `LlamaServerError`.
   */
  chat<const T extends ToolsOption = ToolsOption, V extends ValidationOption = D>(
    request: ChatRequest<T, V>,
  ): ChatReply<CallOf<T, V>>;
  /** The format that a model of this server writes, by its chat template; `"auto"` where that does not tell. */
  detectFormat(options?: { model?: string | undefined; signal?: AbortSignal | undefined }): Promise<string>;
}

/**
 * Talks to a llama.cpp server, and does the parsing here: the server applies the chat template and generates, and its raw
 * text is read by the model's format, which its chat template tells.
 * @param options Where the server is, and options of a parser for all chats.
 * @throws {RangeError} for an unknown format.
 * @example
 * ```ts
 * const server = createLlamaServer({ baseUrl: "http://127.0.0.1:8080" });
 * const reply = server.chat({ messages: [{ role: "user", content: "How high is the tide?" }], tools, temperature: 0 });
 * for await (const event of reply) if (event.type === "text-delta") process.stdout.write(event.text);
 * const { calls } = await reply.result();
 * ```
 */
export function createLlamaServer<D extends ValidationOption = undefined>(
  options: LlamaServerOptions<D> = {},
): LlamaServer<D> {
  const { baseUrl, apiKey, headers, fetch, ...reading } = options;
  if (reading.format !== undefined) resolve(reading.format);
  const connection = new Connection({ baseUrl, apiKey, headers, fetch });
  const models = new Models(connection);
  return {
    chat(request) {
      const parts = partsOf({ ...(reading as ParserOptions), ...defined(request) } as ChatRequest);
      if (parts.parser.format !== undefined) resolve(parts.parser.format);
      return new Reply((onEnd) => chatEvents(connection, models, parts, onEnd)) as ChatReply as ChatReply<never>;
    },
    detectFormat: ({ model, signal } = {}) => models.format(model, signal),
  };
}

/** What is undefined is not given. */
function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
