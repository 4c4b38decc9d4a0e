import type { ParseResult } from "../../events.ts";

/**
 * `unreachable`: there was no answer at all. `refused`: the server answered with an error, at once or in the middle of a
 * stream. `incomplete`: the stream ended without its last event. `malformed`: the answer is none of a llama.cpp server.
 * `aborted`: the signal said stop.
 */
export type LlamaServerErrorKind = "unreachable" | "refused" | "incomplete" | "malformed" | "aborted";

interface Details {
  status?: number | null | undefined;
  type?: string | null | undefined;
  cause?: unknown;
}

/**
 * Everything that goes wrong between us and a server. What was certain before it has come as events.
 * @example
 * ```ts
 * if (error instanceof LlamaServerError && error.status === 503) await retry(); // the model is loading
 * ```
 */
export class LlamaServerError extends Error {
  override name = "LlamaServerError";
  readonly kind: LlamaServerErrorKind;
  /** The HTTP status, or the code in the server's error; null where there is none. */
  readonly status: number | null;
  /** The server's word for it, such as `"exceed_context_size_error"`. */
  readonly type: string | null;
  /** What had come before, as an output that was cut off; null where nothing had. */
  result: ParseResult | null = null;

  constructor(kind: LlamaServerErrorKind, message: string, { status, type, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.status = status ?? null;
    this.type = type ?? null;
  }
}

/** Of a page that a proxy sends, so much goes into the message. */
const SHOWN = 200;

/** The error that a server's answer is, which is JSON also where a stream was asked for; from a proxy it may be a page. */
export function refusal(text: string, status: number | null, statusText = ""): LlamaServerError {
  try {
    const error = errorIn(JSON.parse(text), status);
    if (error !== null) return error;
  } catch {
    // no JSON
  }
  const answered = [status, statusText].filter((part) => part !== null && part !== "").join(" ");
  const shown = plain(text);
  return new LlamaServerError("refused", `The server answered ${answered}${shown === "" ? "." : `: ${shown}`}`, {
    status,
  });
}

/** `{ error: { code, message, type } }`, or null. */
export function errorIn(value: unknown, status: number | null = null): LlamaServerError | null {
  const error = (value as { error?: unknown } | null)?.error;
  if (error === undefined || error === null) return null;
  if (typeof error !== "object") return new LlamaServerError("refused", String(error), { status });
  const { code, message, type } = error as { code?: unknown; message?: unknown; type?: unknown };
  return new LlamaServerError("refused", typeof message === "string" ? message : JSON.stringify(error), {
    status: status ?? (typeof code === "number" ? code : null),
    type: typeof type === "string" ? type : null,
  });
}

/** An answer that no llama.cpp server gives. */
export function unexpected(text: string, wanted: string, status: number | null = null): LlamaServerError {
  const shown = plain(text);
  const came = shown === "" ? "nothing" : JSON.stringify(shown);
  return new LlamaServerError("malformed", `The server was expected to send ${wanted}, but ${came} came.`, { status });
}

/** The beginning of a text, without markup. */
function plain(text: string): string {
  const short = text
    .slice(0, 20 * SHOWN)
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  return short.length > SHOWN ? `${short.slice(0, SHOWN)}…` : short;
}
