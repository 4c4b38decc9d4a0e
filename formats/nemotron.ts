import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <think>
 * They ask for the tide.
 * </think>
 * <TOOLCALL>[{"name": "tide_level", "arguments": {"port": "Oban"}}]</TOOLCALL><SPECIAL_12>
 * ```
 */
export const nemotron: Format = defineFormat({
  name: "nemotron",
  models: ["Nemotron Nano v2", "Llama-Nemotron"],
  source: "chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
  template: { has: ["<TOOLCALL>"] },
  reasoning: think,
  tokens: ["<think>", "</think>"],
  stops: ["<SPECIAL_12>", "<|eot_id|>"],
  opens: { "<TOOLCALL>": jsonInTags() },
  closers: ["</TOOLCALL>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    const text = (reasoning ? `<think>\n${reasoning}\n</think>\n` : "") + content;
    if (list.length === 0) return text;
    return `${text}${content ? "\n" : ""}<TOOLCALL>${JSON.stringify(list)}</TOOLCALL>`;
  },
});
