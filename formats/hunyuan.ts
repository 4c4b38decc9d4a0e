import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, type KeyValueTags, keyValueCalls } from "../src/shapes/key-value-tags.ts";

const tags = {
  ...argTags("", ":opensource"),
  section: { open: "<tool_calls:opensource>", close: "</tool_calls:opensource>" },
  separator: "<tool_sep:opensource>",
} satisfies KeyValueTags;

/**
 * ```text
 * <think>
 * They ask for the tide.
 * </think>
 * <answer>
 * I will look that up.
 * </answer>
 * <tool_calls>[{"name": "tide_level", "arguments": {"port": "Oban"}}]</tool_calls>
 * ```
 * Later ones: `<tool_calls:opensource>` around GLM's tags, each with that suffix.
 */
export const hunyuan: Format = defineFormat({
  name: "hunyuan",
  models: ["Hunyuan A13B", "Hunyuan dense"],
  source: "chat template of tencent/Hunyuan-A13B-Instruct",
  template: { has: ["<tool_calls>", "<|extra_0|>"] },
  reasoning: [...think, { open: "<think:opensource>", close: "</think:opensource>" }],
  tokens: ["<think>", "</think>", "<answer>", "</answer>"],
  stops: ["<|eos|>", "<|endoftext|>", "<｜hy_place▁holder▁no▁2｜>", "<｜hy_eos:opensource｜>"],
  opens: { "<tool_calls>": jsonInTags({ row: true }), [tags.section.open]: keyValueCalls(tags) },
  closers: ["</tool_calls>", tags.call.close, tags.section.close],
  answer: [{ open: "<answer>", close: "</answer>" }],
  render: ({ reasoning, content = "", calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(reasoning ? `<answer>\n${content}\n</answer>` : content);
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    if (list.length > 0) parts.push(`<tool_calls>${JSON.stringify(list)}</tool_calls>`);
    return parts.join("\n");
  },
});
