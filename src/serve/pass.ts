import { reasonOf } from "../integrations/llama-server/connection.ts";
import { LlamaServerError } from "../integrations/llama-server.ts";
import { endToEnd, REQUEST_ID_HEADER } from "./headers.ts";

/** Without a body, by the rules of HTTP. */
const EMPTY = new Set([204, 205, 304]);

/** A request for the upstream as it came, and its answer as it comes. */
export interface PassOptions {
  upstream: string;
  request: Request;
  method: string;
  body: Uint8Array<ArrayBuffer>;
  requestId: string;
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  /** The answer is over; with an error if it broke. */
  onEnd: (status: number, error: unknown) => void;
  /** Breaks the connection to the client, where there is one, as the upstream's was broken. */
  breakOff: (() => void) | null;
}

/** @throws {LlamaServerError} where there is no answer. */
export async function pass(options: PassOptions): Promise<Response> {
  const { upstream, request, method, body, requestId, fetch, signal, onEnd } = options;
  const { pathname, search } = new URL(request.url);
  const headers = endToEnd(request.headers);
  for (const name of ["host", "content-length", "expect"]) headers.delete(name);
  headers.set(REQUEST_ID_HEADER, requestId);
  // the bytes go through as they are, and some platforms would unpack them
  headers.set("accept-encoding", "identity");
  let response: Response;
  try {
    response = await fetch(upstream + pathname + search, {
      ...{ method, headers, signal, redirect: "manual" },
      ...(body.length > 0 ? { body } : {}),
    });
  } catch (cause) {
    const kind = signal.aborted ? "aborted" : "unreachable";
    throw new LlamaServerError(kind, `No answer from ${upstream}${pathname}: ${reasonOf(cause)}`, { cause });
  }
  const { status, statusText } = response;
  const passed = endToEnd(response.headers);
  const stream =
    response.body === null || EMPTY.has(status) || method === "HEAD" ? null : through(response.body, options, status);
  if (stream === null) onEnd(status, null);
  return new Response(stream, { status, statusText, headers: passed });
}

/** The bytes as they come, and word of how they ended. */
function through(
  body: ReadableStream<Uint8Array>,
  { onEnd, breakOff }: PassOptions,
  status: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        onEnd(status, null);
      } catch (error) {
        onEnd(status, error);
        if (breakOff === null) controller.error(error);
        else breakOff();
      }
    },
    cancel(reason) {
      onEnd(status, new LlamaServerError("aborted", "The client has gone."));
      return reader.cancel(reason);
    },
  });
}
