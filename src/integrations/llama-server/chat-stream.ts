import type { ParserEvent } from "../../events.ts";
import type { CallOf, ToolsOption, ValidationOption } from "../../types.ts";
import { ChatReader } from "./chat-reader.ts";
import type { ServerStreamOptions } from "./completion.ts";
import { drive, Outbox } from "./drive.ts";
import type { ServerStream } from "./sse.ts";

/**
 * The events of an answer of `/v1/chat/completions`, streamed or not, of a llama.cpp server or another one. Its calls are
 * held against their tools like any others; its thoughts are taken as they are; its content is read again, since calls
 * that the server did not recognise are stuck there. Of an answer with several choices the first is read.
 *
 * The offsets count in what the server sent, put together: thoughts, content, and of calls the arguments.
 * @throws {LlamaServerError} where the server refuses, the connection is lost or the signal aborts, after what was certain.
 * @throws {RangeError} for an unknown format, {TypeError} for a malformed declaration of a tool: at once.
 * @example
 * ```ts
 * const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ messages, tools, stream: true }) });
 * for await (const event of readChatStream(response, { format: "hermes", tools })) console.log(event);
 * ```
 */
export function readChatStream<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  source: ServerStream,
  options: ServerStreamOptions<T, V> = {},
): AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined> {
  const outbox = new Outbox();
  const reader = new ChatReader(options as ServerStreamOptions, outbox.put);
  return drive(source, options.signal, reader, outbox) as AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined>;
}
