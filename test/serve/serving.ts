import OpenAI from "openai";
import { afterEach } from "vitest";
import { createServeApp } from "../../src/serve/app.ts";
import type { LogLine } from "../../src/serve/exchange.ts";
import { listen } from "../../src/serve/node/listen.ts";
import { upstreamFetch } from "../../src/serve/node/upstream-fetch.ts";
import type { ServeOptions } from "../../src/serve/types.ts";
import { type Answer, startUpstream, type Upstream } from "./upstream.ts";

export interface Serving {
  url: string;
  upstream: Upstream;
  client: OpenAI;
  log: LogLine[];
  /** Waits for the line of a request's end. */
  logged(count: number): Promise<LogLine>;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  metrics(): Promise<string>;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The server on a real socket, in front of an upstream that plays captures. */
export async function serving(
  answers: Record<string, Answer> = {},
  options: Partial<ServeOptions> & { timeout?: number; maxHeader?: number; idle?: number; prefix?: string } = {},
): Promise<Serving> {
  const { timeout = 60_000, maxHeader = 16_384, idle = 120_000, prefix = "", ...rest } = options;
  const upstream = await startUpstream(answers);
  const { fetch, close } = upstreamFetch({ timeout });
  const log: LogLine[] = [];
  const { app } = createServeApp({
    ...{ upstream: upstream.url + prefix, fetch, ...rest },
    log(line) {
      log.push(line);
    },
  });
  const server = await listen({
    ...{ fetch: (request, env) => app.fetch(request, env), host: "127.0.0.1", port: 0, maxHeader, idle },
  });
  closing.push(upstream.close, close, () => server.drain(0));
  return {
    ...{ url: server.url, upstream, log },
    client: new OpenAI({ apiKey: "a-key", baseURL: `${server.url}/v1`, maxRetries: 0 }),
    async logged(count) {
      while (log.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
      return log[count - 1]!;
    },
    post(body, headers = {}) {
      return globalThis.fetch(`${server.url}/v1/chat/completions`, {
        ...{ method: "POST", headers: { "content-type": "application/json", ...headers } },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    },
    async metrics() {
      return (await globalThis.fetch(`${server.url}/metrics`)).text();
    },
  };
}

/** Waits until it is so; a test that waits in vain runs into its time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
