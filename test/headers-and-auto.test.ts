import { describe, expect, test } from "vitest";
import { type ParserOptions, parse } from "../src/index.ts";
import { chunkingsBySize, expectChunkingNeverMatters } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";

const tools = ["f", "ring"].map((name) => ({ name, parameters: { type: "object" } }));

/** What came of an output, however it is chunked: content, calls with their repairs, problems, and the format. */
function read(format: string, text: string, rest: Partial<ParserOptions> = {}): string {
  const options = { format, tools, generateId, finished: true, ...rest };
  expectChunkingNeverMatters(text, options, chunkingsBySize(text));
  const { content, calls, rejected, format: found } = parse(text, options);
  const called = calls.map((call) => `${call.name}${call.argumentsText}${call.repairs.map(({ kind }) => ` ${kind}`)}`);
  const refused = rejected.map(({ name, problems }) => `${name}: ${problems[0]?.kind}`);
  return [content, ...called, ...refused, ...(format === "auto" ? [found] : [])]
    .filter((part) => part !== "")
    .join(" | ");
}

describe("the fence of DeepSeek V3", () => {
  const begin = "<｜tool▁calls▁begin｜>";
  const call = (body: string): string => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${body}<｜tool▁call▁end｜>`;
  const second = call('ring\n```json\n{"bell":"east"}\n```');

  test.each([
    ["as the template writes it", 'f\n```json\n{"a":1}\n```'],
    ["glued to the name", 'f```json\n{"a":1}\n```'],
    ["without line breaks", 'f```json{"a":1}```'],
    ["glued to the object", 'f\n```json{"a":1}\n```'],
    ["only its end", 'f{"a":1}```'],
    ["behind a surplus bracket", 'f\n```json\n{"a":1}}\n```'],
  ])("%s, and the next call stands", (_, body) => {
    expect(read("deepseek-v3", `${begin}${call(body)}\n${second}<｜tool▁calls▁end｜>`)).toBe(
      'f{"a":1} | ring{"bell":"east"}',
    );
  });
});

describe("the end of a fence that never began", () => {
  test("is dropped between the arguments and a closer", () => {
    const call = (name: string): string =>
      `<|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>{}\n\`\`\`<|tool_call_end|>`;
    const section = `<|tool_calls_section_begin|>${call("f")}${call("ring")}<|tool_calls_section_end|>`;
    expect(read("kimi-k2", section)).toBe("f{} | ring{}");
  });

  test("is content elsewhere", () => {
    expect(read("mistral", "[TOOL_CALLS]f[ARGS]{}\n``` and more")).toBe("\n``` and more | f{}");
  });
});

describe("the id that is a header of Kimi K2", () => {
  const section = (id: string): string =>
    `<|tool_calls_section_begin|><|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`;
  const one = { tools: tools.slice(0, 1) };

  test("may part the counter with a dot", () => {
    expect(read("kimi-k2", section("functions.f.0"))).toBe("f{} near-miss-name");
  });

  test.each(["0", "call_3", "toolu_01Akm", "7f3a9c2b-0000-4000-8000-000000000000"])(
    "without a name means the only tool: %s",
    (id) => {
      expect(read("kimi-k2", section(id), one)).toBe("f{} near-miss-name");
      expect(read("kimi-k2", section(id))).toBe(`${id}: unknown-tool`);
    },
  );

  test("with another name means no tool", () => {
    expect(read("kimi-k2", section("functions.g:0"), one)).toBe("g: unknown-tool");
  });
});

describe("objects in a row", () => {
  test.each(["raw-json", "llama3-json"])("%s: with a comma between them", (format) => {
    const call = (name: string): string => `{"name": "${name}", "parameters": {}}`;
    expect(read(format, `${call("f")}, ${call("ring")}`)).toBe("f{} | ring{}");
    expect(read(format, `${call("f")}, {"a": 1}`)).toBe(', {"a": 1} | f{}');
  });
});

describe("a damaged element of a list harms no sibling", () => {
  const ring = '{"name": "ring", "arguments": {}}';
  test.each([
    ['{"name": "f", "arguments": {"a": "x, "b": 2}}', "ring{} | f: invalid-arguments"],
    ['{"name": "", "arguments": {}}', "ring{}"],
    ['{"name": null, "arguments": {}}', "ring{}"],
    ['{"name": "f", "arguments": {"a": 1}}}', 'f{"a":1} | ring{}'],
    ['{"name": "f", "arguments": {"a": 1}]}', "ring{} | f: invalid-arguments"],
    [`${ring}, {"name": "", "arguments": {}}`, "ring{} | ring{} | null: invalid-arguments"],
  ])("%s", (element, expected) => {
    expect(read("jamba", `<tool_calls>[${element}, ${ring}]</tool_calls>`)).toBe(expected);
    expect(read("nemotron", `<TOOLCALL>[${element}, ${ring}]</TOOLCALL>`)).toBe(expected);
  });
});

describe("under auto a notation is that of the format that writes it", () => {
  const marked = (wrapper: string): string =>
    `<｜DSML｜${wrapper}>\n<｜DSML｜invoke name="f">\n</｜DSML｜invoke>\n</｜DSML｜${wrapper}>`;
  test.each([
    [marked("tool_calls"), "f{} | deepseek-v4"],
    [marked("function_calls"), "f{} | deepseek-v32"],
    ['<function=f>{"a": 1}</function>', 'f{"a":1} | llama3-function-tag'],
    ["<function=f>\n<parameter=a>\n1\n</parameter>\n</function>", 'f{"a":1} missing-opener | qwen3-coder'],
    ["[f(a=1)]", 'f{"a":1} | pythonic'],
  ])("%s", (text, expected) => {
    expect(read("auto", text)).toBe(expected);
  });
});

describe("under auto, what ends the turn in one format", () => {
  test("ends a message where the next one begins", () => {
    const text = "I cannot.<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>";
    expect(read("auto", text)).toBe("I cannot. | f{} | harmony");
  });

  test("ends the turn elsewhere", () => {
    expect(read("auto", "I cannot.<|end|>more")).toBe("I cannot. | auto");
    expect(read("auto", "I cannot.<|end|><|st")).toBe("I cannot. | auto");
  });
});
