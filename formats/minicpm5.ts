import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { ownCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 * <think>
 * They ask for the tide.
 * </think>
 *
 * <function name="tide_level"><param name="port">Oban</param><param name="note"><![CDATA[a < b]]></param></function>
 * ```
 * There is no wrapper. A string with `<`, `&` or a line break stands in CDATA, which ends only where the closing tag follows.
 */
const tags: ParameterTags = {
  call: { open: "<function name=", close: "</function>" },
  parameter: { open: "<param name=", close: "</param>" },
  layout: ["<arguments>", "</arguments>"],
  cdata: true,
  allIn: "properties",
};

export const minicpm5: Format = defineFormat({
  name: "minicpm5",
  models: ["MiniCPM5"],
  source: "chat template of openbmb/MiniCPM5-1B",
  template: { has: ["<function name=", "<param name="] },
  reasoning: think,
  tokens: ["<function", "</function>", "<param", "</param>", "<think>", "</think>"],
  stops: chatml,
  // a wrapper is another family's, and understood
  opens: { "<function name=": ownCalls(tags), "<functionname=": ownCalls(tags), "<tool_call>": wrappedCalls(tags) },
  closers: ["</function>", "</tool_call>"],
  render: ({ reasoning, content, calls = [] }) => {
    const thought = reasoning ? `<think>\n${reasoning}\n</think>\n\n` : "";
    const parts = content ? [content] : [];
    for (const call of calls) parts.push(writtenCalls(tags, [call], ""));
    return thought + parts.join("\n");
  },
});
