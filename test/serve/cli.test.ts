import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join, relative } from "node:path";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { builtCli } from "../cli-build.ts";
import { tools } from "../integrations/llama-server-captures.ts";
import { collect } from "../integrations/openai-client.ts";
import { root } from "../support/shared.ts";
import { until } from "./serving.ts";
import { type Answer, begins, call, completionEvents, says, startUpstream, type Upstream } from "./upstream.ts";

const cli = builtCli();
const messages = [{ role: "user" as const, content: "How is the weather?" }];
const good = call("get_weather", { city: "Oban", days: 2 });

interface Program {
  url: string;
  child: ChildProcess;
  upstream: Upstream;
  lines: any[];
  stderr(): string;
  exited: Promise<{ code: number | null; signal: string | null }>;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The real program, as a user would start it. */
async function start(answers: Record<string, Answer> = {}, ...args: string[]): Promise<Program> {
  const upstream = await startUpstream(answers);
  const child = spawn(process.execPath, [cli, "serve", "--upstream", upstream.url, "--port", "0", ...args], {
    cwd: root,
  });
  closing.push(() => child.kill("SIGKILL"), upstream.close);
  const lines: any[] = [];
  let rest = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const whole = (rest + text).split("\n");
    rest = whole.pop()!;
    lines.push(...whole.map((line) => JSON.parse(line)));
  });
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  await until(() => lines.length > 0 || stderr !== "");
  return { url: lines[0]?.url, child, upstream, lines, stderr: () => stderr, exited };
}

async function refused(...args: string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [cli, "serve", ...args], { cwd: root });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}

describe("the program", () => {
  test("listens on the loopback, answers, and says everything as lines of JSON", async () => {
    const { url, lines, stderr, child, exited, upstream } = await start({ "/completion": says(good) });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 });
    const { choices } = await client.chat.completions.create({ model: "tiny", messages, tools });
    expect(choices[0]!.finish_reason).toBe("tool_calls");
    expect((await client.models.list()).data.length).toBe(1);
    child.kill("SIGTERM");
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(lines.map(({ event }) => event)).toEqual(["listening", "request", "request", "draining", "stopped"]);
    expect(lines[0]).toMatchObject({ upstream: upstream.url, mode: "raw" });
    expect(stderr()).toBe("");
  });

  test("SIGTERM: streams go on to their end, new connections are refused", async () => {
    const pieces = completionEvents("Gulls over the harbour.");
    let end = (): void => {};
    const answer: Answer = (response) => {
      response.writeHead(200).write(pieces[0]);
      end = () => response.end(pieces.slice(1).join(""));
    };
    const { url, child, exited, lines } = await start({ "/completion": answer });
    const client = new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({ model: "tiny", messages, stream: true });
    const reading = collect(stream);
    child.kill("SIGTERM");
    await until(() => lines.at(-1).event === "draining");
    const refusal = await new Promise<string | undefined>((resolve) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.on("connect", () => resolve("connected"));
    });
    expect(refusal).toBe("ECONNREFUSED");
    expect(child.exitCode).toBe(null);
    end();
    const text = (await reading).map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    expect(text).toBe("Gulls over the harbour.");
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(lines.at(-1)).toMatchObject({ event: "stopped", cutOff: 0 });
  });

  test("what is not over when the drain is, is cut off", async () => {
    const { url, child, exited, lines, upstream } = await start(
      { "/completion": begins(completionEvents("Gulls").slice(0, 1)) },
      "--drain",
      "0",
    );
    const response = await fetch(`${url}/v1/chat/completions`, {
      ...{ method: "POST", body: JSON.stringify({ messages, stream: true }) },
    });
    const reading = response.text();
    child.kill("SIGTERM");
    await expect(reading).rejects.toThrow();
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(lines.at(-1)).toMatchObject({ event: "stopped", cutOff: 1 });
    await until(() => upstream.brokenOff === 1);
  });

  test("a client that is killed ends the generation", async () => {
    const { url, upstream, lines } = await start({ "/completion": begins(completionEvents("Gulls").slice(0, 1)) });
    const script = `const r = await fetch(${JSON.stringify(`${url}/v1/chat/completions`)}, { method: "POST", body: ${JSON.stringify(
      JSON.stringify({ messages, stream: true }),
    )} }); for await (const _ of r.body) console.log("read");`;
    const client = spawn(process.execPath, ["--input-type=module", "-e", script]);
    await new Promise((resolve) => client.stdout.once("data", resolve));
    expect(upstream.brokenOff).toBe(0);
    client.kill("SIGKILL");
    await until(() => upstream.brokenOff === 1 && lines.some(({ event }) => event === "request"));
    expect(lines.at(-1)).toMatchObject({ status: 499, code: "client_gone" });
  });

  test("its options reach the server", async () => {
    const bad = call("get_weather", { city: "Oban", days: "soon" });
    const { url } = await start(
      { "/completion": says(bad) },
      "--rejected",
      "text",
      "--format",
      "hermes",
      "--max-body",
      "9000",
    );
    const post = (body: object): Promise<Response> =>
      fetch(`${url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
    const { choices } = await (await post({ messages, tools })).json();
    expect(choices[0].message.content).toContain('"soon"');
    expect((await post({ messages: [{ role: "user", content: "x".repeat(9000) }] })).status).toBe(413);
  });

  test("a port that is taken, and wrong options, are said in a sentence", async () => {
    const { url } = await start();
    const taken = await refused("--port", new URL(url).port);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining("cannot be listened on")]);
    for (const [args, said] of [
      [["--upstream", "localhost:8080"], "--upstream is a URL"],
      [["--upstream", "http://me:secret@localhost"], "--upstream is a URL"],
      [["--port", "70000"], "--port is a whole number"],
      [["--mode", "magic"], "--mode is one of raw, repair"],
      [["--retry", "-1"], "--retry"],
      [["--format", "morse"], "morse"],
      [["file.txt"], "reads no file"],
      [["--json"], "--json means nothing to serve"],
    ] as const) {
      const { code, stderr } = await refused(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
  });
});

test("the other commands do not load the server: it is imported when it is started", () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const statements = readFileSync(root + file, "utf8").matchAll(
      /^(?:import|export)\s+(?!type\b)(?:[^;"]*?\bfrom\s+)?"([^"]+)"/gm,
    );
    for (const [, from] of statements) {
      if (from!.startsWith(".")) follow(relative(root, join(root, dirname(file), from!)));
      else packages.add(from!);
    }
  };
  follow("src/cli/main.ts");
  expect(seen.has("src/cli/serve.ts")).toBe(true);
  expect([...packages].filter((name) => /hono/.test(name))).toEqual([]);
  expect([...seen].filter((file) => file.startsWith("src/serve/"))).toEqual([]);
});
