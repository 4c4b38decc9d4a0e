import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createServeApp } from "../../src/serve/app.ts";
import type { LogLine } from "../../src/serve/exchange.ts";
import { captured, responseOf } from "../integrations/llama-server-captures.ts";
import { serving, until } from "./serving.ts";
import { begins, hang, json, says } from "./upstream.ts";

const messages = [{ role: "user", content: "How is the weather?" }];

describe("everything else is passed through", () => {
  test("/v1/models, for the official client and byte for byte", async () => {
    const { client, url } = await serving();
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(["tiny"]);
    const text = await (await fetch(`${url}/v1/models`)).text();
    expect(text).toBe(captured("v1-models.json.txt").toString());
  });

  test("a POST with its path, query, headers and body", async () => {
    const answer = { object: "list", data: [{ index: 0, embedding: [0.5, 1] }], model: "tiny" };
    const { client, upstream, url, logged } = await serving({
      "/v1/embeddings": json(answer, 201, { "x-limit": "4" }),
    });
    const { data } = await client.embeddings.create({ model: "tiny", input: "tide", encoding_format: "float" });
    expect(data[0]!.embedding).toEqual([0.5, 1]);
    expect(upstream.asked[0]).toMatchObject({
      ...{ method: "POST", body: { model: "tiny", input: "tide", encoding_format: "float" } },
      headers: { authorization: "Bearer a-key", "content-type": "application/json", host: new URL(upstream.url).host },
    });
    const response = await fetch(`${url}/v1/embeddings?a=1&b=%20`, {
      method: "PUT",
      body: "raw",
      headers: { "x-one": "1" },
    });
    expect([response.status, response.headers.get("x-limit"), await response.json()]).toEqual([201, "4", answer]);
    expect(upstream.asked[1]).toMatchObject({
      method: "PUT",
      path: "/v1/embeddings?a=1&b=%20",
      text: "raw",
      headers: { "x-one": "1" },
    });
    expect(await logged(2)).toMatchObject({ method: "PUT", path: "/v1/embeddings", status: 201 });
  });

  test("a 404, an empty answer, a redirect, HEAD and DELETE", async () => {
    const { client, url, upstream } = await serving({
      "/empty": (response) => response.writeHead(204).end(),
      "/moved": (response) => response.writeHead(302, { location: "/v1/models" }).end(),
    });
    const error = await client.get("/nothing").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect((error as any).error).toEqual({ code: 404, message: "File Not Found", type: "not_found_error" });
    expect((await fetch(`${url}/empty`)).status).toBe(204);
    const moved = await fetch(`${url}/moved`, { redirect: "manual" });
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "/v1/models"]);
    const head = await fetch(`${url}/v1/models`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    await fetch(`${url}/v1/files/7`, { method: "DELETE" });
    expect(upstream.asked.slice(-2).map(({ method }) => method)).toEqual(["HEAD", "DELETE"]);
  });

  test("bytes that are no text, in both directions, packed ones as they are", async () => {
    const sent = randomBytes(300_000);
    const packed = gzipSync(randomBytes(200_000));
    const { url } = await serving({
      "/v1/audio": (response, asked) => {
        response.writeHead(200, { "content-type": "audio/wav", "x-length": asked.headers["content-length"] });
        response.end(packed);
      },
    });
    const response = await fetch(`${url}/v1/audio`, { method: "POST", body: sent });
    expect(response.headers.get("x-length")).toBe("300000");
    expect(Buffer.from(await response.arrayBuffer()).equals(packed)).toBe(true);
  });

  test("a stream comes as it is written", async () => {
    let more = (): void => {};
    const { url } = await serving({
      "/v1/completions": (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
        more = () => response.end("data: 2\n\n");
      },
    });
    const reader = (await fetch(`${url}/v1/completions`, { method: "POST", body: "{}" })).body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("data: 1\n\n");
    more();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("data: 2\n\n");
    expect((await reader.read()).done).toBe(true);
  });

  test("one that breaks breaks here, too, and is told of in the log", async () => {
    const { url, logged } = await serving({
      "/v1/completions": begins(["data: 1\n\n"], (response) => response.destroy()),
    });
    const response = await fetch(`${url}/v1/completions`, { method: "POST", body: "{}" });
    await expect(response.text()).rejects.toThrow();
    expect(await logged(1)).toMatchObject({ status: 502, level: "error", code: "upstream_incomplete" });
  });

  test("a client that goes away takes its request along", async () => {
    const { url, upstream, logged } = await serving({ "/v1/completions": begins(["data: 1\n\n"]), "/v1/rerank": hang });
    const controller = new AbortController();
    const { signal } = controller;
    const response = await fetch(`${url}/v1/completions`, { method: "POST", body: "{}", signal });
    await response.body!.getReader().read();
    const waiting = fetch(`${url}/v1/rerank`, { method: "POST", body: "{}", signal }).catch(() => {});
    await until(() => upstream.paths().length === 2);
    controller.abort();
    await waiting;
    await until(() => upstream.brokenOff === 2);
    expect([(await logged(1)).status, (await logged(2)).status]).toEqual([499, 499]);
  });

  test("an upstream that is not there, or says nothing", async () => {
    const { url, upstream } = await serving({ "/v1/models": hang }, { timeout: 200 });
    const silent = await fetch(`${url}/v1/models`);
    expect([silent.status, (await silent.json()).error.code]).toEqual([504, "upstream_timeout"]);
    await upstream.close();
    const gone = await fetch(`${url}/v1/models`);
    expect([gone.status, (await gone.json()).error.code]).toEqual([502, "upstream_unreachable"]);
  });

  test("GET on the chat route is the upstream's to answer", async () => {
    const { url, upstream } = await serving({ "/v1/chat/completions": json({ error: { message: "no" } }, 405) });
    expect((await fetch(`${url}/v1/chat/completions`)).status).toBe(405);
    expect(upstream.asked[0]!.method).toBe("GET");
  });

  test("no path leads to another host", async () => {
    const { url, upstream } = await serving();
    const { port } = new URL(url);
    for (const target of ["//example.com/x", "http://example.com/x", "/@example.com/x", "/../x"]) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
      let text = "";
      for await (const chunk of socket) text += chunk;
      expect(text, target).toContain("File Not Found");
    }
    expect(upstream.asked.length).toBe(4);
  });
});

describe("limits", () => {
  test("a body that is too long is a 413, said or not said beforehand, on all routes", async () => {
    const { url, post, upstream } = await serving({}, { maxBody: 1000 });
    const long = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2000) }] });
    const streamed = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < long.length; at += 100) controller.enqueue(Buffer.from(long.slice(at, at + 100)));
          controller.close();
        },
      });
    for (const path of ["/v1/chat/completions", "/v1/embeddings"]) {
      for (const body of [long, streamed()]) {
        const response = await fetch(url + path, { method: "POST", body, duplex: "half" } as RequestInit);
        expect(response.status).toBe(413);
        expect((await response.json()).error).toMatchObject({
          code: "request_too_large",
          type: "invalid_request_error",
        });
      }
    }
    expect(upstream.asked).toEqual([]);
    expect((await post({ messages })).status).toBe(200);
  });

  test("headers that are too long are a 431, what is no HTTP a 400, both as JSON", async () => {
    const { url } = await serving({}, { maxHeader: 2048 });
    const long = await fetch(`${url}/health`, { headers: { "x-long": "y".repeat(4000) } });
    expect([long.status, (await long.json()).error.type]).toEqual([431, "invalid_request_error"]);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("NOT HTTP AT ALL\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n[\s\S]*"error"/);
  });

  test("a client that takes nothing is let go, and the upstream with it; one that only waits is not", async () => {
    const piece = "x".repeat(100_000);
    const { url, upstream } = await serving(
      {
        "/endless": (response) => {
          const more = (): void => {
            while (!response.destroyed && response.write(piece));
            if (!response.destroyed) response.once("drain", more);
          };
          more();
        },
        "/slow": (response) => void setTimeout(() => response.end("at last"), 900),
      },
      { idle: 300 },
    );
    expect(await (await fetch(`${url}/slow`)).text()).toBe("at last");
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write("GET /endless HTTP/1.1\r\nhost: here\r\n\r\n");
    await until(() => upstream.brokenOff === 1);
    socket.destroy();
  });
});

test("a client of HTTP/1.0 gets a stream without chunks, which ends with the connection", async () => {
  const { url } = await serving({ "/completion": says("Gulls over the harbour.") });
  const body = JSON.stringify({ messages, stream: true });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(`POST /v1/chat/completions HTTP/1.0\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  const [head, events] = text.split("\r\n\r\n") as [string, string];
  expect(head.toLowerCase()).not.toContain("transfer-encoding");
  expect(events.startsWith("data: {")).toBe(true);
  expect(events.endsWith("}\n\ndata: [DONE]\n\n")).toBe(true);
});

describe("request ids", () => {
  test("that of the client is kept, one that cannot be is replaced", async () => {
    const { url, upstream, logged } = await serving();
    const kept = await fetch(`${url}/v1/models`, { headers: { "x-request-id": "trace-7" } });
    expect(kept.headers.get("x-request-id")).toBe("trace-7");
    expect([upstream.asked[0]!.headers["x-request-id"], (await logged(1)).id]).toEqual(["trace-7", "trace-7"]);
    const odd = await fetch(`${url}/v1/models`, { headers: { "x-request-id": 'a b"c' } });
    expect(odd.headers.get("x-request-id")).toMatch(/^req_\w{24}$/);
  });

  test("the official client finds it", async () => {
    const { client } = await serving({ "/completion": says("Fine.") });
    const completion = await client.chat.completions.create({ model: "tiny", messages: messages as any });
    expect(completion._request_id).toMatch(/^req_/);
  });
});

describe("/metrics", () => {
  test("is what Prometheus reads", async () => {
    const { url, post } = await serving();
    await (await post({ messages, stream: true })).text();
    await (await post({ messages })).text();
    await (await fetch(`${url}/v1/models`)).text();
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) tool_call_parser_\w+ .+|tool_call_parser_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? \d+(\.\d+)?(e-\d+)?)$/,
      );
    }
    const value = (series: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${series} `))
          ?.slice(series.length),
      );
    expect(value('tool_call_parser_requests_total{route="chat",status="200"}')).toBe(2);
    expect(value('tool_call_parser_requests_total{route="other",status="200"}')).toBe(1);
    expect(value("tool_call_parser_first_token_seconds_count")).toBe(1);
    expect(value("tool_call_parser_request_seconds_count")).toBe(2);
    expect(value('tool_call_parser_request_seconds_bucket{le="+Inf"}')).toBe(2);
    expect(value("tool_call_parser_active_requests")).toBe(0);
    expect(value("tool_call_parser_completion_tokens_total")).toBe(110);
    const buckets = [...text.matchAll(/request_seconds_bucket\{le="[^"]+"\} (\d+)/g)].map((match) => Number(match[1]));
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
  });
});

test("the app alone needs no server, and nothing of Node", async () => {
  const answers: Record<string, () => Response> = {
    "/props": () => responseOf("props.json.txt"),
    "/apply-template": () => responseOf("apply-template.json.txt"),
    "/completion": () => responseOf("completion-stream-hermes.sse.txt"),
    "/v1/models": () => responseOf("v1-models.json.txt"),
  };
  const fake = async (url: string): Promise<Response> => answers[new URL(url).pathname]!();
  const { app, drain } = createServeApp({ upstream: "http://a.example:9/", fetch: fake as typeof fetch });
  const response = await app.request("/v1/chat/completions", { method: "POST", body: JSON.stringify({ messages }) });
  expect([response.status, (await response.json()).choices[0].finish_reason]).toEqual([200, "stop"]);
  expect(await (await app.request("/v1/models")).json()).toMatchObject({ object: "list" });
  drain();
  const health = await app.request("/health");
  expect([health.status, (await health.json()).error.code]).toEqual([503, "draining"]);
});

test("an error of our own is a 500 that says nothing of it, but the log does", async () => {
  const log: LogLine[] = [];
  const fake = async (url: string): Promise<Response> => ({ ok: true, url }) as Response;
  const { app } = createServeApp({
    ...{ upstream: "http://a.example:9/", fetch: fake as typeof fetch, format: "hermes" },
    log(line) {
      log.push(line);
    },
  });
  const response = await app.request("/v1/models");
  expect([response.status, (await response.json()).error.message]).toEqual([500, "An internal error."]);
  expect(log[0]).toMatchObject({ level: "error", code: "internal_error", error: expect.stringContaining("TypeError") });
});

test.each(["not a url", "ftp://x/"])("%s is no upstream", (upstream) => {
  expect(() => createServeApp({ upstream })).toThrow(TypeError);
});

test("an unknown format is refused at once", () => {
  expect(() => createServeApp({ upstream: "http://x", format: "morse" })).toThrow(RangeError);
});
