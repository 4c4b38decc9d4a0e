import { defineFormat, type Format } from "../src/format.ts";
import { literalCalls, writeLiteral } from "../src/shapes/literals.ts";

const quote = "<escape>";

/**
 * ```text
 * <start_function_call>call:tide_level{days:2,port:<escape>Oban<escape>}<end_function_call>
 * ```
 * Strings stand between quote tokens, without escapes; keys, numbers and words are bare.
 */
export const functiongemma: Format = defineFormat({
  name: "functiongemma",
  models: ["FunctionGemma"],
  source: "chat template of google/functiongemma-270m-it",
  template: { has: ["<start_function_call>"] },
  tokens: ["<start_function_call>", "<end_function_call>", quote],
  stops: ["<start_function_response>", "<end_of_turn>"],
  opens: { "<start_function_call>": literalCalls({ quote, closer: "<end_function_call>" }) },
  closers: ["<end_function_call>"],
  dropped: ["<end_function_call>"],
  render: ({ content = "", calls = [] }) =>
    content +
    calls
      .map((call) => `<start_function_call>call:${call.name}${writeLiteral(call.arguments, quote)}<end_function_call>`)
      .join(""),
});
