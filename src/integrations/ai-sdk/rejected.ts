import type { RejectedCall } from "../../events.ts";
import { describeProblems } from "../../schema/describe-problems.ts";
import { isJson, remark } from "../reply/rejected.ts";
import type { MadePart } from "./types.ts";

/**
 * How the AI SDK is told of a rejected call.
 * `tool-call`: as a call that it cannot accept, for its own repair and error handling. `text`: the model's text goes out as
 * text. `error`: an error part in a stream, an exception from `generateText`. `drop`: not at all.
 */
export type RejectedHandling = "tool-call" | "text" | "error" | "drop";

/** What a stream's error part holds, or `generateText` throws, where `onRejected` says `"error"`. */
export class RejectedCallError extends Error {
  override name = "RejectedCallError";
  readonly call: RejectedCall;
  constructor(call: RejectedCall) {
    super(describeProblems(call));
    this.call = call;
  }
}

/**
 * The call as one that the AI SDK will not run. The SDK checks a call again, with the tool's own schema, which may accept
 * what was rejected here or not check at all; so the arguments of a tool that it knows must never read as JSON. Where they
 * would, what is wrong with them stands behind them as a comment, and the model gets to read it with the SDK's error.
 */
export function refusedCall(call: RejectedCall, toolCallId: string, known: ReadonlySet<string>): MadePart {
  const toolName = call.name ?? "";
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: known.has(toolName) ? unreadable(call) : call.argumentsText || "{}",
    // for a repair function: what was wrong, and where
    providerMetadata: { "tool-call-parser": { problems: call.problems } },
  };
}

function unreadable(call: RejectedCall): string {
  const { argumentsText } = call;
  // the SDK takes blank arguments for `{}`
  if (argumentsText.trim() !== "" && !isJson(argumentsText)) return argumentsText;
  return `${argumentsText.trim()}\n${remark(call)}`.trimStart();
}
