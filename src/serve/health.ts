import { Failure } from "./failure.ts";

/** Milliseconds. */
const PATIENCE = 3000;

/**
 * Whether requests can be answered: 200, or 503 where the server drains, or the upstream is not there or has not yet loaded
 * its model.
 */
export async function health(of: {
  upstream: string;
  fetch: typeof globalThis.fetch;
  draining: boolean;
}): Promise<Response> {
  if (of.draining) return unavailable("The server is shutting down.", "draining");
  try {
    const response = await of.fetch(`${of.upstream}/health`, { signal: AbortSignal.timeout(PATIENCE) });
    const text = await response.text();
    // a server without such a path is there all the same
    if (response.status < 500) return Response.json({ status: "ok" });
    return unavailable(messageIn(text) ?? `The upstream answered ${response.status}.`, "upstream_unavailable");
  } catch (error) {
    return unavailable(`The upstream does not answer: ${(error as Error).message}`, "upstream_unreachable");
  }
}

function unavailable(message: string, code: string): Response {
  return new Failure(503, message, { type: "unavailable_error", code }).response();
}

function messageIn(text: string): string | null {
  try {
    const { message } = (JSON.parse(text) as { error: { message?: unknown } }).error;
    return typeof message === "string" ? message : null;
  } catch {
    return null;
  }
}
