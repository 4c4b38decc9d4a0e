import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <|START_THINKING|>They ask for the tide.<|END_THINKING|><|START_ACTION|>[
 *     {"tool_call_id": "0", "tool_name": "tide_level", "parameters": {"port": "Oban"}}
 * ]<|END_ACTION|><|END_OF_TURN_TOKEN|>
 * <|START_RESPONSE|>The tide is high.<|END_RESPONSE|>
 * ```
 * Later models write `<|START_TEXT|>` for `<|START_RESPONSE|>`.
 */
export const commandR7b: Format = defineFormat({
  name: "command-r7b",
  models: ["Command R7B", "Command A", "Command R 08-2024"],
  source: "chat templates of CohereForAI/c4ai-command-r7b-12-2024 (tool_use), Cohere2 MoE",
  template: { has: ["<|START_ACTION|>"] },
  variants: {
    cohere: { models: ["Command A", "North"] },
    cohere2moe: { models: ["Cohere2 MoE"] },
  },
  reasoning: [{ open: "<|START_THINKING|>", close: "<|END_THINKING|>" }],
  tokens: [
    "<|START_THINKING|>",
    "<|END_THINKING|>",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
  ],
  stops: ["<|END_OF_TURN_TOKEN|>"],
  opens: { "<|START_ACTION|>": jsonInTags() },
  closers: ["<|END_ACTION|>"],
  dropped: ["<|END_ACTION|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"],
  render: ({ reasoning, content, calls = [] }) => {
    const thought = reasoning ? `<|START_THINKING|>${reasoning}<|END_THINKING|>` : "";
    const answer = content ? `<|START_RESPONSE|>${content}<|END_RESPONSE|>` : "";
    const list = calls.map(({ name, arguments: args, id }, index) => {
      return `    ${JSON.stringify({ tool_call_id: id ?? String(index), tool_name: name, parameters: args })}`;
    });
    return thought + answer + (list.length > 0 ? `<|START_ACTION|>[\n${list.join(",\n")}\n]<|END_ACTION|>` : "");
  },
});
