import { defineFormat, type Format } from "../src/format.ts";
import { argTags, type KeyValueTags, keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

/** The template adds a suffix to every tag; models also write them without. */
function suffixed(suffix: string): KeyValueTags & { section: { open: string; close: string } } {
  return {
    ...argTags("", suffix),
    section: { open: `<tool_calls${suffix}>`, close: `</tool_calls${suffix}>` },
    separator: `<tool_sep${suffix}>`,
  };
}

const tags = suffixed(":opensource");
const plain = suffixed("");

/**
 * ```text
 * <think:opensource>They ask for the tide.</think:opensource>I will look that up.<tool_calls:opensource>
 * <tool_call:opensource>tide_level<tool_sep:opensource>
 * <arg_key:opensource>port</arg_key:opensource>
 * <arg_value:opensource>Oban</arg_value:opensource>
 * </tool_call:opensource>
 * </tool_calls:opensource><｜hy_eos:opensource｜>
 * ```
 */
export const hy3: Format = defineFormat({
  name: "hy3",
  models: ["Hunyuan 3", "Hy3"],
  source: "chat template of tencent/Hy3",
  template: { has: [/<tool_calls(?:\{\}|:opensource)>/, /<arg_key(?:\{\}|:opensource)>/] },
  reasoning: [
    { open: "<think:opensource>", close: "</think:opensource>" },
    { open: "<think>", close: "</think>" },
  ],
  tokens: ["<think:opensource>", "</think:opensource>", ...tagsOf(tags)],
  stops: ["<｜hy_eos:opensource｜>", "<｜hy_eos｜>"],
  opens: {
    [tags.section.open]: keyValueCalls(tags),
    [tags.call.open]: keyValueCalls(tags),
    [plain.section.open]: keyValueCalls(plain),
    [plain.call.open]: keyValueCalls(plain),
  },
  closers: [tags.call.close, tags.section.close, plain.call.close, plain.section.close],
  render: ({ reasoning, content = "", calls = [] }) => {
    const layout = { name: "\n", key: "\n", value: "\n" };
    const section = calls.map((call) => `${writeKeyValue(tags, layout, call)}\n`).join("");
    const thought = reasoning ? `<think:opensource>${reasoning}</think:opensource>` : "";
    return thought + content + (section && `${tags.section.open}\n${section}${tags.section.close}`);
  },
});
