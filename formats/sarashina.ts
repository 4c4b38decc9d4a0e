import { defineFormat, type Format } from "../src/format.ts";
import { bareList, jsonInTags } from "../src/shapes/json-in-tags.ts";
import { writeValue } from "../src/shapes/python-calls.ts";

/**
 * ```text
 * <|tool_calls|>[{'name': 'tide_level', 'arguments': {'port': 'Oban', 'days': 2, 'unit': None}}]
 * ```
 * A Python list, with nothing behind it.
 */
export const sarashina: Format = defineFormat({
  name: "sarashina",
  models: ["Sarashina 2.2"],
  source: "chat template of sbintuitions/sarashina2.2-3b-instruct",
  template: { has: ["<|tool_calls|>"], lacks: ["<|tool_call:begin|>"] },
  tokens: ["<|tool_calls|>"],
  stops: ["</s>"],
  opens: { "<|tool_calls|>": jsonInTags({ python: true }) },
  bare: bareList({ python: true }),
  render: ({ content = "", calls = [] }) => {
    const list = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
    return content + (list.length > 0 ? `<|tool_calls|>${writeValue(list)}` : "");
  },
});
