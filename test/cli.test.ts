import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../src/cli/run.ts";
import { formatNames, getFormat, type ParseResult, type ParserEvent, parse } from "../src/index.ts";
import { builtCli } from "./cli-build.ts";
import { root } from "./support/shared.ts";

const cli = builtCli();
const folder = mkdtempSync(join(tmpdir(), "tool-call-parser-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOOLS = "examples/tools.json";
const CALL = '<tool_call>\n{"name": "tide_level", "arguments": {"port": "Oban"}}\n</tool_call>';
const TURN = { content: "One moment.", calls: [{ name: "tide_level", arguments: { port: "Oban", days: 2 } }] };
const BROKEN = '<tool_call>\n{"name": "tide_level", "arguments": {"port": Oban}}\n</tool_call>';

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [cli, ...args], { cwd: root });
}

/** Runs the command line as a shell would, with the input in the given pieces. */
async function call(args: string[], ...input: (string | Uint8Array)[]): Promise<Outcome> {
  const child = start(...args);
  const done = finished(child);
  for (const piece of input) {
    child.stdin.write(piece);
    // long enough to be read on its own, as a rule; nothing depends on it
    if (input.length > 1) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.stdin.end();
  return done;
}

function finished(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdin.on("error", () => {});
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function records<T>({ stdout }: Outcome): T[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

describe.concurrent("parse", () => {
  test("shows text, thoughts and calls, and sums them up", async () => {
    const { code, stdout, stderr } = await call(
      [],
      `<think>The tide first.\nThen the berth.</think>Let me look.\n${CALL}`,
    );
    expect(stdout).toBe(
      "│ The tide first.\n│ Then the berth.\n\nLet me look.\n\n" +
        '→ tide_level {"port":"Oban"}\n\n' +
        "1 call · 13 characters of content, 31 of reasoning · format hermes · finish tool-calls\n",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("reads a file, with or without the word parse, and standard input for -", async () => {
    const path = file("call.txt", CALL);
    const expected = await call([], CALL);
    expect(await call([path])).toEqual(expected);
    expect(await call(["parse", path])).toEqual(expected);
    expect(await call(["parse", "-"], CALL)).toEqual(expected);
  });

  test("shows a rejected call with its problem, its place and a caret, and exits with 1", async () => {
    const { code, stdout } = await call(["--format", "hermes"], BROKEN);
    expect(code).toBe(1);
    const line = '{"name": "tide_level", "arguments": {"port": Oban}}';
    expect(stdout).toContain(
      `  ✗ invalid-arguments at 2:46: Expected a value, but found "O".\n    ${line}\n    ${" ".repeat(45)}^\n`,
    );
    expect(stdout).toContain("0 calls, 1 rejected");
  });

  test("points at the value that a schema refuses, in JSON and in tags", async () => {
    const json = await call(["--tools", TOOLS], CALL.replace('"Oban"', '"Oban", "days": "many"'));
    const at = json.stdout.split("\n");
    const caret = at.findIndex((line) => /^ +\^$/.test(line));
    expect(at[caret - 1]!.slice(at[caret]!.indexOf("^"))).toMatch(/^"many"/);
    const tags = "<tool_call>\n<function=tide_level>\n<parameter=port>\nOban\n</parameter>\n<parameter=days>\nmany\n";
    const { stdout } = await call(["--format", "qwen3-coder", "--tools", TOOLS], `${tags}</parameter>\n</function>`);
    expect(stdout).toContain("✗ wrong-type at 7:1");
    expect(stdout).toContain("    many\n    ^\n");
  });

  test("is not misled by the same key around the arguments, or by a key that is missing", async () => {
    const tools = [
      { name: "greet", parameters: { properties: { name: { type: "string", minLength: 9 } }, required: ["name"] } },
    ];
    const path = file("greet.json", JSON.stringify(tools));
    const short = await call(
      ["--tools", path],
      '<tool_call>{"name": "greet", "arguments": {"name": "Ada"}}</tool_call>',
    );
    expect(short.stdout).toMatch(/✗ bad-length at 1:52: /);
    const missing = await call(["--tools", path], '<tool_call>{"name": "greet", "arguments": {}}</tool_call>');
    expect(missing.stdout).toMatch(/✗ missing-required at 1:1: /);
  });

  test("the caret stands under its place behind wide characters and tabs", async () => {
    const { stdout } = await call(["--format", "hermes"], BROKEN.replace('{"name"', '{\t"note": "港のé", "name"'));
    expect(stdout).toMatch(/✗ invalid-arguments at 2:62/);
    const [, line, caret] = /\n {4}(.*港.*)\n {4}( +)\^/.exec(stdout)!;
    // each of the three wide characters takes two columns
    expect(line![caret!.length - 2]).toBe("O");
  });

  test("names repairs and where they were made", async () => {
    const { code, stdout } = await call([], CALL.replace('"Oban"', "'Oban', 'days': 2,"));
    expect(code).toBe(0);
    expect(stdout).toContain("  repaired: single-quotes at 2:46 (2 times), trailing-comma at 2:64\n");
  });

  test("shows an unknown tool with what was meant for it", async () => {
    const { code, stdout } = await call(["--tools", TOOLS], CALL.replace("tide_level", "tides"));
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^→ tides\n {2}✗ unknown-tool at 1:1: .*"tides".*\n {4}<tool_call>\n {4}\^\n {4}\{"port":"Oban"\}\n/,
    );
  });

  test("control characters of the model are shown, not obeyed", async () => {
    const { stdout } = await call([], "a\u001b[2Jb\u007fc\u009b\rd\r\n");
    expect(stdout).toMatch(/^a␛\[2Jb␡c\ufffd␍d\n/);
  });

  test("--json prints the result that the library gives", async () => {
    const text = `Look.${CALL}${BROKEN}`;
    const { code, stdout } = await call(["--json"], text);
    const result = JSON.parse(stdout) as ParseResult;
    expect(code).toBe(1);
    expect(masked(result)).toEqual(masked(parse(text)));
  });

  test("--events prints the events, one a line", async () => {
    const outcome = await call(["--events"], `Look.${CALL}`);
    const events = records<ParserEvent>(outcome);
    expect(events.map(({ type }) => type)).toEqual([
      "text-delta",
      "tool-input-start",
      "tool-input-delta",
      "tool-call",
      "finish",
    ]);
    expect(outcome.code).toBe(0);
  });

  test("--format takes a name, an alias, and a module with a default or a named export", async () => {
    expect((await call(["--format", "qwen3", "--json"], CALL)).stdout).toContain('"format": "qwen3"');
    const own = await call(
      ["--format", "./examples/my-format.mjs", "--json"],
      readFileSync(`${root}examples/my-format.txt`),
    );
    expect(JSON.parse(own.stdout)).toMatchObject({ format: "harbour", calls: [{ name: "tide_level" }] });
    const dist = JSON.stringify(new URL("../dist/src/index.js", import.meta.url).href);
    const path = file(
      "mine.mjs",
      `import { bracketed } from ${dist};\nexport default bracketed({ open: "<<", close: ">>", separator: "::" });`,
    );
    expect((await call(["--format", path, "--json"], '<<ring::{"times": 4}>>')).stdout).toContain('"name": "ring"');
  });

  test("--tools takes a list, a request and a single tool", async () => {
    const tool = { name: "tide_level", parameters: { type: "object", properties: { port: { type: "string" } } } };
    for (const [name, tools] of Object.entries({
      list: [tool],
      request: { model: "m", tools: [tool] },
      single: tool,
    })) {
      const path = file(`${name}.json`, `\ufeff${JSON.stringify(tools)}`);
      expect((await call(["--tools", path], CALL)).code).toBe(0);
      expect((await call(["--tools", path], CALL.replace("tide_level", "tides"))).code).toBe(1);
    }
  });

  test("--prefill sets the state in which the output starts", async () => {
    const { stdout } = await call(["--format", "hermes", "--prefill", "<think>\n", "--json"], "Hm.</think>Yes.");
    expect(JSON.parse(stdout)).toMatchObject({ reasoning: "Hm.", content: "Yes." });
  });

  test("--validation chooses the profile", async () => {
    const text = CALL.replace('"Oban"', '"Oban", "days": "3"');
    expect((await call(["--tools", TOOLS], text)).code).toBe(0);
    expect((await call(["--tools", TOOLS, "--validation", "strict"], text)).code).toBe(1);
    expect((await call(["--tools", TOOLS, "--validation", "none"], text)).code).toBe(0);
  });

  test("--no-repair keeps to the format's own grammar", async () => {
    const text = CALL.replace('"Oban"', "'Oban'");
    expect((await call([], text)).code).toBe(0);
    expect((await call(["--no-repair"], text)).code).toBe(1);
  });

  test("--cut-off makes of what is not closed a truncated call", async () => {
    const { code, stdout } = await call(["--cut-off"], CALL.slice(0, 60));
    expect(code).toBe(1);
    expect(stdout).toContain("✗ truncated");
    expect(stdout).toContain("finish truncated");
  });
});

/** Ids are random. */
function masked(result: ParseResult): unknown {
  return JSON.parse(JSON.stringify(result), (key, value) => (key === "id" ? null : value));
}

describe.concurrent("input as it arrives", () => {
  test("text, arguments and problems come out before the input ends", async () => {
    const child = start("--format", "hermes", "--tools", TOOLS);
    const done = finished(child);
    const seen = (text: string): Promise<void> =>
      new Promise((resolve) => {
        let all = "";
        child.stdout.on("data", (chunk) => {
          all += chunk;
          if (all.includes(text)) resolve();
        });
      });
    let next = seen("Let me look.");
    child.stdin.write("Let me look.");
    await next;
    next = seen('→ book_berth {"port":"Oba');
    child.stdin.write('<tool_call>{"name": "book_berth", "arguments": {"port": "Oba');
    await next;
    next = seen("✗ invalid-arguments");
    child.stdin.write('n", "length": long');
    await next;
    child.stdin.end();
    expect((await done).code).toBe(1);
  });

  test("events come out as they happen", async () => {
    const child = start("--events");
    const done = finished(child);
    const first = new Promise<string>((resolve) => child.stdout.once("data", resolve));
    // one word alone may be a tool's name, in a format that has no marker before it
    child.stdin.write("Hello there");
    expect(JSON.parse(await first)).toEqual({ type: "text-delta", text: "Hello there" });
    child.stdin.end();
    await done;
  });

  test("a result comes out for each record before the next one", async () => {
    const child = start("--ndjson");
    const done = finished(child);
    for (const text of ["one", "two"]) {
      const result = new Promise<string>((resolve) => child.stdout.once("data", resolve));
      child.stdin.write(`${JSON.stringify(text)}\n`);
      expect(JSON.parse(await result)).toMatchObject({ content: text });
    }
    child.stdin.end();
    expect((await done).code).toBe(0);
  });

  test("a character that is cut between two reads is whole", async () => {
    const bytes = Buffer.from("Mögen 🐙 港");
    const { stdout, stderr } = await call(["--json"], ...[...bytes].map((byte) => Uint8Array.of(byte)));
    expect(JSON.parse(stdout)).toMatchObject({ content: "Mögen 🐙 港" });
    expect(stderr).toBe("");
  });

  test("a byte order mark and U+FFFD are text like any other", async () => {
    const { code, stdout, stderr } = await call(["--json"], "\ufeffa\ufffd");
    expect(JSON.parse(stdout)).toMatchObject({ content: "\ufeffa\ufffd" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.each([
    ["in the middle", Uint8Array.of(0x61, 0xff, 0x62), "a\ufffdb"],
    ["cut off at the end", Uint8Array.of(0x61, 0xc3), "a\ufffd"],
  ])("bytes that are not UTF-8, %s, become U+FFFD, with a warning", async (_where, bytes, content) => {
    const { code, stdout, stderr } = await call(["--json"], bytes);
    expect(JSON.parse(stdout)).toMatchObject({ content });
    expect(stderr).toBe("tool-call-parser: standard input has bytes that are not UTF-8; each is read as U+FFFD.\n");
    expect(code).toBe(0);
  });

  test("an empty input is an empty reply, and is pointed out", async () => {
    const { code, stdout, stderr } = await call(["--json"]);
    expect(JSON.parse(stdout)).toEqual(masked(parse("")));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "tool-call-parser: the input is empty.\n" });
    expect(await call(["--ndjson"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a reader that goes away ends it quietly, even while the input is still open", async () => {
    const child = start("--events");
    const done = finished(child);
    child.stdin.write("one more ");
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.stdout.destroy();
    const feeding = setInterval(() => child.stdin.write("more "), 20);
    const { code, stderr } = await done;
    clearInterval(feeding);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("ten megabytes through a slow reader", async () => {
    const child = start("--json");
    child.stdin.on("error", () => {});
    const size = 10_000_000;
    child.stdin.end("x".repeat(size));
    let length = 0;
    for await (const chunk of child.stdout) {
      length += chunk.length;
      if (length < 500_000) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(length).toBeGreaterThan(size);
  });
});

describe.concurrent("--ndjson", () => {
  test("gives one result for each record, in order, with what the record says", async () => {
    const tools = [{ name: "tide_level", parameters: { type: "object", properties: { port: { type: "string" } } } }];
    const lines = [
      JSON.stringify(CALL),
      JSON.stringify({ output: CALL, tools: [] }),
      JSON.stringify({ text: "Hm.</think>Yes.", format: "hermes", prefill: "<think>" }),
      JSON.stringify({ output: CALL.slice(0, 60), finished: false, tools, id: "row 4" }),
      JSON.stringify({ output: "Hi.", tools: null, format: null, prefill: null, finished: null }),
    ];
    const outcome = await call(["--ndjson"], `\ufeff${lines.join("\r\n")}`);
    const results = records<ParseResult & { id?: string }>(outcome);
    expect(results.map(({ finish, content, reasoning }) => ({ finish, content, reasoning }))).toEqual([
      { finish: "tool-calls", content: "", reasoning: "" },
      { finish: "stop", content: "", reasoning: "" },
      { finish: "stop", content: "Yes.", reasoning: "Hm." },
      { finish: "truncated", content: "", reasoning: "" },
      { finish: "stop", content: "Hi.", reasoning: "" },
    ]);
    expect(results[1]!.rejected[0]!.problems[0]!.kind).toBe("unknown-tool");
    expect(results[3]!.id).toBe("row 4");
    expect(outcome.code).toBe(1);
  });

  test("the command line says what a record leaves open", async () => {
    const outcome = await call(["--ndjson", "--format", "mistral", "--cut-off"], `${JSON.stringify("[TOOL_CALLS]")}\n`);
    expect(records<ParseResult>(outcome)[0]).toMatchObject({ format: "mistral", finish: "truncated" });
  });

  test("a bad line gives an error record, and the others stand", async () => {
    const bad = [
      "{nope",
      "",
      "[1]",
      "7",
      '{"output": 1}',
      '{"output": "", "format": "nope"}',
      '{"output": "", "tools": [{}]}',
    ];
    const more = ['{"output": "", "finished": "no"}', '{"id": 9, "format": "hermes"}'];
    const all = [...bad, ...more, '"good"'];
    const outcome = await call(["--ndjson"], `${all.join("\n")}\n`);
    const results = records<{ error?: string; line?: number; id?: number; content?: string }>(outcome);
    expect(results.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, undefined]);
    expect(results.slice(0, -1).every(({ error }) => (error ?? "") !== "")).toBe(true);
    expect(results[8]!.id).toBe(9);
    expect(results[9]!.content).toBe("good");
    expect(outcome.code).toBe(1);
  });
});

describe.concurrent("render", () => {
  const turn = readFileSync(`${root}examples/turn.json`, "utf8");

  test.each(formatNames())("%s: what it writes reads back", async (format) => {
    const rendered = await call(["render", "--format", format, "--tools", TOOLS], turn);
    expect({ code: rendered.code, stderr: rendered.stderr }).toEqual({ code: 0, stderr: "" });
    const back = await call(["--format", format, "--tools", TOOLS, "--json"], rendered.stdout);
    const { content, calls } = JSON.parse(back.stdout) as ParseResult;
    expect(content.trim()).toBe("I will look at the tide.");
    expect(calls).toMatchObject([{ name: "tide_level", arguments: { port: "Oban", days: 2 } }]);
  });

  test("takes what parse --json prints, from one format to another", async () => {
    const { stdout } = await call(["--json"], CALL);
    expect((await call(["render", "--format", "raw-json"], stdout)).stdout).toBe(
      '{"name":"tide_level","arguments":{"port":"Oban"}}',
    );
  });

  test("a turn that the format cannot carry is refused with 1", async () => {
    const { code, stdout, stderr } = await call(["render", "--format", "hermes"], JSON.stringify({ content: CALL }));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("hermes cannot carry this turn");
  });

  test.each([
    ["no format", ["render"], turn],
    ["auto", ["render", "--format", "auto"], turn],
    ["no JSON", ["render", "--format", "hermes"], "Hello"],
    ["a list", ["render", "--format", "hermes"], "[]"],
    ["calls without names", ["render", "--format", "hermes"], '{"calls": [{}]}'],
    ["content that is no text", ["render", "--format", "hermes"], '{"content": 1}'],
  ])("wrong use: %s", async (_what, args, input) => {
    const { code, stdout, stderr } = await call(args, input);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^tool-call-parser: ./);
  });
});

describe.concurrent("formats", () => {
  test("lists every format with its aliases and models", async () => {
    const { code, stdout } = await call(["formats"]);
    expect(code).toBe(0);
    for (const name of formatNames()) expect(stdout).toMatch(new RegExp(`^${name} `, "m"));
    expect(stdout).toContain("also: ministral");
    const { stdout: json } = await call(["formats", "--json"]);
    expect((JSON.parse(json) as { name: string }[]).map(({ name }) => name)).toEqual(formatNames());
  });

  test("shows one format, by name, alias or module", async () => {
    expect((await call(["formats", "qwen3"])).stdout).toMatch(/^stops +<\|im_end\|>/m);
    expect((await call(["formats", "./examples/my-format.mjs"])).stdout).toMatch(/^name +harbour$/m);
    expect((await call(["formats", "nope"])).code).toBe(2);
  });
});

describe.concurrent("validate", () => {
  const schema = "examples/schema.json";
  const kernel = file("kernel.json", '{"name": "wait", "args": [{"name": "days", "type": "int", "required": true}]}');

  test("prints the arguments as the profile takes them", async () => {
    const { code, stdout } = await call(["validate", "--schema", schema, "examples/arguments.json"]);
    expect({ code, value: JSON.parse(stdout) }).toEqual({ code: 0, value: { port: "Oban", days: 3 } });
    const lenient = await call(
      ["validate", "--schema", schema, "--profile", "lenient"],
      '{"port": "Oban", "days": "3"}',
    );
    expect({ code: lenient.code, value: JSON.parse(lenient.stdout) }).toEqual({
      code: 0,
      value: { port: "Oban", days: "3" },
    });
  });

  test("prints each problem with its path, and exits with 1", async () => {
    const { code, stdout } = await call(["validate", "--schema", schema, "--profile", "strict"], '{"days": "3"}');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ missing-required at \/port: /m);
    expect(stdout).toMatch(/^✗ wrong-type at \/days: /m);
  });

  test("points at what is not JSON", async () => {
    const { code, stdout } = await call(["validate", "--schema", schema], '{\n  "port": Oban\n}');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ malformed-json at 2:11: .*\n {4}"port": Oban\n {12}\^\n$/);
  });

  test("the kernel takes a whole call, and how a number is written counts", async () => {
    const args = ["validate", "--profile", "kernel", "--schema", kernel];
    expect((await call(args, '{"name": "wait", "args": {"days": 2}}')).code).toBe(0);
    expect((await call(args, '{"name": "wait", "args": {"days": 2.0}}')).code).toBe(1);
  });

  test("--json prints the verdict", async () => {
    const good = await call(["validate", "--json", "--schema", schema], '{"port": "Oban"}');
    expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, value: { port: "Oban" } });
    const bad = await call(["validate", "--json", "--schema", schema], "{}");
    expect(JSON.parse(bad.stdout)).toMatchObject({
      ok: false,
      problems: [{ kind: "missing-required", path: "/port" }],
    });
  });

  test.each([
    ["no schema", ["validate"]],
    ["a schema that does not exist", ["validate", "--schema", "nope.json"]],
    ["a schema that is no JSON", ["validate", "--schema", "README.md"]],
    ["an unknown profile", ["validate", "--schema", schema, "--profile", "none"]],
    ["a JSON Schema for the kernel", ["validate", "--schema", schema, "--profile", "kernel"]],
  ])("wrong use: %s", async (_what, args) => {
    const { code, stdout, stderr } = await call(args, "{}");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^tool-call-parser: ./);
  });
});

describe.concurrent("wrong use exits with 2 and says why", () => {
  mkdirSync(join(folder, "folder"));
  const notJson = file("tools.txt", "tools");
  const noTools = file("no-tools.json", "[{}]");
  const noFormat = file("no-format.mjs", "export const format = 1;");
  const broken = file("broken.mjs", "export const = ;");
  const binary = file("image.png", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d));

  test.each<[string, string[], RegExp]>([
    ["a missing file", ["nope.txt"], /nope\.txt does not exist/],
    ["a directory", [join(folder, "folder")], /folder is a directory/],
    ["a binary file", [binary], /image\.png is a binary file/],
    ["two files", ["a", "b"], /One file at a time/],
    ["an unknown option", ["--frmat", "hermes"], /--frmat/],
    ["an option without its value", ["--format"], /--format/],
    ["an option of another command", ["--schema", "x"], /--schema means nothing to parse/],
    ["an unknown format", ["--format", "nope"], /no format "nope"/],
    ["a module that does not exist", ["--format", "./nope.mjs"], /nope\.mjs cannot be loaded/],
    ["a module that cannot be read", ["--format", broken], /broken\.mjs cannot be loaded/],
    ["a module without a format", ["--format", noFormat], /exports no format/],
    ["a missing tools file", ["--tools", "nope.json"], /nope\.json does not exist/],
    ["tools that are no JSON", ["--tools", notJson], /tools\.txt is not valid JSON/],
    ["tools that are none", ["--tools", noTools], /no-tools\.json: tools\[0\]/],
    ["an unknown profile", ["--validation", "loose"], /--validation is one of coerce, /],
    ["two kinds of output", ["--json", "--events"], /exclude each other/],
    ["records and one result", ["--json", "--ndjson"], /exclude each other/],
    ["records and events", ["--events", "--ndjson"], /exclude each other/],
  ])("%s", async (_what, args, message) => {
    const { code, stdout, stderr } = await call(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^tool-call-parser: /);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

test("--help and --version", async () => {
  const { code, stdout, stderr } = await call(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage: tool-call-parser /);
  expect(await call(["render", "-h"])).toEqual({ code, stdout, stderr });
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };
  expect(await call(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.each(formatNames())("the account of %s is the same however the input arrives", async (format) => {
  async function account(size: number): Promise<string> {
    const example = `${root}examples/${format}-good.txt`;
    const bytes = existsSync(example) ? readFileSync(example) : Buffer.from(getFormat(format).render(TURN));
    const stdout = new PassThrough();
    stdout.setEncoding("utf8");
    const stdin = (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })();
    await run(["--format", format, "--tools", `${root}${TOOLS}`], {
      stdin,
      stdout,
      stderr: new PassThrough(),
      env: {},
    });
    return stdout.read() as string;
  }
  const whole = await account(1_000_000);
  for (const size of [1, 2, 3, 7, 20]) expect(await account(size)).toBe(whole);
});

describe.concurrent("colours", () => {
  /** The account as a terminal, or something else, would get it. */
  async function shown(isTTY: boolean, env: Record<string, string>): Promise<string> {
    const stdout = Object.assign(new PassThrough(), { isTTY, columns: 60 });
    stdout.setEncoding("utf8");
    const { code } = await run(["--format", "hermes", "--tools", `${root}${TOOLS}`], {
      stdin: (async function* () {
        yield Buffer.from(`<think>Hm.\nYes.</think>Look.${CALL.replace('"Oban"', "'Oban'")}${BROKEN}`);
      })(),
      stdout,
      stderr: new PassThrough(),
      env,
    });
    expect(code).toBe(1);
    return stdout.read() as string;
  }

  test("thoughts are dim, names, problems and repairs coloured on a terminal", async () => {
    const text = await shown(true, { TERM: "xterm" });
    expect(text).toContain("\u001b[2m│ Hm.\n│ Yes.\u001b[22m");
    expect(text).toContain("\u001b[36mtide_level\u001b[39m");
    expect(text).toContain("\u001b[33m  repaired: ");
    expect(text).toContain("\u001b[31m✗ invalid-arguments\u001b[39m");
  });

  test("without a terminal, with NO_COLOR, or on a dumb one the same text comes plain", async () => {
    const escapes = new RegExp(`${"\u001b"}\\[\\d+m`, "g");
    const plain = (await shown(true, { TERM: "xterm" })).replace(escapes, "");
    expect(await shown(false, {})).toBe(plain);
    expect(await shown(true, { NO_COLOR: "1" })).toBe(plain);
    expect(await shown(true, { TERM: "dumb" })).toBe(plain);
    expect(await shown(true, { NO_COLOR: "" })).not.toBe(plain);
  });
});

test("the tour of the examples runs to its end", async () => {
  const child = spawn(process.execPath, ["examples/run.mjs"], { cwd: root });
  const { code, stdout, stderr } = await finished(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const format of ["hermes", "mistral", "qwen3-coder", "raw-json"]) expect(stdout).toContain(`format ${format} `);
});
