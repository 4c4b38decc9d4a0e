import type { Message, ToolChoice } from "../integrations/llama-server.ts";
import type { ToolDeclaration } from "../schema/declare.ts";
import { readDeclaration } from "../schema/declare.ts";
import { isObject } from "../schema/value.ts";
import { type ChatBody, isGiven, wrong } from "./request.ts";
import type { ChatMessageLike } from "./types.ts";

/** Read here, or of no meaning to a llama.cpp server. */
const NOT_FOR_UPSTREAM = new Set([
  ..."messages model tools tool_choice stream stream_options n".split(" "),
  ..."max_tokens max_completion_tokens stop logit_bias response_format logprobs top_logprobs".split(" "),
  ..."user store metadata service_tier prediction modalities audio safety_identifier".split(" "),
  // options of our own client, which no request may set
  ..."signal format validation prefill repair generateId stopOnProblem limits toolChoice prompt return_tokens".split(
    " ",
  ),
]);

/** The fields of a request under the names of a llama.cpp server. */
export interface LlamaFields {
  toolChoice: ToolChoice | undefined;
  tools: readonly ToolDeclaration[];
  fields: Record<string, unknown>;
}

/**
 * Whether a request asks for what the raw way cannot carry: pictures and sound, since the prompt is a text; a form of the
 * content, since the raw text has the thoughts and calls in it as well; probabilities of tokens. Those go by the upstream's
 * own chat completions, which are put right.
 */
export function needsChatRoute({ fields, messages }: ChatBody): boolean {
  const { response_format: form, logprobs, modalities } = fields;
  if (isObject(form) && form.type !== "text") return true;
  if (logprobs === true) return true;
  if (Array.isArray(modalities) && modalities.some((one) => one !== "text")) return true;
  return messages.some(({ content }) => Array.isArray(content) && content.some((part) => !isText(part)));
}

function isText(part: unknown): boolean {
  return isObject(part) && (part.type === "text" || part.type === "refusal");
}

/**
 * @param choice Which of several: with a seed each gets one of its own.
 * @throws {Failure} 400.
 */
export function llamaFields(body: ChatBody, choice: number): LlamaFields {
  const { max_completion_tokens, max_tokens, stop, logit_bias, seed, ...others } = body.fields;
  const fields = Object.fromEntries(
    Object.entries(others).filter(([name, value]) => isGiven(value) && !NOT_FOR_UPSTREAM.has(name)),
  );
  const most = max_completion_tokens ?? max_tokens;
  if (isGiven(most)) fields.n_predict = most;
  if (isGiven(stop)) fields.stop = stopsOf(stop);
  if (isGiven(logit_bias)) fields.logit_bias = biasOf(logit_bias);
  if (isGiven(seed)) fields.seed = typeof seed === "number" && seed >= 0 ? seed + choice : seed;
  return { ...choiceOf(body), fields };
}

function stopsOf(stop: unknown): string[] {
  const stops = Array.isArray(stop) ? stop : [stop];
  if (!stops.every((one) => typeof one === "string")) throw wrong("stop", "must be a string, or a list of strings");
  return stops.filter((one) => one !== "");
}

/** Tokens are the keys of an object in OpenAI's API; llama.cpp takes pairs, in all its versions. */
function biasOf(bias: unknown): unknown {
  if (!isObject(bias)) return bias;
  return Object.entries(bias).map(([token, value]) => [/^\d+$/.test(token) ? Number(token) : token, value]);
}

function choiceOf({ fields, tools }: ChatBody): Pick<LlamaFields, "toolChoice" | "tools"> {
  const { tool_choice: choice } = fields;
  if (!isGiven(choice)) return { toolChoice: undefined, tools };
  if (choice === "none") return { toolChoice: choice, tools: [] };
  const names = (): (string | null)[] => tools.map((tool, position) => readDeclaration(tool, position).name);
  if (choice === "auto") return { toolChoice: choice, tools };
  if (choice === "required") {
    if (tools.length === 0) throw wrong("tool_choice", 'is "required", but there are no tools');
    return { toolChoice: choice, tools };
  }
  if (isObject(choice) && isObject(choice.function) && typeof choice.function.name === "string") {
    const { name } = choice.function;
    if (!names().includes(name))
      throw wrong("tool_choice", `names ${JSON.stringify(name)}, which is none of the tools`);
    return { toolChoice: { type: "function", function: { name } }, tools };
  }
  if (isObject(choice) && choice.type === "allowed_tools" && isObject(choice.allowed_tools)) {
    const { mode, tools: allowed } = choice.allowed_tools;
    const listed = new Set((Array.isArray(allowed) ? allowed : []).map((one) => nameIn(one)));
    const known = names();
    return {
      toolChoice: mode === "required" ? "required" : "auto",
      tools: tools.filter((_, position) => listed.has(known[position])),
    };
  }
  throw wrong("tool_choice", 'must be "none", "auto", "required" or the name of a function');
}

function nameIn(tool: unknown): unknown {
  if (!isObject(tool)) return undefined;
  return isObject(tool.function) ? tool.function.name : tool.name;
}

/** Only the newest templates know the role that OpenAI has given the system message. */
export function templateMessages(messages: readonly ChatMessageLike[]): Message[] {
  return messages.map((message) => ({
    ...message,
    role: message.role === "developer" ? "system" : String(message.role ?? "user"),
  })) as Message[];
}
