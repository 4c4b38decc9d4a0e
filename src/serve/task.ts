import type { RejectedCall } from "../events.ts";
import type { Format, Validation } from "../index.ts";
import type { RejectedHandling } from "../integrations/reply/rejected.ts";
import type { Exchange } from "./exchange.ts";
import type { ChatBody } from "./request.ts";

/** Options that hold for all requests, with their defaults. */
export interface Settings {
  /** Without a `/v1`. */
  upstream: string;
  mode: "raw" | "repair";
  format: string | Format | undefined;
  validation: Validation | undefined;
  repair: boolean | undefined;
  retry: number;
  rejected: RejectedHandling;
  maxBody: number;
  keepAlive: number;
}

/** One chat request on its way to an answer. */
export interface ChatTask {
  settings: Settings;
  body: ChatBody;
  format: string | Format;
  exchange: Exchange;
  /** Of the completion. */
  id: string;
  created: number;
  model: string;
  /** The headers and the fetch of requests to the upstream. */
  headers: Record<string, string>;
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
}

/** What becomes of a rejected call; those that the model could do better are kept in `rejected`. */
export function handling(
  { settings, body, exchange }: ChatTask,
  rejected: RejectedCall[],
): (call: RejectedCall) => RejectedHandling {
  return (call) => {
    exchange.rejects(call);
    // it asked for one call, and has it
    if (body.single && call.problems.some(({ kind }) => kind === "limit-exceeded")) return "drop";
    // where no tools are offered nothing is a call to the client, nor anything that the model should do better
    if (body.tools.length === 0) return "text";
    rejected.push(call);
    return settings.rejected;
  };
}
