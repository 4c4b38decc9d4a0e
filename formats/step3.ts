import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { bareCalls, type ParameterTags, wrappedCalls } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 * <｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="tide_level"><steptml:parameter name="port">Oban</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>
 * ```
 * The type of a call stands before it. Values are raw text, glued to their tags.
 */
const tags: ParameterTags = {
  wrap: { open: "<｜tool_calls_begin｜>", close: "<｜tool_calls_end｜>" },
  lead: ["<｜tool_call_begin｜>", "function", "<｜tool_sep｜>"],
  call: { open: "<steptml:invoke name=", close: "</steptml:invoke>" },
  parameter: { open: "<steptml:parameter name=", close: "</steptml:parameter>", stem: "steptml:param" },
};

const closers = ["<｜tool_call_end｜>", "<｜tool_calls_end｜>"];

export const step3: Format = defineFormat({
  name: "step3",
  models: ["Step3"],
  source: "chat template of stepfun-ai/step3",
  template: { has: ["<steptml:invoke"] },
  reasoning: think,
  tokens: ["<｜tool_calls_begin｜>", "<｜tool_call_begin｜>", "<｜tool_sep｜>", ...closers, "<think>", "</think>"],
  stops: ["<|EOT|>", "<｜end▁of▁sentence｜>"],
  opens: {
    "<｜tool_calls_begin｜>": wrappedCalls(tags),
    "<｜tool_call_begin｜>": wrappedCalls(tags),
    "<steptml:invoke name=": bareCalls(tags),
  },
  // some write the separator between two calls too
  closers: [...closers, tags.call.close, "<｜tool_sep｜>"],
  dropped: closers,
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<think>\n${reasoning}\n</think>\n` : "";
    const [open = "", type = "", separator = ""] = tags.lead ?? [];
    const list = calls.map((call) => `${open}${type}${separator}${writtenCalls(tags, [call], "")}${closers[0]}`);
    return thought + content + (list.length > 0 ? `<｜tool_calls_begin｜>${list.join("")}<｜tool_calls_end｜>` : "");
  },
});
