import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

/** Bytes of an answer that wait for a slow client, before the upstream is made to wait. */
const WAITING = 64 * 1024;

const EMPTY = new Set([204, 205, 304]);

type Init = RequestInit & { body?: string | Uint8Array | null };

/** A fetch for one upstream, and how to close its connections. */
export interface UpstreamFetch {
  fetch: typeof globalThis.fetch;
  close(): void;
}

/**
 * A `fetch` on Node's own client, for what that of the platform cannot do: be as patient as told (it gives up after five
 * minutes without a byte, and a long prompt takes longer), and pass an answer on without unpacking it.
 * @param timeout The longest silence in milliseconds; after it there is an error with the code `ETIMEDOUT`.
 */
export function upstreamFetch({ timeout }: { timeout: number }): UpstreamFetch {
  const agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

  const fetch = async (input: string | URL | Request, init: Init = {}): Promise<Response> => {
    const url = new URL(String(input));
    try {
      return responseOf(await sent(url, init, timeout, agents[url.protocol as keyof typeof agents]));
    } catch (error) {
      // the upstream has closed a connection that was kept, just when it was to be used again: it has seen nothing of this.
      // The others that were kept may be closed as well, so that it takes a new one
      if (!(error as { isStale?: boolean }).isStale || init.signal?.aborted) throw error;
      return responseOf(await sent(url, init, timeout, false));
    }
  };
  return {
    fetch: fetch as typeof globalThis.fetch,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function sent(
  url: URL,
  { method, headers, body, signal }: Init,
  timeout: number,
  agent: HttpAgent | false | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    let answer: IncomingMessage | null = null;
    const request: ClientRequest = start(url, {
      method: method ?? "GET",
      headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(headers ?? {})) },
      ...(agent === undefined ? {} : { agent }),
    });
    const abort = (): void => {
      (answer ?? request).destroy(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    signal?.addEventListener("abort", abort, { once: true });
    request.setTimeout(timeout, () => (answer ?? request).destroy(silence(timeout)));
    request.on("response", (response) => {
      answer = response;
      resolve(response);
    });
    request.on("error", (error: Error & { code?: string; isStale?: boolean }) => {
      error.isStale = request.reusedSocket && answer === null && error.code === "ECONNRESET";
      reject(error);
    });
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.end(body ?? undefined);
  });
}

function silence(timeout: number): Error {
  return Object.assign(new Error(`nothing came for ${timeout / 1000} seconds`), { code: "ETIMEDOUT" });
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 502, statusMessage: statusText = "", rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const isEmpty = EMPTY.has(status);
  if (isEmpty) incoming.resume();
  return new Response(isEmpty ? null : bodyOf(incoming), { status, statusText, headers });
}

/** Each chunk is handed on when it comes. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let over = false;
        const end = (finish: () => void): void => {
          if (!over) finish();
          over = true;
        };
        incoming.on("data", (chunk: Uint8Array) => {
          if (over) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on("end", () => end(() => controller.close()));
        incoming.on("error", (error) => end(() => controller.error(error)));
        incoming.on("close", () => end(() => controller.error(new Error("the connection was closed"))));
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        incoming.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING }),
  );
}
