import { LlamaServerError } from "../integrations/llama-server.ts";
import { isObject } from "../schema/value.ts";
import { passedHeaders } from "./headers.ts";

interface Details {
  type?: string;
  code?: string | null;
  param?: string | null;
  /** What an upstream has answered: it goes out as it came. */
  refusal?: Refusal | null;
  cause?: unknown;
}

/** An answer of the upstream that is an error. */
export interface Refusal {
  status: number;
  headers: Headers;
  text: string;
}

/** An error as OpenAI's API tells it: a status, and `{ error: { message, type, code, param } }`. */
export class Failure extends Error {
  override name = "Failure";
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly refusal: Refusal | null;

  constructor(status: number, message: string, { type, code, param, refusal, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.type = type ?? (status < 500 ? "invalid_request_error" : "server_error");
    this.code = code ?? null;
    this.param = param ?? null;
    this.refusal = refusal ?? null;
  }

  /** For the body of a response, or an event of a stream. */
  toJSON(): object {
    const { message, type, code, param } = this;
    return { error: { message, type, code, param } };
  }

  /** The upstream's own answer where there is one that clients of this API can read. */
  response(): Response {
    const { refusal } = this;
    const headers = refusal === null ? new Headers() : passedHeaders(refusal.headers);
    headers.set("content-type", "application/json");
    const own = refusal !== null && hasError(refusal.text) ? refusal.text : null;
    return new Response(own ?? JSON.stringify(this), { status: this.status, headers });
  }
}

/** A client that has gone gets no answer; in the log it stands under the status that nginx gives it. */
export const CLIENT_GONE = 499;

/** Everything that can be thrown on the way to an answer. */
export function failureOf(error: unknown, refusal: Refusal | null = null): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof LlamaServerError) return ofUpstream(error, refusal);
  // what it was is for the log alone
  return new Failure(500, "An internal error.", { code: "internal_error", cause: error });
}

function ofUpstream(error: LlamaServerError, refusal: Refusal | null): Failure {
  const { kind, message, status } = error;
  if (kind === "aborted") return new Failure(CLIENT_GONE, message, { code: "client_gone" });
  if (isTimeout(error)) return new Failure(504, message, { type: "upstream_error", code: "upstream_timeout" });
  if (kind === "refused") {
    const code = typeof status === "number" && status >= 400 && status < 600 ? status : 502;
    const own = refusal?.status === status ? refusal : null;
    return new Failure(code, message, { type: error.type ?? "upstream_error", code: "upstream_refused", refusal: own });
  }
  return new Failure(502, message, { type: "upstream_error", code: `upstream_${kind}` });
}

/** The upstream was silent for too long. */
function isTimeout(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { code?: unknown }).code === "ETIMEDOUT") return true;
  }
  return false;
}

function hasError(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isObject(value.error);
  } catch {
    return false;
  }
}

/** A fetch that keeps what is to be passed on: the last answer that was an error, and the headers of the last that was none. */
export interface WatchedFetch {
  fetch: typeof globalThis.fetch;
  refusal: Refusal | null;
  headers: Headers | null;
}

export function watchedFetch(fetch: typeof globalThis.fetch): WatchedFetch {
  const watched: WatchedFetch = {
    async fetch(...request) {
      const response = await fetch(...request);
      const { status, statusText, headers } = response;
      if (response.ok) {
        watched.headers = headers;
        return response;
      }
      const text = await response.text();
      watched.refusal = { status, headers, text };
      return new Response(text === "" ? null : text, { status, statusText, headers });
    },
    refusal: null,
    headers: null,
  };
  return watched;
}
