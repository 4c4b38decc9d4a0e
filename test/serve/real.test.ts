import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServeApp } from "../../src/serve/app.ts";
import { listen } from "../../src/serve/node/listen.ts";
import { upstreamFetch } from "../../src/serve/node/upstream-fetch.ts";
import { tools } from "../integrations/llama-server-captures.ts";
import { accumulate, collect } from "../integrations/openai-client.ts";
import { makeTinyGguf } from "../real/make-tiny-gguf.ts";

const binary = process.env.LLAMA_SERVER;

/** A grammar says what the model writes, noise how it is cut into tokens. */
const grammar = (text: string): string => `root ::= ${JSON.stringify(text)}`;

const said = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich 🏔️", "days": 3}}\n</tool_call>';
const wrong = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oban", "days": "soon"}}\n</tool_call>';
const messages = [{ role: "user" as const, content: "How is the weather?" }];

describe.skipIf(binary === undefined)("a real llama-server (LLAMA_SERVER is its path)", () => {
  let folder: string;
  const upstream = upstreamFetch({ timeout: 60_000 });
  let child: ChildProcess;
  let client: OpenAI;
  let close: () => Promise<unknown>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tool-call-parser-serve-"));
    const model = join(folder, "random.gguf");
    writeFileSync(model, makeTinyGguf({ mode: "random", seed: 3 }));
    const port = await freePort();
    const flags = ["--no-warmup", "--no-webui", "--jinja", "--alias", "tiny", "-t", "1", "-np", "2", "-c", "8192"];
    child = spawn(binary!, ["-m", model, "--host", "127.0.0.1", "--port", String(port), ...flags], { stdio: "ignore" });
    const url = `http://127.0.0.1:${port}`;
    const { app } = createServeApp({ upstream: url, fetch: upstream.fetch });
    while ((await app.request("/health")).status !== 200) {
      if (child.exitCode !== null) throw new Error(`llama-server has ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const server = await listen({
      ...{
        fetch: (request, env) => app.fetch(request, env),
        host: "127.0.0.1",
        port: 0,
        maxHeader: 16_384,
        idle: 60_000,
      },
    });
    close = () => server.drain(0);
    client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
  });

  afterAll(async () => {
    await close?.();
    upstream.close();
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  async function both(text: string, more: object = {}): Promise<any[]> {
    const request: any = { model: "tiny", messages, tools, grammar: grammar(text), seed: 4, max_tokens: 300, ...more };
    const { choices } = await client.chat.completions.create(request);
    const chunks = await collect((await client.chat.completions.create({ ...request, stream: true })) as any);
    return [choices[0], accumulate(chunks as any)];
  }

  test("the same calls, streamed or not", async () => {
    for (const { message, finish_reason } of await both(said)) {
      expect(finish_reason).toBe("tool_calls");
      expect(message.tool_calls.map((one: any) => one.function)).toEqual([
        { name: "get_weather", arguments: '{"city":"Zürich 🏔️","days":3}' },
      ]);
    }
  });

  test("a rejected call, a cut, text", async () => {
    for (const { message } of await both(wrong)) {
      expect(message.tool_calls[0].function.arguments).toContain('"days" must be an integer');
    }
    for (const { finish_reason } of await both(said, { max_tokens: 12 })) expect(finish_reason).toBe("length");
    for (const { message, finish_reason } of await both("Gulls over the harbour.")) {
      expect([message.content, finish_reason]).toEqual(["Gulls over the harbour.", "stop"]);
    }
  });

  test("its errors, and its models", async () => {
    await expect(both("x", { grammar: "root ::= (" })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect((await client.models.list()).data[0]!.id).toBe("tiny");
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
