import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <tool_calls>
 * {"name": "tide_level", "arguments": {"port": "Oban"}}
 * {"name": "tide_level", "arguments": {"port": "Wick"}}
 * </tool_calls><end_of_sentence>
 * ```
 */
export const minimaxM1: Format = defineFormat({
  name: "minimax-m1",
  models: ["MiniMax-M1", "MiniMax-Text-01"],
  source: "chat template of MiniMaxAI/MiniMax-M1-80k",
  template: { has: ["<tool_calls>", "<beginning_of_sentence>"] },
  reasoning: think,
  tokens: ["<think>", "</think>"],
  stops: ["<end_of_sentence>"],
  opens: { "<tool_calls>": jsonInTags({ row: true }) },
  closers: ["</tool_calls>"],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    const lines = calls.map(({ name, arguments: args }) => JSON.stringify({ name, arguments: args }));
    if (lines.length > 0) parts.push(["<tool_calls>", ...lines, "</tool_calls>"].join("\n"));
    return parts.join("\n");
  },
});
