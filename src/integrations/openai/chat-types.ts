/**
 * The Chat Completions API as far as it is written here, by hand: nobody has to install a package to have it type-checked.
 * What is written fits the types of the `openai` package.
 */

export type ChatFinishReason = "stop" | "length" | "tool_calls";

export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface ChatToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** The first one of a call has everything, with empty arguments; the others have a piece of the arguments. */
export interface ChatToolCallDelta {
  index: number;
  id?: string;
  type?: "function";
  function: { name?: string; arguments: string };
}

export interface ChatDelta {
  role?: "assistant";
  content?: string | null;
  /** The thoughts, under the name that llama.cpp, vLLM, SGLang and DeepSeek use. */
  reasoning_content?: string;
  tool_calls?: ChatToolCallDelta[];
}

export interface ChatChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  /** Empty in the chunk that has the usage. */
  choices: { index: number; delta: ChatDelta; finish_reason: ChatFinishReason | null }[];
  usage?: ChatUsage;
}

export interface ChatMessage {
  role: "assistant";
  /** Null where there are calls and no text. */
  content: string | null;
  refusal: null;
  reasoning_content?: string;
  tool_calls?: ChatToolCall[];
}

export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: { index: number; message: ChatMessage; logprobs: null; finish_reason: ChatFinishReason }[];
  usage?: ChatUsage;
}
