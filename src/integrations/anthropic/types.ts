/** Anthropic's Messages API as far as it is written here, by hand. What is written fits the types of `@anthropic-ai/sdk`. */

export interface AnthropicUsage {
  input_tokens: number;
  output_tokens: number;
}

export type AnthropicStopReason = "end_turn" | "tool_use" | "max_tokens";

export type AnthropicBlock =
  | { type: "text"; text: string; citations: null }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

export interface AnthropicMessage {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: AnthropicBlock[];
  stop_reason: AnthropicStopReason | null;
  stop_sequence: null;
  usage: AnthropicUsage;
}

export type AnthropicDelta =
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "input_json_delta"; partial_json: string };

/** An event of a message's stream; the SSE event has the name of its type. */
export type AnthropicEvent =
  | { type: "message_start"; message: AnthropicMessage }
  | { type: "content_block_start"; index: number; content_block: AnthropicBlock }
  | { type: "content_block_delta"; index: number; delta: AnthropicDelta }
  | { type: "content_block_stop"; index: number }
  | {
      type: "message_delta";
      delta: { stop_reason: AnthropicStopReason; stop_sequence: null };
      usage: AnthropicUsage;
    }
  | { type: "message_stop" };
