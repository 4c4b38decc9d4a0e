import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { bareCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 * <seed:think>They ask for the tide.</seed:think>
 * <seed:tool_call>
 * <function=tide_level>
 * <parameter=port>Oban</parameter>
 * </function>
 * </seed:tool_call>
 * ```
 * Values are raw text, glued to their tags.
 */
const tags: ParameterTags = {
  wrap: { open: "<seed:tool_call>", close: "</seed:tool_call>" },
  call: { open: "<function=", close: "</function>" },
  parameter: { open: "<parameter=", close: "</parameter>", stem: "param" },
};

export const seedOss: Format = defineFormat({
  name: "seed-oss",
  models: ["Seed-OSS"],
  source: "chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
  template: { has: ["<seed:tool_call>"] },
  reasoning: [{ open: "<seed:think>", close: "</seed:think>" }],
  tokens: ["<seed:tool_call>", "</seed:tool_call>", "<seed:think>", "</seed:think>"],
  stops: ["<seed:eos>"],
  opens: { "<seed:tool_call>": [wrappedCalls(tags), jsonInTags()], "<function=": bareCalls(tags) },
  closers: ["</seed:tool_call>", tags.call.close],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<seed:think>${reasoning}</seed:think>`] : [];
    if (content) parts.push(content);
    for (const call of calls) parts.push(`<seed:tool_call>\n${writtenCalls(tags, [call], "\n")}</seed:tool_call>`);
    return parts.join("\n");
  },
});
