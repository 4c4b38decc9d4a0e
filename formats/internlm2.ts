import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * I will look that up.<|action_start|><|plugin|>
 * {"name": "tide_level", "parameters": {"port": "Oban"}}<|action_end|>
 * ```
 */
export const internlm2: Format = defineFormat({
  name: "internlm2",
  models: ["InternLM 2", "InternLM 2.5", "InternLM 3"],
  source: "chat template of internlm/internlm2_5-7b-chat",
  template: [{ has: ["<|action_start|>"] }, { has: ["<|plugin|>"] }],
  variants: { "intern-s1": { models: ["Intern-S1"] } },
  reasoning: think,
  tokens: ["<|action_start|>", "<|plugin|>", "<|interpreter|>", "<|action_end|>", "<think>", "</think>"],
  stops: ["<|im_end|>", "</s>"],
  opens: { "<|action_start|>": jsonInTags({ second: ["<|plugin|>", "<|interpreter|>"] }) },
  closers: ["<|action_end|>"],
  dropped: ["<|action_end|>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const actions = calls.map(({ name, arguments: parameters }) => {
      return `<|action_start|><|plugin|>\n${JSON.stringify({ name, parameters })}<|action_end|>`;
    });
    return (reasoning ? `<think>\n${reasoning}\n</think>\n` : "") + content + actions.join("\n");
  },
});
