import type { ParseResult } from "../../events.ts";
import { newId, now, usageOf } from "../reply/about.ts";
import type { CallHandling } from "../reply/rejected.ts";
import { type Step, Steps } from "../reply/steps.ts";
import type { ChatOptions } from "./chat-chunks.ts";
import type { ChatCompletion, ChatFinishReason, ChatMessage, ChatToolCall } from "./chat-types.ts";

/**
 * A whole reply as the message of a chat completion. Rejected calls that go out as text stand behind the content.
 * @example
 * ```ts
 * const message = toChatMessage(parse(output, { format: "hermes", tools }));
 * for (const call of message.tool_calls ?? []) console.log(call.function.name, call.function.arguments);
 * ```
 */
export function toChatMessage(result: ParseResult, options: Pick<CallHandling, "onRejected"> = {}): ChatMessage {
  return replyOf(result, options).message;
}

/** A whole reply as a chat completion with one choice: what a request that does not stream gets. */
export function toChatCompletion(result: ParseResult, options: ChatOptions): ChatCompletion {
  const { model, id = newId("chatcmpl-"), created = now(), choice = 0 } = options;
  const { message, finish_reason } = replyOf(result, options);
  const usage = usageOf(options.usage);
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: choice, message, logprobs: null, finish_reason }],
    ...(usage === undefined ? {} : { usage }),
  };
}

function replyOf(
  result: ParseResult,
  { onRejected }: CallHandling,
): { message: ChatMessage; finish_reason: ChatFinishReason } {
  const message = new MessageParts();
  // the events of a stream in which every call comes in one piece
  const steps = new Steps({ onRejected, holdCalls: true }, (step) => message.add(step));
  if (result.reasoning !== "") steps.take({ type: "reasoning-delta", text: result.reasoning });
  if (result.content !== "") steps.take({ type: "text-delta", text: result.content });
  const calls = [
    ...result.calls.map((call) => ({ type: "tool-call", call }) as const),
    ...result.rejected.map((call) => ({ type: "tool-call-rejected", call }) as const),
  ].sort((a, b) => a.call.index - b.call.index);
  for (const event of calls) steps.take(event);
  steps.finish();
  return { message: message.whole(), finish_reason: steps.reason(result.finish) };
}

/** Puts steps together into a message. */
class MessageParts {
  private content = "";
  private reasoning = "";
  private readonly calls: ChatToolCall[] = [];

  add(step: Step): void {
    if (step.type === "text") this.content += step.text;
    else if (step.type === "reasoning") this.reasoning += step.text;
    else if (step.type === "call") {
      this.calls.push({ id: step.id, type: "function", function: { name: step.name, arguments: "" } });
    } else if (step.type === "arguments") {
      const call = this.calls[step.position];
      if (call !== undefined) call.function.arguments += step.text;
    }
  }

  whole(): ChatMessage {
    const { content, reasoning, calls } = this;
    return {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }
}
