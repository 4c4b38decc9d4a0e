import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <|inner_prefix|>They ask for the tide.<|inner_suffix|>I will look that up.
 * <|tools_prefix|>[{"tide_level": {"port": "Oban"}}, {"tide_level": {"port": "Wick"}}]<|tools_suffix|>
 * ```
 */
export const apertus: Format = defineFormat({
  name: "apertus",
  models: ["Apertus"],
  source: "chat template of swiss-ai/Apertus-8B-Instruct-2509",
  template: { has: ["<|tools_prefix|>"] },
  reasoning: [{ open: "<|inner_prefix|>", close: "<|inner_suffix|>", anywhere: true }],
  tokens: ["<|inner_prefix|>", "<|inner_suffix|>", "<|tools_prefix|>", "<|tools_suffix|>"],
  stops: ["<|assistant_end|>", "</s>"],
  opens: { "<|tools_prefix|>": jsonInTags({ nameIsKey: true }) },
  closers: ["<|tools_suffix|>"],
  dropped: ["<|tools_suffix|>", "<|inner_suffix|>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<|inner_prefix|>${reasoning}<|inner_suffix|>` : "";
    const list = calls.map(({ name, arguments: args }) => `{${JSON.stringify(name)}: ${JSON.stringify(args)}}`);
    return thought + content + (list.length > 0 ? `<|tools_prefix|>[${list.join(", ")}]<|tools_suffix|>` : "");
  },
});
