import { describe, expect, test } from "vitest";
import { type ParserOptions, parse } from "../src/index.ts";
import { chunkingsBySize, expectChunkingNeverMatters } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";

const tools = ["f", "g"].map((name) => ({ name, parameters: { type: "object" } }));
const call = '{"name": "f", "arguments": {"a": "x"}}';
const broken = '{"name": "g", "arguments": {"a": oops}}';

/** What an output means, however it is chunked: content, reasoning, names of calls, problems of rejected ones. */
function read(format: string, text: string, rest: Partial<ParserOptions> & { finished?: boolean } = {}): unknown[] {
  const options = { format, tools, generateId, finished: true, ...rest };
  expectChunkingNeverMatters(text, options, chunkingsBySize(text));
  const { content, reasoning, calls, rejected } = parse(text, options);
  return [
    content.trim(),
    reasoning.trim(),
    calls.map(({ name }) => name).join(),
    rejected.map(({ problems }) => problems[0]?.kind).join(),
  ];
}

describe("tags around an answer", () => {
  test.each([
    ["granite", "<response>Yes.</response>", "Yes."],
    ["granite", "Well!\n<response>Yes.</response>", "Well!\nYes."],
    ["ernie45", "<response>\nA <response> tag.\n</response>\n", "A <response> tag."],
    ["hunyuan", "<answer>An <answer>a</answer> in it</answer>", "An <answer>a</answer> in it"],
    ["hunyuan", "It is in the <answer> tag.</answer>", "It is in the <answer> tag.</answer>"],
    ["granite", "```\n<response>x</response>\n```", "```\n<response>x</response>\n```"],
    ["hermes", "<response>x</response>", "<response>x</response>"],
  ])("%s: %j", (format, text, content) => {
    expect(read(format, text)).toEqual([content, "", "", ""]);
  });

  test("a call inside them", () => {
    const text = `<think>t</think><answer>Wait.<tool_calls>[${call}]</tool_calls></answer>`;
    expect(read("hunyuan", text)).toEqual(["Wait.", "t", "f", ""]);
  });
});

test("a thought may have several closers", () => {
  for (const close of ["Here is my response:", "Here's my response:"]) {
    expect(read("granite", `Here is my thought process: a\n${close} b`)).toEqual(["b", "a", "", ""]);
  }
});

describe("names as keys", () => {
  const section = (list: string): string => `<|tools_prefix|>[${list}]<|tools_suffix|>`;
  test.each([
    ['{"f": {"name": "n", "arguments": {}}}, {"g": {}}', "f,g", ""],
    ['{"f": null}, {"f": "{}"}, {"f": [1]}', "f,f", "not-an-object"],
    ['{"f": {}, "g": {}}, {"g": {}}', "g", "invalid-arguments"],
    ['{"name": "f", "arguments": {}}', "f", ""],
    ['{"arguments": {}, "name": "f"}', "f", ""],
    ['{"h": {}}, {"f": {}}', "f", "unknown-tool"],
  ])("%s", (list, names, problems) => {
    expect(read("apertus", section(list))).toEqual(["", "", names, problems]);
  });

  test("a tool may be called as a key usually is", () => {
    const named = ["arguments", "name", "id", "type", "function"].map((name) => `{"${name}": {}}`);
    const { calls } = parse(section(named.join()), { format: "apertus" });
    expect(calls.map(({ name }) => name)).toEqual(["arguments", "name", "id", "type", "function"]);
  });
});

describe("a lost opener", () => {
  test.each([
    [`\`\`\`json\n${call}\n\`\`\``, ["", "", "f", ""]],
    [`\`\`\`json\n[${call}, ${call}]\n\`\`\`\nDone.`, ["Done.", "", "f,f", ""]],
    [`${call}\n${call}`, ["", "", "f,f", ""]],
    [`Sure.\n${call}\n${call}\n</tools>`, ["Sure.", "", "f,f", ""]],
    ['{"name": "h", "arguments": {}}', ["", "", "", "unknown-tool"]],
    [`Sure:\n${call}`, [`Sure:\n${call}`, "", "", ""]],
    [`Sure:\n\`\`\`\n${call}\n\`\`\``, [`Sure:\n\`\`\`\n${call}\n\`\`\``, "", "", ""]],
  ])("%j", (text, expected) => {
    expect(read("qwen25-coder", text)).toEqual(expected);
  });
});

describe("a broken call of a list harms no other", () => {
  const lostQuote = '{"name": "g", "arguments": {"a": "x, y}}';
  const bad = "invalid-arguments";
  test.each([
    ["jamba", `<tool_calls>[${broken}, ${call}]</tool_calls>`, "", "f", bad],
    ["minimax-m1", `<tool_calls>\n${broken}\n${call}\n</tool_calls>`, "", "f", bad],
    ["jamba", `<tool_calls>[${broken.slice(0, -2)}</tool_calls>ok<tool_calls>[${call}]</tool_calls>`, "ok", "f", bad],
    ["nemotron", `<TOOLCALL>[${lostQuote}]</TOOLCALL>\n<TOOLCALL>[${call}]</TOOLCALL>`, "", "f", bad],
    ["granite", `<|tool_call|>[${lostQuote}]\n<|tool_call|>[${call}]`, "", "f", bad],
    ["granite", `<|tool_call|>[${call}, "name": "f"]`, "", "f", bad],
    ["jamba", `<tool_calls>[${call} and more`, "and more", "f", ""],
  ])("%s: %j", (format, text, content, names, problems) => {
    expect(read(format, text)).toEqual([content, "", names, problems]);
  });
});

describe("what is no call between calls", () => {
  const other = '{"name": "g", "arguments": {}}';
  test.each(['"junk"', "5", "null", "[]", "{}", '{"x": 1}'])("in a list: %s", (junk) => {
    const list = (elements: string): string => `<TOOLCALL>[${elements}]</TOOLCALL> hi`;
    expect(read("nemotron", list(`${call}, ${junk}, ${other}`))).toEqual(["hi", "", "f,g", "invalid-arguments"]);
    expect(read("nemotron", list(`${junk}, ${other}`))).toEqual(["hi", "", "g", ""]);
    expect(read("nemotron", list(junk))).toEqual([list(junk), "", "", ""]);
  });

  test.each(["{not json here}", '{"arguments": {}}', "{}"])("on a line: %s", (junk) => {
    const lines = (...all: string[]): string => ["<tool_calls>", ...all, "</tool_calls> hi"].join("\n");
    expect(read("minimax-m1", lines(call, junk, other))).toEqual(["hi", "", "f,g", "invalid-arguments"]);
    expect(read("minimax-m1", lines(junk, other))).toEqual(["hi", "", "g", ""]);
    expect(read("minimax-m1", lines(junk))).toEqual([lines(junk), "", "", ""]);
  });
});

describe("a lost quote does not reach into the next call", () => {
  const lost = '{"name": "g", "arguments": {"a": "y}';
  test.each([
    ["hermes", `<tool_call>\n${lost}\n${call}\n</tool_call>`],
    ["raw-json", `${lost}\n${call}`],
    ["minimax-m1", `<tool_calls>\n${lost}\n${call}\n</tool_calls>`],
    ["llama3-json", `${lost}}; ${call}`],
    ["nemotron", `<TOOLCALL>[${lost}}, ${call}]</TOOLCALL>`],
    ["mistral", `[TOOL_CALLS][${lost}}, ${call}]`],
  ])("%s: %s", (format, text) => {
    expect(read(format, text)).toEqual(["", "", "f", "invalid-arguments"]);
  });

  test("an object inside a string is no call", () => {
    const { calls } = parse('<tool_call>{"name": "f", "arguments": {"a": "[1], {"b": 2} c"}}</tool_call>', {
      format: "hermes",
      tools,
    });
    expect(calls).toMatchObject([{ arguments: { a: '[1], {"b": 2} c' } }]);
  });
});

describe("an open string that quotes a call", () => {
  test.each([
    ["mistral", '[TOOL_CALLS]f[ARGS]{"a": "[TOOL_CALLS]g[ARGS]{}'],
    ["mistral", '[TOOL_CALLS]f[ARGS]{"a": "split at [TOOL_CALLS] or [ARGS],'],
    ["phi4-mini", 'functools[{"name": "f", "arguments": {"a": "functools[{\\"name\\": \\"g\\", \\"arguments\\": {}}]'],
    [
      "granite",
      '<|tool_call|>[{"name": "f", "arguments": {"a": "<|tool_call|>[{\\"name\\": \\"g\\", \\"arguments\\": {}}]',
    ],
  ])("%s runs nothing at a cut: %s", (format, text) => {
    expect(read(format, text, { finished: false })).toEqual(["", "", "", "truncated"]);
  });

  test("what stands in it with escaped quotes is its text", () => {
    const quoted = 'functools[{\\"name\\": \\"g\\", \\"arguments\\": {}}]';
    const text = `functools[{"name": "f", "arguments": {"a": "${quoted}`;
    expect(read("phi4-mini", text)).toEqual(["", "", "", "invalid-arguments"]);
  });
});

describe("a cut is no fault", () => {
  const start = '<tool_call>{"name": "f", "arguments": {"a": ';
  test.each(['"caf\\u', '"caf\\u00', '"a\\', "\\", "/", '"a"}\n</tool'])("%s", (rest) => {
    expect(read("hermes", start + rest, { finished: false })).toEqual(["", "", "", "truncated"]);
  });

  test("half a closer behind a message's header", () => {
    const text = "<|start|>assistant<|channel|>commentary to=functions.f<|message|><";
    expect(read("harmony", text, { finished: false })).toEqual(["", "", "", "truncated"]);
  });

  test("half a closer behind a missing bracket is a closer", () => {
    expect(read("hermes", `${start}"a"}\n</tool`)).toEqual(["", "", "f", ""]);
  });
});

test("a chunk that ends behind a bracket with which a marker of another format begins", () => {
  const list = `<TOOLCALL>[{"name": "f", "arguments": {"a": [oops]}}, ${call}]</TOOLCALL> hi`;
  expect(read("auto", list)).toEqual(["hi", "", "f", "invalid-arguments"]);
});

test("a call in a fence that is all of the message", () => {
  for (const end of ["\n```", "\n```\n", "\n", ""]) {
    expect(read("hermes", `\`\`\`json\n${call}${end}`)).toEqual(["", "", "f", ""]);
  }
  const example = `\`\`\`json\n${call}\n\`\`\`\nThat is one.`;
  expect(read("hermes", example)).toEqual([example, "", "", ""]);
});

test("a name with the bracket of a call behind it", () => {
  for (const given of [tools, undefined]) {
    expect(read("mistral", '[TOOL_CALLS]f({"a": 1})', { tools: given })).toEqual(["", "", "f", ""]);
  }
});

test("functools is a marker only with a list behind it", () => {
  for (const blank of ["", " ", "\n"]) expect(read("phi4-mini", `functools${blank}[${call}]`)[2]).toBe("f");
  for (const text of ["import functools", "functools[0]", "functools []", `functools ${call}`]) {
    expect(read("firefunction", text)).toEqual([text, "", "", ""]);
  }
  expect(read("phi4-mini", "import functools", { finished: false })[0]).toBe("import functools");
});

test("two markers before the object, and a cut in the second", () => {
  expect(read("internlm2", `<|action_start|> <|plugin|>\n${call}<|action_end|>`)).toEqual(["", "", "f", ""]);
  expect(read("internlm2", "<|action_start|><|plu", { finished: false })[3]).toBe("truncated");
});
