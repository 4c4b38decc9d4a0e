import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <function_call> {"name": "tide_level", "arguments": {"port": "Oban"}}
 * <function_call> {"name": "tide_level", "arguments": {"port": "Wick"}}
 * ```
 */
export const granite20bFc: Format = defineFormat({
  name: "granite-20b-fc",
  models: ["Granite 20B Function Calling"],
  source: "chat template of ibm-granite/granite-20b-functioncalling",
  template: { has: ["<function_call>"] },
  tokens: ["<function_call>"],
  stops: ["<|endoftext|>"],
  opens: { "<function_call>": jsonInTags() },
  render: ({ reasoning, content, calls = [] }) => {
    const lines = [reasoning, content].filter((text) => text);
    for (const { name, arguments: args } of calls) {
      lines.push(`<function_call> ${JSON.stringify({ name, arguments: args })}`);
    }
    return lines.join("\n");
  },
});
