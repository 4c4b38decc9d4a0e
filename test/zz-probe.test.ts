import { test } from "vitest";
import { parse } from "../src/index.ts";
import { appendFileSync, writeFileSync } from "node:fs";
const T = (name: string, p: Record<string, unknown> = { a: { type: "string" } }) => ({ name, parameters: { type: "object", properties: p } });
const tools = [T("f"), T("g", { n: { type: "integer" } })];
const J = '{"name": "f", "arguments": {"a": "x"}}';
const cases: [string, string, object?][] = [

  ["granite", "<think>a</think><response>The tag <response> is xml.</response>"],
  ["granite", "<think>a</think><response>The tag <response> is xml.</response>\n<|tool_call|>[" + J + "]"],
  ["qwen25-coder", "```json\n{\"name\": \"zzz\", \"arguments\": {}}\n```"],
  ["hunyuan", "<tool_calls:opensource>\n<tool_call:opensource>g\n<arg_key:opensource>n</arg_key:opensource>\n<arg_value:opensource>4</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>"],
  ["minimax-m1", "<tool_calls>\n{\"name\": \"f\", \"arguments\": {\"a\": oops}}\n" + J + "\n</tool_calls>ok"],
  ["minimax-m1", "<tool_calls>\n{\"name\": \"f\", \"arguments\": {\"a\": oops}\n</tool_calls>ok<tool_calls>\n" + J + "\n</tool_calls>"],
  ["jamba", "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": {oops}</tool_calls>ok<tool_calls>[" + J + "]</tool_calls>"],
  ["jamba", "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": oops}}, " + J + "]</tool_calls>ok"],
  ["phi4-mini", "functools [" + J + "]"],
  ["phi4-mini", "functools\n[" + J + "]"],
  ["phi4-mini", "functools [1]"],
  ["internlm2", "a<|action_end|>b"],
  ["internlm2", "<|plugin|>\n{\"name\":\"f\",\"parameters\":{\"a\":\"x\"}}<|action_end|>"],
  ["longcat", "<longcat_tool_call>f\n<longcat_arg_key>a</longcat_arg_key>\\n<longcat_arg_value>x</longcat_arg_value></longcat_tool_call>"],
  ["granite-20b-fc", "<function_call> " + J ],
  ["apertus", 'a<|inner_prefix|>t<|inner_suffix|>b'],
];
test("probe", () => {
  writeFileSync("/tmp/probe/out.txt", "");
  for (const [format, text, options] of cases) for (const f of format === "zz" ? [] : [format, "auto"]) {
    const r = parse(text, { format: f, tools, ...(options as object), generateId: (i: number) => `c${i}` });
    const calls = r.calls.map((c) => `${c.name}(${c.argumentsText})${c.repairs.length ? " ~" + c.repairs.map((x) => x.kind) : ""}`);
    const rej = r.rejected.map((c) => `${c.name}(${c.argumentsText})!${c.problems.map((p) => p.kind)}`);
    const line = `  ${f === "auto" ? `auto=${r.format}` : ""} C=${JSON.stringify(r.content)} R=${JSON.stringify(r.reasoning)} ${calls.join(" ")} ${rej.length ? "REJ " + rej.join(" ") : ""} ${r.finish}`;
    appendFileSync("/tmp/probe/out.txt", f === "auto" ? line + "\n" : `${format}: ${JSON.stringify(text)} ${options ? JSON.stringify(options) : ""}\n${line}\n`);
  }
});
