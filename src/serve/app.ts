import { Hono } from "hono";
import { LlamaServerError } from "../integrations/llama-server.ts";
import { resolve } from "../registry.ts";
import { readBody } from "./body.ts";
import { chat } from "./chat.ts";
import { Exchange } from "./exchange.ts";
import { type Failure, failureOf } from "./failure.ts";
import { REQUEST_ID_HEADER } from "./headers.ts";
import { health } from "./health.ts";
import { KnownFormats } from "./known-formats.ts";
import { Metrics } from "./metrics.ts";
import { pass } from "./pass.ts";
import { requestId } from "./request-id.ts";
import type { Settings } from "./task.ts";
import type { ServeOptions } from "./types.ts";

/** What the server under it may tell about a request: that of Node can break a connection. */
interface Bindings {
  outgoing?: { destroy(): void } | undefined;
}

type Env = { Bindings: Bindings; Variables: { id: string } };

export interface ServeApp {
  /** Knows nothing of Node: it can be asked by `request`, or stand behind any server that speaks `fetch`. */
  app: Hono<Env>;
  /** From now on `/health` says that no new requests are wanted. */
  drain(): void;
  /** How many requests are being answered. */
  active(): number;
}

/**
 * An OpenAI-compatible server in front of another one: chat completions are read here, everything else is passed through.
 * @throws {RangeError} for an unknown format, {TypeError} for an upstream that is no URL.
 * @example
 * ```ts
 * const { app } = createServeApp({ upstream: "http://127.0.0.1:8080" });
 * const response = await app.request("/v1/chat/completions", { method: "POST", body });
 * ```
 */
export function createServeApp(options: ServeOptions): ServeApp {
  const settings = settingsOf(options);
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
  const log = options.log ?? (() => {});
  const metrics = new Metrics();
  const known = new KnownFormats();
  let draining = false;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    c.set("id", requestId(c.req.header(REQUEST_ID_HEADER)));
    await next();
    c.res.headers.set(REQUEST_ID_HEADER, c.get("id"));
  });

  app.get("/health", () => health({ upstream: settings.upstream, fetch, draining }));
  app.get("/metrics", (c) =>
    c.text(metrics.text(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
  );

  const exchangeOf = (id: string, { method, path }: { method: string; path: string }, isChat: boolean): Exchange =>
    new Exchange({ id, method, path, isChat }, metrics, log);

  for (const path of ["/v1/chat/completions", "/chat/completions"]) {
    app.post(path, (c) => chat(c.req.raw, { settings, known, fetch, exchange: exchangeOf(c.get("id"), c.req, true) }));
  }

  app.all("*", async (c) => {
    const exchange = exchangeOf(c.get("id"), c.req, false);
    const outgoing = c.env?.outgoing;
    try {
      return await pass({
        ...{ upstream: settings.upstream, request: c.req.raw, method: c.req.method, requestId: exchange.id, fetch },
        body: await readBody(c.req.raw, settings.maxBody),
        signal: c.req.raw.signal,
        onEnd(status, error) {
          if (error === null) exchange.end(status);
          else exchange.end(...ended(broken(error)));
        },
        breakOff: outgoing === undefined ? null : () => outgoing.destroy(),
      });
    } catch (error) {
      const failure = failureOf(error);
      exchange.end(...ended(failure));
      return failure.response();
    }
  });

  app.onError((error) => failureOf(error).response());

  return {
    app,
    drain() {
      draining = true;
    },
    active: () => metrics.active,
  };
}

function ended(failure: Failure): [number, Failure] {
  return [failure.status, failure];
}

/** An answer that broke off in the middle. */
function broken(error: unknown): Failure {
  if (error instanceof LlamaServerError) return failureOf(error);
  const message = `The upstream broke off: ${(error as Error).message}`;
  return failureOf(new LlamaServerError("incomplete", message, { cause: error }));
}

function settingsOf(options: ServeOptions): Settings {
  const { mode = "raw", format, validation, repair, retry = 0, rejected = "send" } = options;
  const { maxBody = 32 * 1024 * 1024, keepAlive = 15_000 } = options;
  if (format !== undefined) resolve(format);
  return { upstream: baseOf(options.upstream), mode, format, validation, repair, retry, rejected, maxBody, keepAlive };
}

/** Base URLs of this API are often given with the version that all its paths begin with. */
function baseOf(upstream: string): string {
  const { protocol } = new URL(upstream);
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`${upstream} is no http URL.`);
  return upstream.replace(/\/+$/, "").replace(/\/v1$/, "");
}
