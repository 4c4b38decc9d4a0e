import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * I will look that up.<tool_calls>[
 *     {"name": "tide_level", "arguments": {"port": "Oban"}}
 * ]</tool_calls><|eom|>
 * ```
 */
export const jamba: Format = defineFormat({
  name: "jamba",
  models: ["Jamba 1.5", "Jamba 1.6", "Jamba 1.7"],
  source: "chat template of ai21labs/AI21-Jamba-1.5-Mini",
  template: { has: ["<tool_calls>", "<|bom|>"] },
  reasoning: think,
  tokens: ["<tool_calls>", "</tool_calls>"],
  stops: ["<|eom|>", ...chatml],
  opens: { "<tool_calls>": jsonInTags({ row: true }) },
  closers: ["</tool_calls>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const lines = calls.map(({ name, arguments: args }) => `    ${JSON.stringify({ name, arguments: args })}`);
    const text = (reasoning ? `<think>\n${reasoning}\n</think>\n` : "") + content;
    return text + (lines.length > 0 ? `<tool_calls>[\n${lines.join(",\n")}\n]</tool_calls>` : "");
  },
});
