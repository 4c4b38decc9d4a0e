import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { bareObjects, jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * [{"name": "tide_level", "arguments": {"port": "Oban"}}]
 * ```
 * Also in a Markdown fence, behind `[TOOL_CALLS]`, in `<tool_call>…</tool_call>`, or behind a thought.
 */
export const xlam: Format = defineFormat({
  name: "xlam",
  models: ["xLAM", "xLAM 2"],
  source: "chat template of Salesforce/Llama-xLAM-2-8b-fc-r",
  template: { has: ["xLAM"] },
  reasoning: think,
  tokens: ["[TOOL_CALLS]", "<tool_call>", "</tool_call>", "<think>", "</think>"],
  stops: ["<|eot_id|>", "<|im_end|>", "<|endoftext|>", "</s>"],
  opens: { "[TOOL_CALLS]": jsonInTags(), "<tool_call>": jsonInTags() },
  closers: ["</tool_call>"],
  bare: bareObjects(),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    if (list.length > 0) parts.push(JSON.stringify(list));
    return parts.join("\n");
  },
});
