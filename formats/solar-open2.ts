import { defineFormat, type Format } from "../src/format.ts";
import { keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

const tags = {
  call: { open: "<|tool_call:start|>", close: "<|tool_call:end|>" },
  key: { open: "<|tool_arg:start|>" },
  value: { open: "<|tool_arg:value|>", close: "<|tool_arg:end|>" },
};

/**
 * ```text
 * <|think:start|>They ask for the tide.<|think:end|>I will look that up.<|tool_call:start|>tide_level
 * <|tool_arg:start|>port<|tool_arg:value|>Oban<|tool_arg:end|>
 * <|tool_call:end|>
 * ```
 */
export const solarOpen2: Format = defineFormat({
  name: "solar-open2",
  models: ["Solar Open 2"],
  source: "chat template of upstage/Solar-Open2",
  template: { has: ["<|tool_call:start|>", "<|tool_arg:start|>"] },
  reasoning: [{ open: "<|think:start|>", close: "<|think:end|>" }],
  tokens: ["<|think:start|>", "<|think:end|>", ...tagsOf(tags)],
  stops: ["<|im:end|>", "<|endoftext|>"],
  opens: { [tags.call.open]: keyValueCalls(tags) },
  closers: [tags.call.close],
  dropped: [tags.call.close],
  render: ({ reasoning, content = "", calls = [] }) => {
    const layout = { name: "\n", key: "", value: "\n" };
    const thought = reasoning ? `<|think:start|>${reasoning}<|think:end|>` : "";
    return thought + content + calls.map((call) => writeKeyValue(tags, layout, call)).join("\n");
  },
});
