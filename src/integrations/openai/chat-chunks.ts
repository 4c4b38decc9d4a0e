import type { ParserEvent } from "../../events.ts";
import { newId, now, usageOf } from "../reply/about.ts";
import type { CallHandling } from "../reply/rejected.ts";
import { type Step, Steps } from "../reply/steps.ts";
import type { ChatChunk, ChatDelta, ChatFinishReason, ChatUsage } from "./chat-types.ts";

export interface ChatOptions extends CallHandling {
  model: string;
  /** Default: a random one. */
  id?: string | undefined;
  /** Unix time in seconds. Default: now. */
  created?: number | undefined;
  /** Which choice this is, where a request asked for several. Default 0. */
  choice?: number | undefined;
  /** Asked, where it is a function, when the reply is over. */
  usage?: ChatUsage | (() => ChatUsage | null | undefined) | undefined;
}

/**
 * A reply's events as the chunks of a chat completion: the first has the role, the first of each call has its id and name and
 * empty arguments, the last has the `finish_reason`; one more, without choices, has the usage where there is any.
 * @throws what the source throws, after the chunks of what came before it.
 * @example
 * ```ts
 * const events = parseStream(output, { format: "hermes", tools });
 * for await (const chunk of toChatChunks(events, { model: "qwen3-8b" })) write(`data: ${JSON.stringify(chunk)}\n\n`);
 * write("data: [DONE]\n\n");
 * ```
 */
export async function* toChatChunks(
  events: AsyncIterable<ParserEvent>,
  options: ChatOptions,
): AsyncGenerator<ChatChunk, void, undefined> {
  const map = chatChunkMapper(options);
  for await (const event of events) yield* map(event);
}

/**
 * The same for who is handed one event at a time: returns the chunks that an event makes, often none.
 * @example
 * ```ts
 * const map = chatChunkMapper({ model: "qwen3-8b" });
 * const parser = createParser({ tools, onEvent: (event) => map(event).forEach(send) });
 * ```
 */
export function chatChunkMapper(options: ChatOptions): (event: ParserEvent) => ChatChunk[] {
  const { model, id = newId("chatcmpl-"), created = now(), choice = 0 } = options;
  const about = { id, object: "chat.completion.chunk", created, model } as const;
  let chunks: ChatChunk[] = [];
  let begun = false;

  const add = (delta: ChatDelta, finish_reason: ChatFinishReason | null = null): void => {
    chunks.push({ ...about, choices: [{ index: choice, delta, finish_reason }] });
  };
  const begin = (content: string | null): void => {
    if (!begun) add({ role: "assistant", content });
    begun = true;
  };
  const steps = new Steps(options, (step) => {
    begin(step.type === "text" ? "" : null);
    const delta = chatDelta(step);
    if (delta !== null) add(delta);
  });

  return (event) => {
    chunks = [];
    steps.take(event);
    if (event.type === "finish") {
      begin("");
      add({}, steps.reason(event.finish));
      const usage = usageOf(options.usage);
      if (usage !== undefined) chunks.push({ ...about, choices: [], usage });
    }
    return chunks;
  };
}

/** A step as a delta; the end of a call has none. */
export function chatDelta(step: Step): ChatDelta | null {
  switch (step.type) {
    case "text":
      return { content: step.text };
    case "reasoning":
      return { reasoning_content: step.text };
    case "call": {
      const { position, id, name } = step;
      return { tool_calls: [{ index: position, id, type: "function", function: { name, arguments: "" } }] };
    }
    case "arguments":
      return { tool_calls: [{ index: step.position, function: { arguments: step.text } }] };
    case "call-end":
      return null;
  }
}
