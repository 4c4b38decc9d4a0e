/** The library and Anthropic's Messages API: events to the events of a message, and to the message. */
import type { Finish, ParseResult, ParserEvent, RejectedCall } from "../events.ts";
import type {
  AnthropicBlock,
  AnthropicDelta,
  AnthropicEvent,
  AnthropicMessage,
  AnthropicStopReason,
  AnthropicUsage,
} from "./anthropic/types.ts";
import { newId, usageOf } from "./reply/about.ts";
import { type Step, Steps } from "./reply/steps.ts";

export type * from "./anthropic/types.ts";

type Handling = "drop" | "text";

export interface AnthropicOptions {
  model: string;
  /** Default: a random one. */
  id?: string | undefined;
  /** How long the prompt was, where that is known at the start: `message_start` says it. Default 0. */
  inputTokens?: number | undefined;
  /** Asked, where it is a function, when the reply is over. */
  usage?: AnthropicUsage | (() => AnthropicUsage | null | undefined) | undefined;
  /** What becomes of rejected calls: they are left out (`"drop"`, the default), or go out as text. */
  onRejected?: Handling | ((call: RejectedCall) => Handling | undefined) | undefined;
  /**
   * Keep a call back until it is complete and valid. Default true: clients complete the JSON of a cut input and cannot tell that
   * call from a whole one. False: inputs go out as they are written, and a client is told of a rejected one by an input
   * that it cannot read.
   */
  holdCalls?: boolean | undefined;
}

/**
 * A reply's events as those of a message: a block for each thought, each text and each call, in the order in which they were
 * written. Thoughts have an empty signature.
 * @throws what the source throws, after the events of what came before it.
 * @example
 * ```ts
 * for await (const event of toAnthropicEvents(parseStream(output, { tools }), { model: "qwen3-8b" })) {
 *   write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
 * }
 * ```
 */
export async function* toAnthropicEvents(
  events: AsyncIterable<ParserEvent>,
  options: AnthropicOptions,
): AsyncGenerator<AnthropicEvent, void, undefined> {
  const map = anthropicEventMapper(options);
  for await (const event of events) yield* map(event);
}

/** The same for who is handed one event at a time: returns the events that an event makes, often none. */
export function anthropicEventMapper(options: AnthropicOptions): (event: ParserEvent) => AnthropicEvent[] {
  const started = { input_tokens: options.inputTokens ?? 0, output_tokens: 0 };
  let made: AnthropicEvent[] = [];
  let begun = false;
  let index = -1;
  let open: AnthropicBlock["type"] | null = null;

  const stop = (): void => {
    if (open !== null) made.push({ type: "content_block_stop", index });
    open = null;
  };
  const start = (content_block: AnthropicBlock): void => {
    if (open === content_block.type && open !== "tool_use") return;
    stop();
    open = content_block.type;
    made.push({ type: "content_block_start", index: ++index, content_block });
  };
  const delta = (delta: AnthropicDelta): void => {
    made.push({ type: "content_block_delta", index, delta });
  };
  const steps = new Steps({ ...options, holdCalls: options.holdCalls ?? true, blocks: true }, (step) => {
    if (step.type === "call-end") return stop();
    const block = blockOf(step);
    if (block !== null) start(block);
    if (step.type === "text") delta({ type: "text_delta", text: step.text });
    if (step.type === "reasoning") delta({ type: "thinking_delta", thinking: step.text });
    if (step.type === "arguments") delta({ type: "input_json_delta", partial_json: step.text });
  });

  return (event) => {
    made = [];
    if (!begun) made.push({ type: "message_start", message: messageOf(options, [], null, started) });
    begun = true;
    steps.take(event);
    if (event.type === "finish") {
      stop();
      const stop_reason = reasonOf(steps, event.finish);
      const usage = usageOf(options.usage) ?? started;
      made.push(
        { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
        { type: "message_stop" },
      );
    }
    return made;
  };
}

/** A whole reply as a message: what a request that does not stream gets. Texts and thoughts are one block each. */
export function toAnthropicMessage(result: ParseResult, options: AnthropicOptions): AnthropicMessage {
  const { content: text, reasoning: thinking, calls, rejected } = result;
  const blocks: AnthropicBlock[] = [];
  const steps = new Steps({ ...options, holdCalls: true, blocks: true }, (step) => {
    const block = blockOf(step);
    const last = blocks.at(-1);
    if (block !== null && (last?.type !== block.type || block.type === "tool_use")) blocks.push(block);
    const filled = blocks.at(-1);
    if (step.type === "text" && filled?.type === "text") filled.text += step.text;
    if (step.type === "reasoning" && filled?.type === "thinking") filled.thinking += step.text;
    if (step.type === "arguments" && filled?.type === "tool_use") filled.input = JSON.parse(step.text);
  });
  if (thinking !== "") steps.take({ type: "reasoning-delta", text: thinking });
  if (text !== "") steps.take({ type: "text-delta", text });
  for (const call of [...rejected].sort((a, b) => a.index - b.index)) steps.take({ type: "tool-call-rejected", call });
  for (const call of calls) steps.take({ type: "tool-call", call });
  return messageOf(options, blocks, reasonOf(steps, result.finish), usageOf(options.usage));
}

/** The block that a step begins, still empty. */
function blockOf(step: Step): AnthropicBlock | null {
  if (step.type === "text") return { type: "text", text: "", citations: null };
  if (step.type === "reasoning") return { type: "thinking", thinking: "", signature: "" };
  if (step.type === "call") return { type: "tool_use", id: step.id, name: step.name, input: {} };
  return null;
}

function messageOf(
  { model, id = newId("msg_"), inputTokens = 0 }: AnthropicOptions,
  content: AnthropicBlock[],
  stop_reason: AnthropicStopReason | null,
  usage: AnthropicUsage = { input_tokens: inputTokens, output_tokens: 0 },
): AnthropicMessage {
  return { id, type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage };
}

function reasonOf(steps: Steps, finish: Finish): AnthropicStopReason {
  const reason = steps.reason(finish);
  return reason === "length" ? "max_tokens" : reason === "tool_calls" ? "tool_use" : "end_turn";
}
