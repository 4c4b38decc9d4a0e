import type { ParseResult, RejectedCall, ToolCall } from "../../events.ts";
import { describeProblems } from "../../schema/describe-problems.ts";
import { isObject } from "../../schema/value.ts";
import type { Message, MessageToolCall } from "./types.ts";

/**
 * The messages that a reply adds to the conversation: what the model said, and for each call that was rejected what is
 * wrong with it, as that call's result. The results of the valid calls are yours to add.
 * @example
 * ```ts
 * messages.push(...messagesOf(result));
 * for (const call of result.calls) messages.push({ role: "tool", tool_call_id: call.id, content: await run(call) });
 * ```
 */
export function messagesOf(result: ParseResult): Message[] {
  const rejected = result.rejected.filter(isNamed);
  const calls = [...result.calls, ...rejected].sort((a, b) => a.index - b.index);
  return [
    {
      role: "assistant",
      content: result.content,
      ...(result.reasoning === "" ? {} : { reasoning_content: result.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
    },
    ...rejected.map((call) => ({
      role: "tool",
      tool_call_id: idOf(call),
      name: call.name,
      content: describeProblems(call),
    })),
  ];
}

function isNamed(call: RejectedCall): call is RejectedCall & { name: string } {
  return call.name !== null;
}

function idOf(call: { id: string | null; index: number }): string {
  return call.id ?? freshId(call.index);
}

/** Arguments that were read are complete JSON, although they are wrong; of others not even a part is sent. */
function toolCall(call: ToolCall | (RejectedCall & { name: string })): MessageToolCall {
  const text = "problems" in call ? JSON.stringify(call.arguments ?? {}) : call.argumentsText;
  return { id: idOf(call), type: "function", function: { name: call.name, arguments: text } };
}

/** Mistral's template refuses all ids but those of nine letters and digits. */
const STRICT_ID = /^[A-Za-z0-9]{9}$/;

function freshId(count: number): string {
  return `call${String(count).padStart(5, "0")}`;
}

/**
 * The conversation in a form that the server and its template accept: content where it is missing, calls with an id and
 * with whole arguments as JSON text, results with the tool's name and as text.
 * @param strictIds Ids must be nine letters and digits.
 */
export function acceptable(messages: readonly Message[], strictIds: boolean): Message[] {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  let count = 0;
  // the ids of calls that came without one, in order: their results name none either
  const unnamed: string[] = [];
  const placed = (id: string): string => {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const made = strictIds && !STRICT_ID.test(id) ? freshId(count) : id;
    ids.set(id, made);
    return made;
  };
  return messages.map((message) => {
    const { content, tool_calls: calls, tool_call_id: id, ...rest } = message;
    if (message.role === "tool") {
      const called = typeof id === "string" && id !== "" ? placed(id) : unnamed.shift();
      const name = message.name ?? (called === undefined ? undefined : names.get(called));
      return { ...rest, content: textOf(content), ...(called && { tool_call_id: called }), ...(name && { name }) };
    }
    if (!Array.isArray(calls) || calls.length === 0) return { ...rest, content: content ?? "" };
    const written = (calls as MessageToolCall[]).map((call) => {
      const { name, arguments: args } = call.function;
      const given = call.id ?? "";
      const made = given === "" ? freshId(count) : placed(given);
      if (given === "") unnamed.push(made);
      names.set(made, name);
      count++;
      return { id: made, type: "function" as const, function: { name, arguments: wholeJson(args) } };
    });
    return { ...rest, content: content ?? "", tool_calls: written };
  });
}

/** Arguments as the text of an object. Templates read it, and what is cut makes them fail, or teaches it to the model. */
function wholeJson(args: MessageToolCall["function"]["arguments"]): string {
  if (isObject(args)) return JSON.stringify(args);
  try {
    // as it was given, since numbers may have more digits than JavaScript keeps
    if (typeof args === "string" && isObject(JSON.parse(args))) return args;
  } catch {
    // cut off, or no JSON
  }
  return "{}";
}

/** A result may be any value; a list of parts is left to the server. */
function textOf(content: Message["content"]): string | readonly object[] {
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.length > 0 && content.every((part) => isObject(part) && "type" in part)) {
    return content;
  }
  return content === undefined || content === null ? "" : JSON.stringify(content);
}
