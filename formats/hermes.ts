import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags, orphan } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * <think>They ask for the tide.</think>
 * I will look that up.
 * <tool_call>
 * {"name": "tide_level", "arguments": {"port": "Oban"}}
 * </tool_call>
 * ```
 */
export const hermes: Format = defineFormat({
  name: "hermes",
  models: [
    "Hermes 2 Pro",
    "Hermes 3",
    "Qwen2.5",
    "Qwen3",
    "QwQ",
    "Granite 4",
    "MiMo-VL",
    "Reka Edge",
    "Bielik",
    "SmolLM3",
  ],
  source:
    "chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B (tool_use), Qwen/Qwen2.5-7B-Instruct, Qwen/Qwen3-0.6B",
  template: [
    {
      has: ["<tool_call>", /\{\\?"name\\?": /],
      lacks: ["<tool_calls>", "<arg_key>", "<invoke ", "<function=", "<response>", "<|python_tag|>"],
    },
    { has: ["SmolLM", "<|im_start|>"] },
  ],
  variants: {
    qwen: { models: ["Qwen"] },
    "qwen2.5": { models: ["Qwen2.5"] },
    qwen3: { models: ["Qwen3", "Qwen3-VL"] },
    granite4: { models: ["Granite 4", "Granite 4.1"], stops: [...chatml, "<|end_of_text|>"] },
    trinity: { models: ["Trinity"], callInThought: "now" },
    exaone: { models: ["EXAONE-MoE"], stops: [...chatml, "[|endofturn|]"] },
  },
  reasoning: think,
  tokens: ["<tool_call>", "</tool_call>", "<think>", "</think>"],
  stops: [...chatml, "<|end_of_text|>", "<sep>"],
  opens: { "<tool_call>": jsonInTags() },
  closers: ["</tool_call>"],
  bare: orphan("</tool_call>"),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    for (const { name, arguments: args } of calls) {
      parts.push(`<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`);
    }
    return parts.join("\n");
  },
});
