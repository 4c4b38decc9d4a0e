import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

const tags = {
  ...argTags("ifm|"),
  section: { open: "<ifm|tool_calls>", close: "</ifm|tool_calls>" },
  type: { open: "<ifm|arg_type>", close: "</ifm|arg_type>" },
  json: true,
};

/** A thought is marked by the effort that the prompt asks for; its closer may be the plain one. */
const reasoning = ["think", "think_fast", "think_faster"].flatMap((name) => [
  { open: `<ifm|${name}>`, close: `</ifm|${name}>` },
  ...(name === "think" ? [] : [{ open: `<ifm|${name}>`, close: "</ifm|think>" }]),
]);

/**
 * ```text
 * <ifm|think>
 * They ask for the tide.
 * </ifm|think>
 * <ifm|tool_calls>
 * <ifm|tool_call>tide_level
 * <ifm|arg_key>port</ifm|arg_key>
 * <ifm|arg_value>Oban</ifm|arg_value>
 * </ifm|tool_call>
 * </ifm|tool_calls>
 * ```
 * Or one JSON object in `<ifm|tool_call>`; or `<ifm|arg_type>integer</ifm|arg_type>` before a value.
 */
export const k2Horizon: Format = defineFormat({
  name: "k2-horizon",
  models: ["K2 Horizon", "K2-V3"],
  source: "chat template of IFM K2 Horizon",
  template: { has: ["<ifm|tool_call>"] },
  reasoning,
  callInThought: "never",
  tokens: [...new Set([...reasoning.flatMap(({ open, close }) => [open, close]), ...tagsOf(tags)])],
  stops: ["<|ifm|im_end|>"],
  opens: {
    [tags.section.open]: [keyValueCalls(tags), jsonInTags()],
    [tags.call.open]: [keyValueCalls(tags), jsonInTags()],
  },
  closers: [tags.call.close, tags.section.close],
  render: ({ reasoning: thought, content, calls = [] }) => {
    const layout = { name: "\n", key: "\n", value: "\n" };
    const parts = thought ? [`<ifm|think>\n${thought}\n</ifm|think>`] : [];
    if (content) parts.push(content);
    const section = calls.map((call) => writeKeyValue(tags, layout, call));
    if (section.length > 0) parts.push(tags.section.open, ...section, tags.section.close);
    return parts.join("\n");
  },
});
