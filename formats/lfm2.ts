import { chatml, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { barePythonCalls, pythonCalls, writePythonCall } from "../src/shapes/python-calls.ts";

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.<|tool_call_start|>[tide_level(port='Oban', days=2)]<|tool_call_end|><|im_end|>
 * ```
 * A JSON list between the markers, if the system prompt asks for that. The template of LFM2.5 escapes nothing in strings.
 */
export const lfm2: Format = defineFormat({
  name: "lfm2",
  models: ["LFM2", "LFM2.5"],
  source: "chat templates of LiquidAI/LFM2-8B-A1B, LFM2.5-8B-A1B, LFM2.5-Instruct",
  template: [{ has: ["<|tool_call_start|>"] }, { has: ["<|tool_list_start|>"] }, { has: ["List of tools: ["] }],
  reasoning: think,
  tokens: ["<|tool_call_start|>", "<|tool_call_end|>", "<think>", "</think>"],
  stops: chatml,
  opens: { "<|tool_call_start|>": [pythonCalls(), jsonInTags()] },
  closers: ["<|tool_call_end|>"],
  dropped: ["<|tool_call_end|>"],
  bare: barePythonCalls({ lostOpener: true }),
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<think>${reasoning}</think>` : "";
    const list = calls.map((call) => writePythonCall(call)).join(", ");
    return thought + content + (list && `<|tool_call_start|>[${list}]<|tool_call_end|>`);
  },
});
