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
    ["granite", `<|tool_call|>[${call}, "name": "f"]`, '"name": "f"]', "f", ""],
    ["jamba", `<tool_calls>[${call} and more`, "and more", "f", ""],
  ])("%s: %j", (format, text, content, names, problems) => {
    expect(read(format, text)).toEqual([content, "", names, problems]);
  });
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
