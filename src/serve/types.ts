import type { Format, Validation } from "../index.ts";
import type { RejectedHandling } from "../integrations/reply/rejected.ts";
import type { LogLine } from "./exchange.ts";

/**
 * `raw`: the upstream is a llama.cpp server, whose raw output is read here. `repair`: any OpenAI-compatible server, whose
 * chat completions are put right.
 */
export type ServeMode = "raw" | "repair";

export interface ServeOptions {
  /** Where the upstream listens, with its path prefix if it has one. A `/v1` at its end is no part of it. */
  upstream: string;
  /** Default `"raw"`. */
  mode?: ServeMode | undefined;
  /** For all requests that do not name one. Default: what the upstream's chat template, or the model's name, tells. */
  format?: string | Format | undefined;
  validation?: Validation | undefined;
  repair?: boolean | undefined;
  /** How often the model is asked again when a call was rejected (default 0). */
  retry?: number | undefined;
  /** What becomes of a call that is rejected in the end (default `"send"`). */
  rejected?: RejectedHandling | undefined;
  /** The longest body of a request, in bytes (default 32 MiB). */
  maxBody?: number | undefined;
  /** After so many milliseconds without a chunk a stream gets a comment (default 15,000). */
  keepAlive?: number | undefined;
  /** Default: that of the platform. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Is told of each request when it is over. */
  log?: ((line: LogLine) => void) | undefined;
}

/** A message of a conversation, as far as it is looked into here. */
export interface ChatMessageLike {
  role?: unknown;
  content?: unknown;
  [field: string]: unknown;
}

/** A chunk of a stream, as far as it is looked into here. */
export interface ChunkLike {
  choices?: ChunkChoice[];
  usage?: object | null;
  [field: string]: unknown;
}

export interface ChunkChoice {
  index?: number;
  delta?: Record<string, unknown> | null;
  finish_reason?: string | null;
  [field: string]: unknown;
}
