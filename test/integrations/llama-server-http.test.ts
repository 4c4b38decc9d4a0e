import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createLlamaServer, LlamaServerError, readChatStream } from "../../src/integrations/llama-server.ts";
import { captured, captures, readAll, tools } from "./llama-server-captures.ts";

type Completion = (response: ServerResponse, request: IncomingMessage) => void;

let close: () => Promise<void> = async () => {};
afterEach(() => close());

/** A real server on a real socket, which answers with captures. */
async function listen(completion: Completion): Promise<string> {
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const file = { "/props": "props.json.txt", "/apply-template": "apply-template.json.txt" }[request.url ?? ""];
    response.writeHead(200, { "content-type": file === undefined ? "text/event-stream" : "application/json" });
    if (file === undefined) completion(response, request);
    else response.end(captured(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const file = "completion-stream-hermes.sse.txt";
const half = captured(file).subarray(0, 4000);
const messages = [{ role: "user", content: "How is the weather?" }];

test("the chunks of a real server, several chats over one client", async () => {
  const { httpChunks } = captures.find((one) => one.file === file) as { httpChunks?: number[] };
  const baseUrl = await listen((response) => {
    let at = 0;
    for (const length of httpChunks ?? []) response.write(captured(file).subarray(at, (at += length)));
    response.end();
  });
  const server = createLlamaServer({ baseUrl });
  const replies = await Promise.all(Array.from({ length: 20 }, () => server.chat({ messages }).result()));
  expect(replies.map(({ calls, finish }) => [calls.length, finish])).toEqual(Array(20).fill([1, "tool-calls"]));
});

test("a socket that is destroyed in mid-stream", async () => {
  const baseUrl = await listen((response) => response.write(half, () => response.destroy()));
  const result = await createLlamaServer({ baseUrl }).chat({ messages }).result();
  expect(result).toMatchObject({ finish: "truncated", calls: [], rejected: [{ name: "get_weather" }] });
  expect(result.error).toMatchObject({ kind: "incomplete", message: expect.stringContaining("connection was lost") });
});

test("a server that closes too early", async () => {
  const baseUrl = await listen((response) => response.end(half));
  const { error, finish } = await createLlamaServer({ baseUrl }).chat({ messages }).result();
  expect([error?.kind, finish]).toEqual(["incomplete", "truncated"]);
});

test.each(["the signal", "leaving the loop", "the first problem"])("%s closes the connection", async (how) => {
  let closed: () => void = () => {};
  const upstream = new Promise<void>((resolve) => (closed = resolve));
  const baseUrl = await listen((response) => {
    response.on("close", () => closed());
    response.write('data: {"content": "<tool_call>{\\"name\\": \\"search\\", \\"arguments\\": {\\"query\\": ["}\n\n');
  });
  const controller = new AbortController();
  const request = { messages, tools, signal: controller.signal, stopOnProblem: how === "the first problem" };
  const reply = createLlamaServer({ baseUrl }).chat(request);
  const reading = (async () => {
    for await (const event of reply) {
      if (how === "leaving the loop") break;
      if (how === "the signal" && event.type === "tool-problem") controller.abort();
    }
  })();
  if (how === "the signal") await expect(reading).rejects.toMatchObject({ kind: "aborted" });
  else await reading;
  await upstream;
});

test("a chat stream over a socket, and an abort while nothing comes", async () => {
  const url = await listen((response, request) => {
    if (request.url === "/v1/chat/completions") response.end(captured("echo-hermes-text-then-two.sse.txt"));
    else response.flushHeaders();
  });
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: "{}" });
  const { result } = await readAll(readChatStream(response, { format: "hermes", tools }));
  expect(result.calls.map(({ name }) => name)).toEqual(["get_weather", "search"]);

  const signal = AbortSignal.timeout(50);
  const error = await createLlamaServer({ baseUrl: url })
    .chat({ messages, signal })
    .result()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LlamaServerError);
  expect(error).toMatchObject({ kind: "aborted", cause: { name: "TimeoutError" } });
});
