import type { ParserOptions } from "../../parser.ts";
import { randomText } from "../../random.ts";

/** After any other `finish_reason` than these, a call that is not closed was cut off. */
export const NATURAL_ENDS: ReadonlySet<string> = new Set(
  "stop tool_calls function_call eos eos_token stop_sequence end_turn".split(" "),
);

/** An id such as `chatcmpl-4fQ…`. */
export function newId(prefix: string): string {
  return prefix + randomText(24);
}

/** The id, or one made of it that is not taken; it is taken then. */
export function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let n = 2; taken.has(free); n++) free = `${id}-${n}`;
  taken.add(free);
  return free;
}

/** `generateId` for a parser that reads a part of a reply, with calls before it. */
export function idsFrom(before: number, generateId: ParserOptions["generateId"]): ParserOptions["generateId"] {
  return generateId && ((index, name) => generateId(before + index, name));
}

/** Unix time in seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** What a reply cost, asked for when it is over. */
export function usageOf<Usage>(usage: Usage | (() => Usage | null | undefined) | undefined): Usage | undefined {
  return (typeof usage === "function" ? (usage as () => Usage | null | undefined)() : usage) ?? undefined;
}
