import { think } from "../src/families.ts";
import { defineFormat, type Format, type ReasoningTags } from "../src/format.ts";
import { bareList, jsonInTags } from "../src/shapes/json-in-tags.ts";
import { bareCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";

/**
 * ```text
 * <think>They ask for the tide.</think><response>I will look that up.</response>
 * <|tool_call|>[{"name": "tide_level", "arguments": {"port": "Oban"}}]
 * ```
 * Since 3.1 also `<tool_call>` as text before the list or an object, and the tags that Granite 4 shares with Qwen3-Coder.
 * 3.2 marks its thoughts by sentences: "Here is my thought process: … Here is my response: …".
 */
const tags: ParameterTags = {
  wrap: { open: "<tool_call>", close: "</tool_call>" },
  call: { open: "<function=", close: "</function>" },
  parameter: { open: "<parameter=", close: "</parameter>", stem: "param" },
  newline: true,
};

const sentences: ReasoningTags[] = ["Here is", "Here's"].flatMap((open) =>
  ["Here is", "Here's"].map((close) => ({ open: `${open} my thought process:`, close: `${close} my response:` })),
);

export const granite: Format = defineFormat({
  name: "granite",
  models: ["Granite 3.0", "Granite 3.1", "Granite 3.2", "Granite 3.3"],
  source: "chat template of ibm-granite/granite-3.3-2b-instruct",
  template: { has: ["<|tool_call|>", "<|start_of_role|>"] },
  reasoning: [...think, ...sentences],
  tokens: ["<|tool_call|>", "<tool_call>", "</tool_call>", "<think>", "</think>"],
  stops: ["<|end_of_text|>"],
  opens: {
    "<|tool_call|>": jsonInTags(),
    "<tool_call>": [jsonInTags(), wrappedCalls(tags)],
    "<function=": bareCalls(tags),
  },
  closers: ["</tool_call>", tags.call.close],
  unclosed: ["<|tool_call|>"],
  answer: [{ open: "<response>", close: "</response>" }],
  bare: bareList(),
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<think>${reasoning}</think>` : "";
    const answer = reasoning && content ? `<response>${content}</response>` : content;
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    return thought + answer + (list.length > 0 ? `<|tool_call|>${JSON.stringify(list)}` : "");
  },
});
