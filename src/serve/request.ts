import type { ToolDeclaration } from "../schema/declare.ts";
import { isObject } from "../schema/value.ts";
import { Failure } from "./failure.ts";
import type { ChatMessageLike } from "./types.ts";

/** A request for a chat completion, as it came, and what is looked at. */
export interface ChatBody {
  /** All fields. */
  fields: Readonly<Record<string, unknown>>;
  messages: readonly ChatMessageLike[];
  model: string | undefined;
  /** Empty where none are offered. */
  tools: readonly ToolDeclaration[];
  stream: boolean;
  includeUsage: boolean;
  /** How many choices. */
  n: number;
  /** At most one call is wanted. */
  single: boolean;
}

/** Each choice is a request of its own. */
const MOST_CHOICES = 16;

/** @throws {Failure} 400. */
export function readChatBody(bytes: Uint8Array): ChatBody {
  const fields = objectIn(bytes);
  const { messages, model, tools, tool_choice: choice, stream, stream_options: streaming, n } = fields;
  if (!Array.isArray(messages) || !messages.every(isObject)) throw wrong("messages", "must be a list of messages");
  if (messages.length === 0) throw wrong("messages", "must not be empty");
  if (isGiven(model) && typeof model !== "string") throw wrong("model", "must be a string");
  if (isGiven(tools) && !(Array.isArray(tools) && tools.every(isObject)))
    throw wrong("tools", "must be a list of tools");
  if (isGiven(stream) && typeof stream !== "boolean") throw wrong("stream", "must be true or false");
  if (isGiven(n) && !(Number.isInteger(n) && (n as number) >= 1 && (n as number) <= MOST_CHOICES)) {
    throw wrong("n", `must be an integer from 1 to ${MOST_CHOICES}`);
  }
  return {
    fields,
    messages: messages as ChatMessageLike[],
    model: typeof model === "string" && model !== "" ? model : undefined,
    tools: choice === "none" || !Array.isArray(tools) ? [] : (tools as ToolDeclaration[]),
    stream: stream === true,
    includeUsage: isObject(streaming) && streaming.include_usage === true,
    n: isGiven(n) ? (n as number) : 1,
    single: fields.parallel_tool_calls === false,
  };
}

function objectIn(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new Failure(400, `The body of the request is not valid JSON: ${(error as Error).message}.`);
  }
  if (isObject(value)) return value;
  throw new Failure(400, "The body of the request must be a JSON object.");
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function wrong(param: string, what: string): Failure {
  return new Failure(400, `"${param}" ${what}.`, { param, code: "invalid_value" });
}
