import { createParser, detectFormat } from "../index.ts";
import { createLlamaServer, LlamaServerError } from "../integrations/llama-server.ts";
import { newId, now } from "../integrations/reply/about.ts";
import { resolve } from "../registry.ts";
import { readBody } from "./body.ts";
import { eventStream, within } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";
import { CLIENT_GONE, Failure, failureOf, type WatchedFetch, watchedFetch } from "./failure.ts";
import { alongHeaders, FORMAT_HEADER, passedHeaders, REQUEST_ID_HEADER } from "./headers.ts";
import type { KnownFormats } from "./known-formats.ts";
import { needsChatRoute } from "./llama-request.ts";
import { completeRaw, streamRaw } from "./raw.ts";
import { completeRepaired, streamRepaired } from "./repair.ts";
import { type ChatBody, readChatBody } from "./request.ts";
import type { ChatTask, Settings } from "./task.ts";

/** What a chat request needs besides itself. */
export interface ChatContext {
  settings: Settings;
  known: KnownFormats;
  fetch: typeof globalThis.fetch;
  exchange: Exchange;
}

/** Answers `/v1/chat/completions`, streamed or not. */
export async function chat(request: Request, context: ChatContext): Promise<Response> {
  const { exchange, known } = context;
  const upstream = watchedFetch(context.fetch);
  const stop = new AbortController();
  const gone = (): void => stop.abort(new Error("The client has gone."));
  if (request.signal.aborted) gone();
  else request.signal.addEventListener("abort", gone, { once: true });
  let model: string | undefined;

  const failed = (error: unknown): Failure => {
    const failure = stop.signal.aborted ? clientGone() : failureOf(error, upstream.refusal);
    // it may be another server, with another model, that answers next
    if (error instanceof LlamaServerError && error.kind !== "aborted") known.forget(model);
    over(failure.status, failure);
    return failure;
  };
  const over = (status: number, failure: Failure | null): void => {
    request.signal.removeEventListener("abort", gone);
    exchange.end(status, failure);
    // what else was asked for is of no use any more
    if (failure !== null) stop.abort(failure);
  };

  try {
    const body = readChatBody(await readBody(request, context.settings.maxBody));
    ({ model } = body);
    exchange.details = { ...(model === undefined ? {} : { model }), stream: body.stream };
    const task = await taskOf(request, body, context, upstream, stop.signal);
    if (body.stream) return await streamed(task, upstream, { failed, over });
    const completion = await completed(task);
    over(200, null);
    return new Response(JSON.stringify(completion), { headers: headersOf(task, upstream, "application/json") });
  } catch (error) {
    return failed(error).response();
  }
}

async function taskOf(
  request: Request,
  body: ChatBody,
  { settings, known, exchange }: ChatContext,
  upstream: WatchedFetch,
  signal: AbortSignal,
): Promise<ChatTask> {
  const headers = { ...alongHeaders(request.headers), [REQUEST_ID_HEADER]: exchange.id };
  const { fetch } = upstream;
  checkTools(body);
  const format = asked(request.headers) ?? settings.format ?? (await detected());
  exchange.details.format = nameOf(format);
  return {
    ...{ settings, body, format, exchange, headers, fetch, signal },
    ...{ id: newId("chatcmpl-"), created: now(), model: body.model ?? "default" },
  };

  async function detected(): Promise<string> {
    if (settings.mode === "repair") return detectFormat({ model: body.model ?? "" }) ?? "auto";
    try {
      return await known.of(createLlamaServer({ baseUrl: settings.upstream, headers, fetch }), body.model, signal);
    } catch (error) {
      if (!(error instanceof LlamaServerError) || (error.status !== 404 && error.kind !== "malformed")) throw error;
      const hint = "Other servers than llama.cpp's need --mode repair.";
      throw new Failure(502, `The upstream does not answer /props: ${error.message} ${hint}`, {
        ...{ type: "upstream_error", code: "upstream_malformed" },
      });
    }
  }
}

/** What is wrong with a declaration is said before anybody else is asked. */
function checkTools({ tools }: ChatBody): void {
  try {
    createParser({ tools });
  } catch (error) {
    throw new Failure(400, (error as Error).message, { param: "tools", code: "invalid_value" });
  }
}

/** The format that a request asks for. */
function asked(headers: Headers): string | undefined {
  const name = headers.get(FORMAT_HEADER)?.trim();
  if (name === undefined || name === "") return undefined;
  try {
    resolve(name);
    return name;
  } catch (error) {
    throw new Failure(400, `The header ${FORMAT_HEADER}: ${(error as Error).message}`, { code: "unknown_format" });
  }
}

function nameOf(format: ChatTask["format"]): string {
  return typeof format === "string" ? format : format.name;
}

function isRaw({ settings, body }: ChatTask): boolean {
  return settings.mode === "raw" && !needsChatRoute(body);
}

function completed(task: ChatTask): Promise<object> {
  return isRaw(task) ? completeRaw(task) : completeRepaired(task);
}

interface Ending {
  failed: (error: unknown) => Failure;
  over: (status: number, failure: Failure | null) => void;
}

/**
 * What fails before anything has come is answered with a status of its own. After a while without a word the stream begins
 * all the same, so that nobody on the way takes the connection for dead; then an error is its last event.
 */
async function streamed(task: ChatTask, upstream: WatchedFetch, { failed, over }: Ending): Promise<Response> {
  const { keepAlive } = task.settings;
  const chunks = isRaw(task) ? streamRaw(task) : streamRepaired(task);
  const first = chunks.next();
  await within(first, keepAlive);
  const stream = eventStream(chunks, first, {
    keepAlive,
    onError: failed,
    onEnd: () => over(200, null),
    onCancel: () => over(CLIENT_GONE, clientGone()),
  });
  const headers = headersOf(task, upstream, "text/event-stream; charset=utf-8");
  // no proxy must gather it; and that it comes in chunks tells the server not to wait for more of them
  for (const [name, value] of [
    ["cache-control", "no-cache"],
    ["x-accel-buffering", "no"],
    ["transfer-encoding", "chunked"],
  ] as const) {
    headers.set(name, value);
  }
  return new Response(stream, { headers });
}

function headersOf({ exchange }: ChatTask, upstream: WatchedFetch, type: string): Headers {
  const headers = passedHeaders(upstream.headers ?? new Headers());
  headers.set("content-type", type);
  // a format of one's own may have any name
  headers.set(FORMAT_HEADER, encodeURIComponent(exchange.details.format ?? "auto"));
  return headers;
}

function clientGone(): Failure {
  return new Failure(CLIENT_GONE, "The client has gone.", { code: "client_gone" });
}
