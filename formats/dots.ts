import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { bareCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 * <dots_function_call><invoke name="tide_level"><parameter name="port">Oban</parameter></invoke></dots_function_call>
 * <dots_function_call>{"name": "tide_level", "arguments": {"port": "Oban"}}</dots_function_call>
 * ```
 * Several calls stand in one wrapper. Values are raw text, glued to their tags.
 */
const tags: ParameterTags = {
  wrap: { open: "<dots_function_call>", close: "</dots_function_call>" },
  call: { open: "<invoke name=", close: "</invoke>" },
  parameter: { open: "<parameter name=", close: "</parameter>", stem: "param" },
};

export const dots: Format = defineFormat({
  name: "dots",
  models: ["dots.llm2"],
  source: "chat template of rednote-hilab/dots.llm2",
  template: { has: ["<dots_function_call>"] },
  reasoning: think,
  tokens: ["<dots_function_call>", "</dots_function_call>", "<think>", "</think>"],
  stops: ["<|endofresponse|>"],
  opens: { "<dots_function_call>": [wrappedCalls(tags), jsonInTags()], "<invoke name=": bareCalls(tags) },
  closers: ["</dots_function_call>", tags.call.close],
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<think>\n${reasoning}\n</think>\n` : "";
    return (
      thought +
      content +
      (calls.length > 0 ? `<dots_function_call>${writtenCalls(tags, calls, "")}</dots_function_call>` : "")
    );
  },
});
