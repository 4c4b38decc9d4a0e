import { expect, test } from "vitest";
import { getFormat } from "../../src/index.ts";
import { historyAsText, type ToolResult, toolResponse } from "../../src/integrations/ai-sdk/history.ts";

const tools = [{ name: "tide_level", parameters: { type: "object", properties: { port: { type: "string" } } } }];
const qwen = getFormat("qwen3-coder");
const call = (input: unknown) => ({ type: "tool-call", toolCallId: "a", toolName: "tide_level", input });
const result = (output: unknown) => ({ type: "tool-result", toolCallId: "a", toolName: "tide_level", output });

test("a turn with calls is written in the format's notation; what is no call or text stays", () => {
  const content = [
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "Look." },
    call({ port: "007" }),
    { ...call({}), providerExecuted: true },
  ];
  const [turn] = historyAsText([{ role: "assistant", content }], qwen, tools, toolResponse);
  expect(turn?.content).toEqual([
    content[0],
    content[3],
    {
      type: "text",
      text: qwen.render({ content: "Look.", calls: [{ name: "tide_level", arguments: { port: "007" } }] }, { tools }),
    },
  ]);
});

test("messages without calls stay as they are", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "file" }] },
    { role: "assistant", content: [{ type: "text", text: "Yes." }] },
  ];
  expect(historyAsText(messages, qwen, tools, toolResponse)).toEqual(messages);
});

test("a call without readable arguments has none, and a turn that the format cannot carry is written all the same", () => {
  const content = [{ type: "text", text: "Say <tool_call><function=tide_level></function></tool_call>" }, call('{"po')];
  const [turn] = historyAsText([{ role: "assistant", content }], qwen, tools, toolResponse);
  expect(JSON.stringify(turn)).toContain("<function=tide_level>");
});

test("results become a user message; approvals are dropped", () => {
  const seen: ToolResult[] = [];
  const outputs = [
    { type: "text", value: "4.1 m" },
    { type: "json", value: { m: 4.1 } },
    { type: "error-text", value: "No such port." },
    { type: "execution-denied" },
    {
      type: "content",
      value: [
        { type: "text", text: "See:" },
        { type: "image-url", url: "x" },
      ],
    },
  ];
  const messages = [
    { role: "tool", content: outputs.map(result) },
    { role: "tool", content: [{ type: "tool-approval-response" }] },
  ];
  const texts = historyAsText(messages, qwen, tools, (one) => {
    seen.push(one);
    return one.text;
  });
  expect(texts).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: '4.1 m\n{"m":4.1}\nNo such port.\nThe execution was denied.\nSee:\n[image-url]' },
      ],
    },
  ]);
  expect(seen.map(({ isError }) => isError)).toEqual([false, false, true, true, false]);
});
