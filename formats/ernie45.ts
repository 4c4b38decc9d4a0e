import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <think>
 * They ask for the tide.
 * </think>
 *
 * <response>
 * I will look that up.
 * </response>
 *
 * <tool_call>
 * {"name": "tide_level", "arguments": {"port": "Oban"}}
 * </tool_call>
 * ```
 */
export const ernie45: Format = defineFormat({
  name: "ernie45",
  models: ["ERNIE 4.5 Thinking"],
  source: "chat template of baidu/ERNIE-4.5-21B-A3B-Thinking",
  template: { has: ["<tool_call>", "<response>"], lacks: ["<invoke "] },
  reasoning: think,
  tokens: ["<think>", "</think>", "<response>", "</response>", "<tool_call>", "</tool_call>"],
  stops: [...chatml, "</s>"],
  opens: { "<tool_call>": jsonInTags() },
  closers: ["</tool_call>"],
  answer: [{ open: "<response>", close: "</response>" }],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>\n`] : [];
    if (content) parts.push(reasoning ? `<response>\n${content}\n</response>\n` : content);
    for (const { name, arguments: args } of calls) {
      parts.push(`<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`);
    }
    return parts.join("\n");
  },
});
