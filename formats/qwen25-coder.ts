import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags, orphan } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <tool_call>
 * {"name": "tide_level", "arguments": {"port": "Oban"}}
 * </tool_call>
 * ```
 * What the template teaches. The model also writes `<tools>`, `<function>` or a Markdown fence around the object, and
 * mixes their closers.
 */
const closers = ["</tool_call>", "</tools>", "</tool>", "</function>", "</function_call>"];

export const qwen25Coder: Format = defineFormat({
  name: "qwen25-coder",
  models: ["Qwen2.5-Coder"],
  source: "chat template of Qwen/Qwen2.5-Coder-7B-Instruct",
  reasoning: think,
  tokens: ["<tool_call>", "</tool_call>"],
  stops: chatml,
  opens: {
    "<tool_call>": jsonInTags(),
    "<tools>": jsonInTags(),
    "<function>": jsonInTags(),
    "<function_call>": jsonInTags(),
  },
  closers,
  bare: orphan(closers, { alsoLists: true }),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    for (const { name, arguments: args } of calls) {
      parts.push(`<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`);
    }
    return parts.join("\n");
  },
});
