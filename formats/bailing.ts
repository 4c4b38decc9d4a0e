import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

const tags = argTags();

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.
 * <tool_call>tide_level
 * <arg_key>port</arg_key>
 * <arg_value>Oban</arg_value><arg_key>days</arg_key>
 * <arg_value>2</arg_value>
 * </tool_call><|role_end|>
 * ```
 */
export const bailing: Format = defineFormat({
  name: "bailing",
  models: ["Ling 3", "Ring", "Bailing V3"],
  source: "chat template of inclusionAI/Ling-3.0-flash",
  template: { has: ["<arg_key>", "<role>"] },
  variants: { ling3: { models: ["Ling 3"] } },
  reasoning: think,
  tokens: ["<think>", "</think>", ...tagsOf(tags)],
  stops: ["<|role_end|>"],
  opens: { "<tool_call>": [keyValueCalls(tags), jsonInTags()] },
  closers: ["</tool_call>"],
  render: ({ reasoning, content, calls = [] }) => {
    const layout = { name: "\n", key: "\n", value: "", end: "\n" };
    const parts = content ? [content] : [];
    for (const call of calls) parts.push(writeKeyValue(tags, layout, call));
    return (reasoning ? `<think>${reasoning}</think>` : "") + parts.join("\n");
  },
});
