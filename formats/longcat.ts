import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, keyValueCalls, tagsOf } from "../src/shapes/key-value-tags.ts";

const tags = argTags("longcat_");

/**
 * ```text
 * <longcat_think>
 * They ask for the tide.
 * </longcat_think>
 * <longcat_tool_call>
 * {"name": "tide_level", "arguments": {"port": "Oban"}}
 * </longcat_tool_call></longcat_s>
 * ```
 * Or GLM's tags with a prefix: `<longcat_tool_call>tide_level<longcat_arg_key>port</longcat_arg_key>…`.
 */
export const longcat: Format = defineFormat({
  name: "longcat",
  models: ["LongCat-Flash"],
  source: "chat templates of meituan-longcat/LongCat-Flash-Chat and LongCat-Flash-Thinking",
  template: { has: ["<longcat_tool_call>"] },
  reasoning: [{ open: "<longcat_think>", close: "</longcat_think>" }],
  tokens: ["<longcat_think>", "</longcat_think>", ...tagsOf(tags)],
  stops: ["</longcat_s>"],
  opens: { "<longcat_tool_call>": [jsonInTags(), keyValueCalls(tags)] },
  closers: ["</longcat_tool_call>"],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<longcat_think>\n${reasoning}\n</longcat_think>`] : [];
    if (content) parts.push(content);
    for (const { name, arguments: args } of calls) {
      parts.push(`<longcat_tool_call>\n${JSON.stringify({ name, arguments: args })}\n</longcat_tool_call>`);
    }
    return parts.join("\n");
  },
});
