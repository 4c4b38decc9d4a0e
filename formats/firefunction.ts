import { defineFormat, type Format } from "../src/format.ts";
import { functools } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * I will look that up. functools[{"name": "tide_level", "arguments": {"port": "Oban"}}]<|eot_id|>
 * ```
 */
export const firefunction: Format = defineFormat({
  name: "firefunction",
  models: ["FireFunction v2"],
  source: "chat template of fireworks-ai/llama-3-firefunction-v2",
  template: { has: [" functools["] },
  variants: { functools: {} },
  tokens: [],
  stops: ["<|eot_id|>"],
  opens: functools,
  render: ({ reasoning = "", content = "", calls = [] }) => {
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    return reasoning + content + (list.length > 0 ? ` functools${JSON.stringify(list)}` : "");
  },
});
