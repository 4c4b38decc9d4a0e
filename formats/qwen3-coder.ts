import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { bareCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";

/**
 * ```text
 * <tool_call>
 * <function=tide_level>
 * <parameter=port>
 * Oban
 * </parameter>
 * </function>
 * </tool_call>
 * ```
 * Values are raw text; one line break on each side is layout.
 */
const tags: ParameterTags = {
  wrap: { open: "<tool_call>", close: "</tool_call>" },
  call: { open: "<function=", close: "</function>" },
  parameter: { open: "<parameter=", close: "</parameter>", stem: "param" },
  newline: true,
};

export const qwen3Coder: Format = defineFormat({
  name: "qwen3-coder",
  models: ["Qwen3-Coder", "Qwen3.5", "Nemotron 3", "Step 3.5", "MiMo"],
  source:
    "chat templates of Qwen/Qwen3-Coder, Qwen/Qwen3.5-4B, nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B, StepFun3.5-Flash",
  template: { has: ["<tool_call>", "<function=", "<parameter="] },
  variants: {
    "qwen3.5": { models: ["Qwen3.5"] },
    nemotron3: { models: ["Nemotron 3"] },
    step3p5: { models: ["Step 3.5"] },
    mimo: { models: ["MiMo"] },
  },
  reasoning: think,
  tokens: ["<tool_call>", "</tool_call>", "<think>", "</think>"],
  stops: chatml,
  opens: { "<tool_call>": [wrappedCalls(tags), jsonInTags()], "<function=": bareCalls(tags) },
  closers: ["</tool_call>", tags.call.close],
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    for (const { name, arguments: args } of calls) {
      const parameters = Object.entries(args).map(([key, value]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return `<parameter=${key}>\n${text}\n</parameter>\n`;
      });
      parts.push(`<tool_call>\n<function=${name}>\n${parameters.join("")}</function>\n</tool_call>`);
    }
    return parts.join("\n");
  },
});
