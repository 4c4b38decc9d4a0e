import type { RejectedCall } from "../../events.ts";
import { describeProblems } from "../../schema/describe-problems.ts";

/**
 * What becomes of a rejected call.
 * `drop`: it is left out. `text`: the model's text of it goes out as content. `send`: it goes out as a call whose arguments
 * cannot be read, so that the client tells the model; without a name it goes out as text.
 */
export type RejectedHandling = "drop" | "text" | "send";

/** Options that all mappings have. */
export interface CallHandling {
  /** What becomes of rejected calls (default `"drop"`): one answer for all, or one for each, which then also hears of it. */
  onRejected?: RejectedHandling | ((call: RejectedCall) => RejectedHandling | undefined) | undefined;
  /**
   * Keep a call back until it is complete and valid, so that no client ever sees a piece of one that is rejected
   * afterwards. False: the arguments go out as they are written.
   */
  holdCalls?: boolean | undefined;
}

export function handlingOf(call: RejectedCall, { onRejected }: CallHandling): RejectedHandling {
  const how = (typeof onRejected === "function" ? onRejected(call) : onRejected) ?? "drop";
  return how === "send" && call.name === null ? "text" : how;
}

/**
 * The arguments of a rejected call, for a client that may have seen the beginning of `text` already: they must not read as
 * JSON. Some clients complete JSON that was cut off, so a comment behind it says what is wrong. The two exceptions harm
 * nobody: a call of an unknown tool is refused by its name, and the end of a reply that ran into its limit looks as it does
 * with any server.
 */
export function refusedArguments(text: string, call: RejectedCall): string {
  if (isJson(text) && call.problems.every(({ kind }) => kind === "unknown-tool")) return text;
  const open = text.endsWith("}") && isJson(text) ? text.slice(0, -1) : text;
  if (call.problems.some(({ kind }) => kind === "truncated")) {
    // some clients read no arguments as `{}`
    if (open.trim() === "") return "{";
    if (!isJson(open)) return open;
  }
  return `${open}${endsInString(open) ? '"' : ""}\n${remark(call)}`;
}

/** What is wrong with a call, as a comment behind its arguments. */
export function remark(call: RejectedCall): string {
  return `// ${describeProblems(call).replace(/\s+/g, " ")}`;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function endsInString(text: string): boolean {
  return text.replace(/\\./gs, "").split('"').length % 2 === 0;
}
