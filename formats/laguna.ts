import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

const tags = { ...argTags(), json: true };

/**
 * ```text
 * <think>
 * They ask for the tide.
 * </think>
 * <tool_call>tide_level
 * <arg_key>port</arg_key>
 * <arg_value>Oban</arg_value>
 * </tool_call>
 * </assistant>
 * ```
 * On one line in S-2.1. `<tool_call>` may hold the name and a JSON object, or one object with both.
 */
export const laguna: Format = defineFormat({
  name: "laguna",
  models: ["Laguna"],
  source: "chat templates of poolside/Laguna-XS.2, Laguna-XS-2.1, Laguna-S-2.1",
  template: { has: ["<arg_key>", "<available_tools>"] },
  variants: { "poolside-v1": { models: ["Poolside"] } },
  reasoning: think,
  tokens: ["<think>", "</think>", ...tagsOf(tags)],
  stops: ["</assistant>"],
  opens: { "<tool_call>": [keyValueCalls(tags), jsonInTags()] },
  closers: ["</tool_call>"],
  render: ({ reasoning, content, calls = [] }) => {
    const layout = { name: "\n", key: "\n", value: "\n" };
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    for (const call of calls) parts.push(writeKeyValue(tags, layout, call));
    return parts.join("\n");
  },
});
