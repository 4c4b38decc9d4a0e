import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { functools, jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * functools[{"name": "tide_level", "arguments": {"port": "Oban"}}]
 * <|tool_call|>[{"name": "tide_level", "arguments": {"port": "Oban"}}]<|/tool_call|>
 * ```
 */
export const phi4Mini: Format = defineFormat({
  name: "phi4-mini",
  models: ["Phi-4-mini", "Phi-4-mini-reasoning"],
  source: "tool instructions and special tokens of microsoft/Phi-4-mini-instruct",
  template: { has: ["<|tool|>", "<|/tool|>"] },
  reasoning: think,
  tokens: ["<|tool_call|>", "<|/tool_call|>"],
  stops: ["<|end|>", "<|endoftext|>"],
  opens: { ...functools, "<|tool_call|>": jsonInTags() },
  closers: ["<|/tool_call|>"],
  dropped: ["<|/tool_call|>"],
  unclosed: Object.keys(functools),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    if (list.length > 0) parts.push(`functools${JSON.stringify(list)}`);
    return parts.join("\n");
  },
});
