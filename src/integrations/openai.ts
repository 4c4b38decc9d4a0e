/** The library and OpenAI's APIs: events to chat completions and responses, and the streams of other servers put right. */
export { type ChatOptions, chatChunkMapper, toChatChunks } from "./openai/chat-chunks.ts";
export { toChatCompletion, toChatMessage } from "./openai/chat-message.ts";
export type * from "./openai/chat-types.ts";
export type { DeltaLike, RepairOptions } from "./openai/repair-choice.ts";
export {
  type ChatCompletionLike,
  repairChatCompletion,
  repairChatMessage,
  type WholeChoiceLike,
} from "./openai/repair-message.ts";
export { type ChatChunkLike, type ChoiceLike, repairChatStream } from "./openai/repair-stream.ts";
export { type ResponseOptions, responseEventMapper, toResponseEvents } from "./openai/responses.ts";
export type * from "./openai/responses-types.ts";
export type { CallHandling, RejectedHandling } from "./reply/rejected.ts";
