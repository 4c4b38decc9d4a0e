import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { bareCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 * <think>
 * They ask for the tide.
 * </think>
 *
 * <minimax:tool_call>
 * <invoke name="tide_level">
 * <parameter name="port">Oban</parameter>
 * </invoke>
 * </minimax:tool_call>
 * ```
 * Several calls stand in one wrapper. Values are raw text, glued to their tags.
 */
const tags: ParameterTags = {
  wrap: { open: "<minimax:tool_call>", close: "</minimax:tool_call>" },
  call: { open: "<invoke name=", close: "</invoke>" },
  parameter: { open: "<parameter name=", close: "</parameter>", stem: "param" },
};

export const minimaxM2: Format = defineFormat({
  name: "minimax-m2",
  models: ["MiniMax-M2", "MiniMax-M2.1", "MiniMax-M2.5"],
  source: "chat template of MiniMaxAI/MiniMax-M2",
  template: { has: ["<minimax:tool_call>"] },
  reasoning: think,
  tokens: ["<minimax:tool_call>", "</minimax:tool_call>", "<think>", "</think>"],
  stops: ["[e~["],
  opens: { "<minimax:tool_call>": [wrappedCalls(tags), jsonInTags()], "<invoke name=": bareCalls(tags) },
  closers: ["</minimax:tool_call>", tags.call.close],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>\n`] : [];
    if (content) parts.push(content);
    if (calls.length > 0) parts.push(`<minimax:tool_call>\n${writtenCalls(tags, calls, "\n")}</minimax:tool_call>`);
    return parts.join("\n");
  },
});
