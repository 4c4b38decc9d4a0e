import type { Format } from "../../format.ts";
import { RenderError, type Turn } from "../../render.ts";
import type { ToolDeclaration } from "../../schema/declare.ts";
import { isObject } from "../../schema/value.ts";
import type { PromptMessage, PromptPart } from "./types.ts";

/** The result of a call, to be written into the prompt. */
export interface ToolResult {
  toolCallId: string;
  toolName: string;
  text: string;
  isError: boolean;
}

/** The notation of Hermes and Qwen, which other models understand as well. */
export function toolResponse({ text }: ToolResult): string {
  return `<tool_response>\n${text}\n</tool_response>`;
}

interface CallPart extends PromptPart {
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

interface ResultPart extends PromptPart {
  toolCallId: string;
  toolName: string;
  output: { type: string; value?: unknown; reason?: string | undefined };
}

/** Calls and results of earlier turns as text, for a provider that has text only. */
export function historyAsText(
  prompt: readonly PromptMessage[],
  format: Format,
  tools: readonly ToolDeclaration[],
  renderResult: (result: ToolResult) => string,
): PromptMessage[] {
  return prompt.flatMap((message) => {
    if (typeof message.content === "string") return [message];
    if (message.role === "assistant") return [{ ...message, content: assistantParts(message.content, format, tools) }];
    if (message.role !== "tool") return [message];
    const results = message.content.filter((part): part is ResultPart => part.type === "tool-result");
    if (results.length === 0) return [];
    const text = results.map((part) => renderResult(resultOf(part))).join("\n");
    return [{ ...message, role: "user", content: [textPart(text)] }];
  });
}

function assistantParts(parts: readonly PromptPart[], format: Format, tools: readonly ToolDeclaration[]): PromptPart[] {
  const calls = parts.filter(isOwnCall);
  if (calls.length === 0) return [...parts];
  const texts = parts.filter((part): part is PromptPart & { text: string } => part.type === "text");
  const turn: Turn = {
    content: texts.map(({ text }) => text).join(""),
    calls: calls.map(({ toolName, input }) => ({ name: toolName, arguments: isObject(input) ? { ...input } : {} })),
  };
  const others = parts.filter((part) => part.type !== "text" && !isOwnCall(part));
  return [...others, textPart(write(format, turn, tools))];
}

function isOwnCall(part: PromptPart): part is CallPart {
  return part.type === "tool-call" && (part as CallPart).providerExecuted !== true;
}

function textPart(text: string): PromptPart & { text: string } {
  return { type: "text", text };
}

/** History is read by a model, and never by a parser: what reads back differently is still the best that can be said. */
function write(format: Format, turn: Turn, tools: readonly ToolDeclaration[]): string {
  try {
    return format.render(turn, { tools });
  } catch (error) {
    if (error instanceof RenderError) return error.text;
    throw error;
  }
}

function resultOf({ toolCallId, toolName, output }: ResultPart): ToolResult {
  return { toolCallId, toolName, text: textOf(output), isError: /^(error|execution-denied)/.test(output.type) };
}

function textOf({ type, value, reason }: ResultPart["output"]): string {
  if (type === "execution-denied") return reason ?? "The execution was denied.";
  if (type === "content" && Array.isArray(value)) {
    return value.map((part: PromptPart & { text?: string }) => part.text ?? `[${part.type}]`).join("\n");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
