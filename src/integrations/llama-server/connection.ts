import { isObject } from "../../schema/value.ts";
import { Patience } from "./abort.ts";
import { LlamaServerError, refusal, unexpected } from "./error.ts";
import { textOf } from "./sse.ts";
import type { LlamaServerOptions } from "./types.ts";

/** Requests to one server. Whatever fails is a `LlamaServerError`. */
export class Connection {
  private readonly base: string;
  private readonly headers: Record<string, string>;
  private readonly fetch: typeof globalThis.fetch;

  constructor({ baseUrl = "http://127.0.0.1:8080", apiKey, headers, fetch }: LlamaServerOptions) {
    this.base = baseUrl.replace(/\/+$/, "");
    this.headers = { ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }), ...headers };
    // in a browser it must not be called as a method of something else
    this.fetch = fetch ?? ((...request) => globalThis.fetch(...request));
  }

  /** The response, whatever its status. `body`: it is a POST. */
  async send(path: string, body: object | null, signal: AbortSignal | undefined): Promise<Response> {
    const patience = new Patience(signal);
    const { fetch } = this;
    try {
      return await patience.wait(
        fetch(this.base + path, {
          method: body === null ? "GET" : "POST",
          headers: { ...this.headers, ...(body === null ? {} : { "content-type": "application/json" }) },
          ...(body === null ? {} : { body: JSON.stringify(body) }),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
    } catch (cause) {
      if (cause instanceof LlamaServerError) throw cause;
      throw new LlamaServerError("unreachable", `No answer from ${this.base}${path}: ${reasonOf(cause)}`, { cause });
    } finally {
      patience.end();
    }
  }

  /** The object that is answered. */
  async json(path: string, body: object | null, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
    const response = await this.send(path, body, signal);
    const patience = new Patience(signal);
    try {
      const text = await textOf(response, patience);
      if (!response.ok) throw refusal(text, response.status, response.statusText);
      const value = parsed(text);
      if (isObject(value)) return value;
      throw unexpected(text, "a JSON object", response.status);
    } finally {
      patience.end();
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a fetch failed: most platforms hide it in the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  const why = [message, cause?.message || cause?.code].filter((part) => typeof part === "string" && part !== "");
  return why.length === 0 ? String(error) : why.join(": ");
}
