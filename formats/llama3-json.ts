import { defineFormat, type Format } from "../src/format.ts";
import { bareObjects, jsonInTags } from "../src/shapes/json-in-tags.ts";
import { pythonCalls } from "../src/shapes/python-calls.ts";

const objects = jsonInTags({ separator: ";" });

/**
 * ```text
 * {"name": "tide_level", "parameters": {"port": "Oban"}}
 * <|python_tag|>{"name": "tide_level", "parameters": {"port": "Oban"}}; {"name": "ferry_times", "parameters": {}}
 * <|python_start|>{"name": "tide_level", "parameters": {"port": "Oban"}}<|python_end|>                            Llama 4
 * ```
 */
export const llama3Json: Format = defineFormat({
  name: "llama3-json",
  models: ["Llama 3.1", "Llama 3.2", "Llama 3.3"],
  source: "chat templates of meta-llama/Llama-3.1-8B-Instruct, Llama-3.2-3B-Instruct, Llama-3.3-70B-Instruct",
  template: [
    { has: ["<|start_header_id|>", "ipython", '"parameters"'], lacks: ["start_tag", "<function=", "[func_name1("] },
    { has: ["<|header_start|>", '"parameters"'], lacks: ["[func_name1("] },
  ],
  variants: { "llama4-json": { models: ["Llama 4"], tokens: ["<|python_start|>", "<|python_end|>"] } },
  tokens: ["<|python_tag|>"],
  stops: ["<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "<|end_of_text|>"],
  opens: { "<|python_tag|>": [objects, pythonCalls({ suffix: ".call" })], "<|python_start|>": objects },
  closers: ["<|python_end|>"],
  dropped: ["<|python_end|>"],
  bare: bareObjects({ separator: ";" }),
  render: ({ content, calls = [] }) => {
    const objects = calls.map(({ name, arguments: args }) => JSON.stringify({ name, parameters: args }));
    return [...(content ? [content] : []), ...(objects.length > 0 ? [objects.join("; ")] : [])].join("\n");
  },
});
