import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { barePythonCalls, pythonCalls, writePythonCall } from "../src/shapes/python-calls.ts";

/**
 * ```text
 * [tide_level(port='Oban', days=2), clock()]
 * <|python_start|>[tide_level(port='Oban', days=2)]<|python_end|>        Llama 4
 * ```
 * Without markers a list is one of calls if it begins with the name of a tool.
 */
export const pythonic: Format = defineFormat({
  name: "pythonic",
  models: ["Llama 4", "ToolACE"],
  source: "chat templates of Team-ACE/ToolACE-8B, meta-llama/Llama-4-Scout-17B-16E-Instruct",
  template: [{ has: ["[func_name1("] }, { has: ["<|python_start|>"] }],
  variants: {
    "llama4-pythonic": { models: ["Llama 4"] },
    toolace: { models: ["ToolACE"] },
  },
  tokens: ["<|python_start|>", "<|python_end|>"],
  stops: ["<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>"],
  opens: { "<|python_start|>": [pythonCalls(), jsonInTags()] },
  closers: ["<|python_end|>"],
  dropped: ["<|python_end|>"],
  bare: barePythonCalls(),
  render: ({ content, calls = [] }) => {
    const parts = content ? [content] : [];
    if (calls.length > 0) parts.push(`[${calls.map((call) => writePythonCall(call)).join(", ")}]`);
    return parts.join("\n");
  },
});
