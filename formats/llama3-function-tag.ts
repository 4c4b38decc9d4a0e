import { defineFormat, type Format } from "../src/format.ts";
import { headerJson } from "../src/shapes/header-json.ts";
import { bareCalls } from "../src/shapes/parameter-tags.ts";

/** Qwen3-Coder's notation in the same tag. */
const parameters = bareCalls({
  wrap: { open: "<tool_call>", close: "</tool_call>" },
  call: { open: "<function=", close: "</function>" },
  parameter: { open: "<parameter=", close: "</parameter>" },
  newline: true,
});

/**
 * ```text
 * I will look that up.<function=tide_level>{"port": "Oban"}</function><function=ferry_times>{}</function>
 * ```
 */
export const llama3FunctionTag: Format = defineFormat({
  name: "llama3-function-tag",
  models: ["Functionary v3.1", "Llama 3.1 (with that prompt)"],
  source: "chat template of meetkai/functionary-medium-v3.1",
  template: { has: ["<|start_header_id|>", "<function="] },
  tokens: [],
  stops: ["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"],
  opens: { "<function=": [headerJson({ separators: [">"], needsObject: true }), parameters] },
  closers: ["</function>"],
  render: ({ content = "", calls = [] }) =>
    content + calls.map(({ name, arguments: args }) => `<function=${name}>${JSON.stringify(args)}</function>`).join(""),
});
