/** The Responses API as far as it is written here, by hand. What is written fits the types of the `openai` package. */

export type ItemStatus = "in_progress" | "completed" | "incomplete";

export interface ReasoningItem {
  id: string;
  type: "reasoning";
  summary: never[];
  content: ReasoningPart[];
  status: ItemStatus;
}

export interface MessageItem {
  id: string;
  type: "message";
  role: "assistant";
  content: TextPart[];
  status: ItemStatus;
}

export interface FunctionCallItem {
  id: string;
  type: "function_call";
  call_id: string;
  name: string;
  arguments: string;
  status: ItemStatus;
}

export interface TextPart {
  type: "output_text";
  text: string;
  annotations: never[];
  logprobs: never[];
}

export interface ReasoningPart {
  type: "reasoning_text";
  text: string;
}

export type ResponseItem = ReasoningItem | MessageItem | FunctionCallItem;

export interface ResponseUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export interface ResponseObject {
  id: string;
  object: "response";
  created_at: number;
  status: ItemStatus;
  error: null;
  incomplete_details: { reason: "max_output_tokens" } | null;
  instructions: string | null;
  metadata: Record<string, string> | null;
  model: string;
  output: ResponseItem[];
  output_text: string;
  parallel_tool_calls: boolean;
  temperature: number | null;
  tool_choice: "auto" | "none" | "required";
  tools: never[];
  top_p: number | null;
  usage?: ResponseUsage;
}

/** Where an event belongs. */
interface InItem {
  item_id: string;
  output_index: number;
}

interface InPart extends InItem {
  content_index: number;
}

type Body =
  | {
      type: "response.created" | "response.in_progress" | "response.completed" | "response.incomplete";
      response: ResponseObject;
    }
  | { type: "response.output_item.added" | "response.output_item.done"; output_index: number; item: ResponseItem }
  | ({ type: "response.content_part.added" | "response.content_part.done"; part: TextPart | ReasoningPart } & InPart)
  | ({ type: "response.output_text.delta"; delta: string; logprobs: never[] } & InPart)
  | ({ type: "response.output_text.done"; text: string; logprobs: never[] } & InPart)
  | ({ type: "response.reasoning_text.delta"; delta: string } & InPart)
  | ({ type: "response.reasoning_text.done"; text: string } & InPart)
  | ({ type: "response.function_call_arguments.delta"; delta: string } & InItem)
  | ({ type: "response.function_call_arguments.done"; name: string; arguments: string } & InItem);

/** An event of a response's stream; the SSE event has the name of its type. */
export type ResponseEvent = Body & { sequence_number: number };
/** An event before it is numbered. */
export type ResponseEventBody = Body;
