import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * Here are my reasoning steps:
 * They ask for the tide.
 * [BEGIN FINAL RESPONSE]
 * I will look that up.
 * <tool_calls>[{"name": "tide_level", "arguments": {"port": "Oban"}}]</tool_calls>
 * <|end|>
 * ```
 * The first line may stand in the prompt. Older ones: `<thinking>…</thinking>`.
 */
export const apriel: Format = defineFormat({
  name: "apriel",
  models: ["Apriel 1.5 Thinker", "Apriel 1.6 Thinker", "Apriel Nemotron Thinker"],
  source: "chat templates of ServiceNow-AI/Apriel-1.5-15b-Thinker and Apriel-1.6-15b-Thinker",
  template: { has: ["<tool_calls>", "<available_tools>"] },
  reasoning: [
    { open: "Here are my reasoning steps:", close: "[BEGIN FINAL RESPONSE]" },
    { open: "<thinking>", close: "</thinking>" },
  ],
  tokens: ["<tool_calls>", "</tool_calls>", "[BEGIN FINAL RESPONSE]"],
  stops: ["<|end|>", "</s>"],
  opens: { "<tool_calls>": jsonInTags({ row: true }) },
  closers: ["</tool_calls>"],
  dropped: ["[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `Here are my reasoning steps:\n${reasoning}\n[BEGIN FINAL RESPONSE]\n` : "";
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    return thought + content + (list.length > 0 ? `\n<tool_calls>${JSON.stringify(list)}</tool_calls>` : "");
  },
});
