import { type AddressInfo, createServer } from "node:net";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { upstreamFetch } from "../../src/serve/node/upstream-fetch.ts";
import { tools } from "../integrations/llama-server-captures.ts";
import { serving, until } from "./serving.ts";
import { begins, call, completionEvents, event, hang, json, replay } from "./upstream.ts";

const messages = [{ role: "user" as const, content: "How is the weather?" }];
const request = { model: "tiny", messages, tools };
const good = call("get_weather", { city: "Oban", days: 2 });
const pieces = completionEvents(`Look:\n${good}`);
const half = pieces.slice(0, 12);

/** What the official client makes of a request: how it failed, and what had come before. */
async function outcome(client: OpenAI, stream: boolean): Promise<{ error: any; seen: any[] }> {
  const seen: any[] = [];
  try {
    if (!stream) seen.push(await client.chat.completions.create(request));
    else for await (const chunk of await client.chat.completions.create({ ...request, stream })) seen.push(chunk);
    return { error: null, seen };
  } catch (error) {
    return { error, seen };
  }
}

describe.each([false, true])("stream: %s", (stream) => {
  test("a 400 of the upstream is a 400, word for word", async () => {
    const { client, log } = await serving({ "/completion": replay("completion-error-grammar.json.txt") });
    const { error, seen } = await outcome(client, stream);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error.error).toEqual({
      code: 400,
      message: "Failed to initialize samplers: failed to parse grammar",
      type: "invalid_request_error",
    });
    expect([seen, log[0]!.status, log[0]!.code]).toEqual([[], 400, "upstream_refused"]);
  });

  test("its further fields come through, also from where the prompt is made", async () => {
    const { client } = await serving({ "/apply-template": replay("chat-error-context.json.txt") });
    const { error } = await outcome(client, stream);
    expect(error.error).toMatchObject({ type: "exceed_context_size_error", n_prompt_tokens: 40009, n_ctx: 16384 });
  });

  test("a 401 and a 429 with its retry-after", async () => {
    const { client, upstream } = await serving({ "/props": json({ error: { message: "Invalid API Key" } }, 401) });
    expect((await outcome(client, stream)).error).toBeInstanceOf(OpenAI.AuthenticationError);
    upstream.answers["/props"] = replay("props.json.txt");
    upstream.answers["/completion"] = json({ error: { message: "slow down" } }, 429, { "retry-after": "7" });
    const { error } = await outcome(client, stream);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.headers.get("retry-after")).toBe("7");
  });

  test("a 500, and a page of a proxy, are errors in the form of this API", async () => {
    const { client, upstream } = await serving({
      "/completion": json({ error: { message: "broken", code: 500 } }, 500),
    });
    const { error } = await outcome(client, stream);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect([error.status, error.error.message]).toEqual([500, "broken"]);
    upstream.answers["/completion"] = (response) =>
      response.writeHead(503, { "content-type": "text/html", "retry-after": "3" }).end("<h1>Down</h1>");
    const page = (await outcome(client, stream)).error;
    expect([page.status, page.error.message]).toEqual([503, "The server answered 503 Service Unavailable: Down"]);
    expect(page.headers.get("content-type")).toBe("application/json");
    expect(page.headers.get("retry-after")).toBe("3");
  });

  test("an upstream that is not there", async () => {
    const { client, upstream, metrics } = await serving();
    await upstream.close();
    const { error } = await outcome(client, stream);
    expect([error.status, error.code, error.type]).toEqual([502, "upstream_unreachable", "upstream_error"]);
    expect(await metrics()).toContain('upstream_errors_total{code="upstream_unreachable"} 1');
  });

  test("an upstream that is no llama.cpp server", async () => {
    const { client } = await serving({ "/props": json({ error: { message: "no such path" } }, 404) });
    const { error } = await outcome(client, stream);
    expect([error.status, error.code]).toEqual([502, "upstream_malformed"]);
    expect(error.message).toContain("--mode repair");
  });

  test("a hung upstream is a 504 after the timeout, and is let go", async () => {
    const { client, upstream } = await serving({ "/completion": hang }, { timeout: 300 });
    const { error } = await outcome(client, stream);
    expect([error.status, error.code]).toEqual([504, "upstream_timeout"]);
    await until(() => upstream.brokenOff === 1);
  });

  test("one that hangs in the middle", async () => {
    const { client, log, logged } = await serving({ "/completion": begins(half) }, { timeout: 2000 });
    const { error, seen } = await outcome(client, stream);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect([error.status, error.code]).toEqual([stream ? undefined : 504, "upstream_timeout"]);
    expect(seen.some((chunk) => chunk.choices[0].finish_reason)).toBe(false);
    await logged(1);
    expect([log[0]!.status, log[0]!.level, log[0]!.code]).toEqual([504, "error", "upstream_timeout"]);
  });

  test("one that vanishes in the middle: what was certain, and an error instead of an end", async () => {
    const { client, post } = await serving({ "/completion": begins(half, (response) => response.destroy()) });
    const { error, seen } = await outcome(client, stream);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect([error.status, error.code]).toEqual([stream ? undefined : 502, "upstream_incomplete"]);
    expect(seen.some((chunk) => chunk.choices[0].finish_reason)).toBe(false);
    if (!stream) return;
    expect(seen.map((chunk) => chunk.choices[0].delta.content ?? "").join("")).toBe("Look:\n");
    const text = await (await post({ ...request, stream })).text();
    expect(text).not.toContain("[DONE]");
    expect(JSON.parse(text.trim().split("\n").at(-1)!.slice("data: ".length))).toEqual({
      error: { message: expect.any(String), type: "upstream_error", code: "upstream_incomplete", param: null },
    });
  });

  test("one that closes before its last event", async () => {
    const { client } = await serving({ "/completion": begins(half, (response) => response.end()) });
    expect((await outcome(client, stream)).error.code).toBe("upstream_incomplete");
  });

  test("an error in the middle of the stream", async () => {
    const failing = begins([...half, event({ error: { code: 500, message: "out of memory", type: "server_error" } })]);
    const { client } = await serving({ "/completion": failing });
    const { error } = await outcome(client, stream);
    expect(error.code).toBe("upstream_refused");
    expect([error.status, error.message, error.type]).toEqual([
      ...[stream ? undefined : 500, stream ? "out of memory" : "500 out of memory", "server_error"],
    ]);
  });

  test("a client that goes away ends the generation", async () => {
    const { upstream, url, logged } = await serving({ "/completion": begins(half) });
    const controller = new AbortController();
    const answer = fetch(`${url}/v1/chat/completions`, {
      ...{ method: "POST", signal: controller.signal, body: JSON.stringify({ ...request, stream }) },
    });
    if (stream) await (await answer).body!.getReader().read();
    else await until(() => upstream.paths().includes("/completion"));
    expect(upstream.brokenOff).toBe(0);
    controller.abort();
    if (!stream) await expect(answer).rejects.toThrow();
    await until(() => upstream.brokenOff === 1);
    expect(await logged(1)).toMatchObject({ status: 499, level: "info", code: "client_gone" });
  });

  test("of several choices the others end when one fails", async () => {
    let count = 0;
    const { post, upstream } = await serving({
      "/completion": (response, asked) =>
        count++ === 0
          ? begins(half)(response, asked)
          : json({ error: { message: "no", code: 500 } }, 500)(response, asked),
    });
    const response = await post({ ...request, n: 2, stream });
    expect(await response.text()).toContain('"error"');
    await until(() => upstream.brokenOff === 1);
  });
});

test("an upstream that is loading its model: the error, and /health says so", async () => {
  const loading = json({ error: { code: 503, message: "Loading model", type: "unavailable_error" } }, 503);
  const { client, url, upstream } = await serving({ "/props": loading, "/health": loading });
  const { error } = await outcome(client, false);
  expect([error.status, error.error.type]).toEqual([503, "unavailable_error"]);
  const health = await fetch(`${url}/health`);
  expect([health.status, (await health.json()).error]).toMatchObject([503, { message: "Loading model" }]);
  upstream.answers["/health"] = replay("health.json.txt");
  const fine = await fetch(`${url}/health`);
  expect([fine.status, await fine.json()]).toEqual([200, { status: "ok" }]);
  await upstream.close();
  const gone = await fetch(`${url}/health`);
  expect([gone.status, (await gone.json()).error.code]).toEqual([503, "upstream_unreachable"]);
});

test("a kept connection that the upstream closes when it is used again is made anew, once", async () => {
  const seen: number[] = [];
  let answers = true;
  const server = createServer((socket) => {
    const connection = seen.push(0) - 1;
    socket.on("error", () => {});
    socket.on("data", () => {
      // what is sent on it later is lost, as where the upstream has just given the connection up
      if (seen[connection]!++ > 0 || !answers) socket.destroy();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const upstream = upstreamFetch({ timeout: 60_000 });
  const ask = (): Promise<Response> =>
    upstream.fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: "POST", body: "x" });
  try {
    const first = await Promise.all([ask(), ask(), ask()]);
    for (const response of first) expect(await response.text()).toBe("OK");
    // three are kept: the first that is used again fails, and the other two must not be tried after it
    expect(await (await ask()).text()).toBe("OK");
    expect([...seen].sort()).toEqual([1, 1, 1, 2]);
    answers = false;
    await expect(ask()).rejects.toThrow();
    expect([...seen].sort()).toEqual([1, 1, 1, 2, 2]);
  } finally {
    upstream.close();
    server.close();
  }
});

test("a failure is counted and logged without anything of what was written", async () => {
  const { post, log, metrics } = await serving({ "/completion": json({ error: { message: "no" } }, 500) });
  await (
    await post({ ...request, messages: [{ role: "user", content: "my secret" }] }, { authorization: "Bearer key-1" })
  ).text();
  expect(JSON.stringify(log)).not.toMatch(/secret|key-1/);
  expect(log).toEqual([
    {
      ...{ time: expect.any(String), level: "error", event: "request", id: expect.any(String), method: "POST" },
      ...{ path: "/v1/chat/completions", status: 500, ms: expect.any(Number), model: "tiny", format: "hermes" },
      ...{ stream: false, calls: 0, error: "no", code: "upstream_refused" },
    },
  ]);
  expect(await metrics()).toContain('requests_total{route="chat",status="500"} 1');
});
