import type { ParserOptions } from "../../parser.ts";
import { readDeclaration, type ToolDeclaration } from "../../schema/declare.ts";
import { declareTools } from "../../schema/declare-tools.ts";
import type { ChatRequest, Message, Sampling, ToolChoice } from "./types.ts";

/** A request, by who gets what. */
export interface Parts {
  messages: readonly Message[];
  model: string | undefined;
  signal: AbortSignal | undefined;
  /** Options of the parser; `tools` are those that are offered. */
  parser: ParserOptions;
  /** For `/apply-template`, besides the messages. */
  template: Record<string, unknown>;
  /** For `/completion`, besides the prompt. */
  sampling: Sampling;
}

/** @throws {TypeError} for a malformed declaration of a tool, or two tools of one name. */
export function partsOf(request: ChatRequest): Parts {
  const { messages, model, signal, tools: given, toolChoice, ...others } = request;
  const { format, validation, prefill, repair, generateId, stopOnProblem, limits, ...fields } = others;
  const { chat_template_kwargs, reasoning_effort, parallel_tool_calls, continue_final_message, ...sampling } = fields;
  const tools = offered(given, toolChoice);
  return {
    messages,
    model,
    signal,
    parser: { format, validation, prefill, repair, generateId, stopOnProblem, limits, tools },
    template: {
      ...(model === undefined ? {} : { model }),
      ...(tools === undefined || tools.length === 0 ? {} : { tools: declareTools(tools, "llama.cpp").tools }),
      ...(toolChoice === undefined ? {} : { tool_choice: typeof toolChoice === "string" ? toolChoice : "required" }),
      ...{ chat_template_kwargs, reasoning_effort, parallel_tool_calls, continue_final_message },
    },
    sampling,
  };
}

/** The server's template knows no choice of one tool by name: then only that one is offered. */
function offered(
  tools: readonly ToolDeclaration[] | undefined,
  choice: ToolChoice | undefined,
): readonly ToolDeclaration[] | undefined {
  if (choice === "none") return [];
  if (tools === undefined || typeof choice !== "object") return tools;
  return tools.filter((tool, position) => readDeclaration(tool, position).name === choice.function.name);
}
