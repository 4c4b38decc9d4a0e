import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { pythonCalls, tojson, writePythonCall } from "../src/shapes/python-calls.ts";

/**
 * ```text
 * I will look that up.<function_calls>tide_level(port="Oban", days=2)
 * clock()</function_calls><|im_end|>
 * ```
 * Calls of Python with values of JSON, one a line.
 */
export const olmo3: Format = defineFormat({
  name: "olmo3",
  models: ["Olmo 3"],
  source: "chat template of allenai/Olmo-3-7B-Instruct",
  template: { has: ["<function_calls>"] },
  reasoning: think,
  tokens: ["<think>", "</think>"],
  stops: chatml,
  opens: { "<function_calls>": [pythonCalls(), jsonInTags()] },
  closers: ["</function_calls>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<think>${reasoning}</think>` : "";
    const lines = calls.map((call) => writePythonCall(call, tojson)).join("\n");
    return thought + content + (lines && `<function_calls>${lines}</function_calls>`);
  },
});
