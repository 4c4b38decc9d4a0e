import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../src/cli/run.ts";
import { detectFormat, formatNames, getFormat } from "../src/index.ts";
import { type GgufValue, gguf } from "./support/gguf.ts";
import { sharedFile } from "./support/shared.ts";

const folder = mkdtempSync(join(tmpdir(), "tool-call-parser-detect-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HERMES = `{%- for call in message.tool_calls %}{{- '<tool_call>\\n{"name": "' + call.name + '", "arguments": ' }}
{{- call.arguments | tojson }}{{- '}\\n</tool_call>' }}{%- endfor %}`;
const MISTRAL = `{{- "[TOOL_CALLS]" + call.name + "[ARGS]" + call.arguments | tojson }}`;
const PLAIN = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}";

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `detect`; the input arrives in pieces of the given size. */
async function detect(args: string[], input: string | Uint8Array = "", size = 1_000_000): Promise<Outcome> {
  const bytes = Buffer.from(input);
  const stdin = (async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  })();
  const stdout = new PassThrough().setEncoding("utf8");
  const stderr = new PassThrough().setEncoding("utf8");
  const { code } = await run(["detect", ...args], { stdin, stdout, stderr, env: {} });
  return { code, stdout: (stdout.read() as string | null) ?? "", stderr: (stderr.read() as string | null) ?? "" };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function found(format: string): Outcome {
  return { code: 0, stdout: `${format}\n`, stderr: "" };
}

test("the templates of these tests are known", () => {
  expect([HERMES, MISTRAL, PLAIN].map((chatTemplate) => detectFormat({ chatTemplate }))).toEqual([
    "hermes",
    "mistral",
    null,
  ]);
});

describe("a chat template", () => {
  test("from a file, and from standard input", async () => {
    const path = file("chat_template.jinja", HERMES);
    expect(await detect([path])).toEqual(found("hermes"));
    expect(await detect([], HERMES)).toEqual(found("hermes"));
    expect(await detect(["-"], HERMES, 3)).toEqual(found("hermes"));
    expect(await detect(["-"], `\ufeff${HERMES}`)).toEqual(found("hermes"));
  });

  test("says by what it was found", async () => {
    const { stdout } = await detect(["--json"], MISTRAL);
    expect(JSON.parse(stdout)).toEqual({ format: "mistral", by: "template", template: "default" });
  });

  test("that teaches no format gives 1, nothing on standard output, and a message", async () => {
    const { code, stdout, stderr } = await detect([], PLAIN);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      "tool-call-parser: standard input tells of no known format. --format auto reads all formats.\n",
    );
    const json = await detect(["--json"], PLAIN);
    expect({ ...json, stdout: JSON.parse(json.stdout) }).toEqual({ code: 1, stdout: { format: null }, stderr: "" });
  });

  test("goes before the name, which is asked where the template does not tell", async () => {
    expect(await detect(["-", "--model", "Qwen/Qwen3-0.6B"], MISTRAL)).toEqual(found("mistral"));
    expect(await detect(["-", "--model", "Qwen/Qwen3-0.6B"], PLAIN)).toEqual(found("hermes"));
  });

  const list = sharedFile("templates/formats.json");
  const templates = list === null ? {} : (JSON.parse(readFileSync(list, "utf8")) as Record<string, string | null>);
  test.runIf(list !== null)("of real models, as they are and in a GGUF file", async () => {
    for (const name of Object.keys(templates)) {
      const path = sharedFile(`templates/${name}`) as string;
      const chatTemplate = readFileSync(path, "utf8");
      const format = detectFormat({ chatTemplate });
      const stdout = format === null ? "" : `${format}\n`;
      expect(await detect([path]), name).toMatchObject({ stdout });
      expect(await detect([], gguf({ "tokenizer.chat_template": chatTemplate })), name).toMatchObject({ stdout });
    }
  });
});

describe("a JSON file", () => {
  test.each<[string, unknown, unknown]>([
    ["with a template", { chat_template: MISTRAL }, { format: "mistral", by: "template", template: "default" }],
    [
      "with a list of templates: the one for tools comes first",
      {
        chat_template: [
          { name: "default", template: MISTRAL },
          { name: "tool_use", template: HERMES },
        ],
      },
      { format: "hermes", by: "template", template: "tool_use" },
    ],
    [
      "with templates by name",
      { chat_template: { rag: PLAIN, tool_use: HERMES } },
      { format: "hermes", by: "template", template: "tool_use" },
    ],
    [
      "with a name only",
      { chat_template: PLAIN, name_or_path: "Qwen/Qwen3-8B" },
      { format: "hermes", by: "model", model: "Qwen/Qwen3-8B" },
    ],
  ])("%s", async (_what, config, expected) => {
    const { code, stdout } = await detect(["--json", file("tokenizer_config.json", JSON.stringify(config))]);
    expect(JSON.parse(stdout)).toEqual(expected);
    expect(code).toBe(0);
    expect(await detect(["--json"], `\ufeff${JSON.stringify(config, null, 2)}`)).toMatchObject({ stdout });
  });

  test.each<[string, unknown]>([
    ["nothing of use", { model_max_length: 4096 }],
    ["no template", { chat_template: null }],
    ["a list of other things", { chat_template: [null, 1, "x", {}] }],
    ["a list", []],
    ["null", null],
  ])("with %s gives 1", async (_what, config) => {
    expect(await detect([file("config.json", JSON.stringify(config))])).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("a GGUF file", () => {
  /** One of each type, lists of them, a list of lists, and a vocabulary that does not fit into one read. */
  const around: Record<string, GgufValue> = {
    "general.architecture": "gull",
    a: { uint8: 7 },
    b: { int8: -7 },
    c: { uint16: 7 },
    d: { int16: -7 },
    e: { uint32: 7 },
    f: { int32: -7 },
    g: { float32: 0.5 },
    h: { bool: true },
    i: { uint64: 7n },
    j: { int64: -7n },
    k: { float64: 0.5 },
    "tokenizer.ggml.tokens": Array.from({ length: 30_000 }, (_, index) => `token ${index} 港`),
    "tokenizer.ggml.scores": Array.from({ length: 30_000 }, (_, index) => ({ float32: index })),
    "tokenizer.ggml.flags": [{ bool: true }, { bool: false }],
    lists: [["a", "b"], ["c"]],
    empty: [],
  };

  test.each([2, 3])("of version %i, among all types of values, however it arrives", async (version) => {
    const bytes = gguf({ ...around, "tokenizer.chat_template": HERMES, "general.file_type": { uint32: 15 } }, version);
    expect(await detect([file("gull.gguf", bytes)])).toEqual(found("hermes"));
    for (const size of [997, 65_536]) expect(await detect([], bytes, size)).toEqual(found("hermes"));
    const small = gguf({ a: { uint64: 1n }, list: ["x", "y"], "tokenizer.chat_template": HERMES }, version);
    for (const size of [1, 2, 3, 7]) expect(await detect([], small, size)).toEqual(found("hermes"));
  });

  test("the template for tools comes first, then the default one, then the others", async () => {
    const templates = { "tokenizer.chat_template": MISTRAL, "tokenizer.chat_templates": ["rag", "tool_use"] };
    const tools = await detect(["--json"], gguf({ ...templates, "tokenizer.chat_template.tool_use": HERMES }));
    expect(JSON.parse(tools.stdout)).toEqual({ format: "hermes", by: "template", template: "tool_use" });
    const rag = await detect(["--json"], gguf({ ...templates, "tokenizer.chat_template.rag": HERMES }));
    expect(JSON.parse(rag.stdout)).toEqual({ format: "mistral", by: "template", template: "default" });
    const only = gguf({ "tokenizer.chat_template": PLAIN, "tokenizer.chat_template.rag": HERMES });
    expect(JSON.parse((await detect(["--json"], only)).stdout)).toMatchObject({ template: "rag" });
  });

  test("its name is asked where no template tells; the one that was given comes first", async () => {
    const bytes = gguf({ "general.name": "Qwen3 8B Instruct", "general.basename": "Mistral-Small" });
    const byName = { format: "hermes", by: "model", model: "Qwen3 8B Instruct" };
    expect(JSON.parse((await detect(["--json"], bytes)).stdout)).toEqual(byName);
    expect(await detect(["-", "--model", "Mistral-Small"], bytes)).toEqual(found("mistral"));
    const unknown = gguf({ "general.name": "Gull", "general.basename": "Mistral-Small" });
    expect(await detect([], unknown)).toEqual(found("mistral"));
  });

  test("its tensors are not read", async () => {
    let pieces = 0;
    const stdin = (async function* () {
      yield gguf({ "tokenizer.chat_template": HERMES });
      for (; pieces < 10; pieces++) yield new Uint8Array(1000);
    })();
    const stdout = new PassThrough().setEncoding("utf8");
    const { code } = await run(["detect"], { stdin, stdout, stderr: new PassThrough(), env: {} });
    expect({ code, stdout: stdout.read(), pieces }).toEqual({ code: 0, stdout: "hermes\n", pieces: 0 });
  });

  test("that says nothing gives 1", async () => {
    expect(await detect([], gguf({}))).toMatchObject({ code: 1, stdout: "" });
    expect(await detect([], gguf({ "tokenizer.chat_template": { uint32: 1 } }))).toMatchObject({ code: 1, stdout: "" });
  });

  const whole = gguf({ a: ["x"], "tokenizer.chat_template": HERMES });
  function patched(at: number, ...bytes: number[]): Uint8Array {
    const copy = Uint8Array.from(whole);
    copy.set(bytes, at);
    return copy;
  }
  test.each<[string, Uint8Array, RegExp]>([
    ["of version 1", patched(4, 1), /version 1, which is no longer in use/],
    ["of a later version", patched(4, 9), /of version 9; versions 2 and 3 are read/],
    ["with the big end first", patched(4, 0, 0, 0, 3), /big-endian/],
    ["with an impossible length", patched(24, 255, 255, 255, 255, 255, 255, 255, 255), /a length .* cannot be true/],
    ["with an endless key", patched(24, 255, 255, 255, 0), /a text of 16777215 bytes/],
    ["with an unknown type", patched(33, 99), /no type 99/],
    ["that promises more", patched(16, 200), /ends inside its metadata/],
    ["of lists within lists", gguf({ a: [[[[[[[[[["x"]]]]]]]]]] }), /lists within lists/],
  ])("that is broken, %s, gives 2 and a message", async (_what, bytes, message) => {
    const { code, stdout, stderr } = await detect([file("broken.gguf", bytes)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^tool-call-parser: .*broken\.gguf is .*\.\n$/);
    expect(stderr).toMatch(message);
  });

  test("that was cut off anywhere gives 2 and a message", async () => {
    for (let length = 4; length < whole.length; length++) {
      const { code, stdout, stderr } = await detect([], whole.subarray(0, length));
      expect({ code, stdout, length }).toEqual({ code: 2, stdout: "", length });
      expect(stderr).toBe("tool-call-parser: standard input is a broken GGUF file: it ends inside its metadata.\n");
    }
  });

  test("that is damaged anywhere ends with an answer or a message", async () => {
    for (let at = 4; at < whole.length; at++) {
      for (const byte of [0, 1, 9, 127, 255]) expect([0, 1, 2]).toContain((await detect([], patched(at, byte))).code);
    }
  });
});

describe("an output", () => {
  test("of any format is of that format, or of one that writes it in the same way", async () => {
    const turn = { calls: [{ name: "tide_level", arguments: { port: "Oban" } }] };
    for (const name of formatNames()) {
      const { code, stdout } = await detect(["--output"], getFormat(name).render(turn));
      expect({ name, code }).toEqual({ name, code: 0 });
      expect(formatNames()).toContain(stdout.trim());
    }
  });

  test("from a file, with its opener", async () => {
    const path = file("output.txt", 'One moment. [TOOL_CALLS]tide_level[ARGS]{"port": "Oban"}');
    expect(await detect(["--output", path])).toEqual(found("mistral"));
    expect(JSON.parse((await detect(["--output", "--json", path])).stdout)).toEqual({
      format: "mistral",
      by: "output",
    });
  });

  test("without a call gives 1", async () => {
    const { code, stdout, stderr } = await detect(["--output"], "Write <tool_call> and then JSON.");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/standard input has no call of a known format/);
  });
});

describe("a model's name", () => {
  test("alone is enough; nothing is read", async () => {
    expect(await detect(["--model", "Qwen/Qwen3-Coder-30B-A3B-Instruct"])).toEqual(found("qwen3-coder"));
  });

  test("that nobody knows gives 1", async () => {
    const { code, stdout, stderr } = await detect(["--model", "Gull-7B"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/No known format has a model "Gull-7B"/);
  });
});

describe("wrong use exits with 2 and says why", () => {
  const broken = file("broken.json", '{"chat_template": ');
  const binary = file("model.safetensors", Uint8Array.of(8, 0, 0, 0, 0, 0, 0, 0, 123));
  test.each<[string, string[], RegExp]>([
    ["a missing file", ["nope.gguf"], /nope\.gguf does not exist/],
    ["a directory", [folder], /is a directory/],
    ["JSON that is none", [broken], /broken\.json is not valid JSON/],
    ["another binary file", [binary], /model\.safetensors is a binary file/],
    ["a name and an output", ["--model", "x", "--output"], /exclude each other/],
    ["an option of another command", ["--format", "x"], /--format means nothing to detect/],
  ])("%s", async (_what, args, message) => {
    const { code, stdout, stderr } = await detect(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});
