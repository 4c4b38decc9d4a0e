import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { bareObjects } from "../src/shapes/json-in-tags.ts";

/**
 * ```text
 * {"name": "tide_level", "arguments": {"port": "Oban"}}
 * ```
 * or a list of such objects, also in a Markdown fence that is the whole message. Without a marker an object is a call only
 * at the start of the message, of a line, or behind a call, and only if it is exactly that.
 */
export const rawJson: Format = defineFormat({
  name: "raw-json",
  models: ["any model whose chat template has no marker for calls"],
  source: "instructions in prompts; the Ollama and OpenAI message shapes",
  reasoning: think,
  tokens: ["<think>", "</think>"],
  stops: ["<|im_end|>", "<|eot_id|>", "<|endoftext|>"],
  opens: {},
  bare: bareObjects({ separator: ";" }),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<think>\n${reasoning}\n</think>`] : [];
    if (content) parts.push(content);
    for (const { name, arguments: args } of calls) parts.push(JSON.stringify({ name, arguments: args }));
    return parts.join("\n");
  },
});
