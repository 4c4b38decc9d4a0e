import { defineFormat, type Format } from "../src/format.ts";
import { literalCalls, writeLiteral } from "../src/shapes/literals.ts";

const quote = '<|"|>';

/**
 * ```text
 * <|channel>thought
 * They ask for the tide.<channel|><|tool_call>call:tide_level{days:2,port:<|"|>Oban<|"|>}<tool_call|>I will look that up.<turn|>
 * ```
 * Strings stand between quote tokens, without escapes; keys, numbers, `true`, `false`, `null` and `None` are bare.
 */
export const gemma4: Format = defineFormat({
  name: "gemma4",
  models: ["Gemma 4"],
  source: "chat templates of google/gemma-4-31B-it, and its interleaved one",
  template: { has: ["<|tool_call>"] },
  reasoning: [
    { open: "<|channel>thought\n", close: "<channel|>", anywhere: true },
    { open: "<|channel>thought", close: "<channel|>", anywhere: true },
  ],
  tokens: ["<|tool_call>", "<tool_call|>", quote, "<|channel>", "<channel|>"],
  stops: ["<turn|>", "<|tool_response>"],
  opens: { "<|tool_call>": literalCalls({ quote, closer: "<tool_call|>" }) },
  closers: ["<tool_call|>"],
  dropped: ["<tool_call|>", "<|channel>", "<channel|>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<|channel>thought\n${reasoning}\n<channel|>` : "";
    const written = calls.map(
      (call) => `<|tool_call>call:${call.name}${writeLiteral(call.arguments, quote)}<tool_call|>`,
    );
    return thought + written.join("") + content;
  },
});
