import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

const tags = argTags();
const layout = { name: "\n", key: "\n", value: "\n" };

/**
 * ```text
 * <think>They ask for the tide.</think>
 * I will look that up.
 * <tool_call>tide_level
 * <arg_key>port</arg_key>
 * <arg_value>Oban</arg_value>
 * </tool_call>
 * ```
 * Values are raw text, blanks included.
 */
export const glm45: Format = defineFormat({
  name: "glm45",
  models: ["GLM-4.5", "GLM-4.6"],
  source: "chat template of zai-org/GLM-4.6",
  template: { has: ["<tool_call>", /<arg_key>.*<\/arg_key>(?:\\n|\r?\n)/], lacks: ["<role>", "<available_tools>"] },
  reasoning: think,
  tokens: ["<think>", "</think>", ...tagsOf(tags)],
  stops: ["<|user|>", "<|observation|>", "<|endoftext|>"],
  opens: { "<tool_call>": [keyValueCalls(tags), jsonInTags()] },
  closers: ["</tool_call>"],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>${reasoning}</think>`] : [];
    if (content) parts.push(content);
    for (const call of calls) parts.push(writeKeyValue(tags, layout, call));
    return `\n${parts.join("\n")}`;
  },
});
