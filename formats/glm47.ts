import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { argTags, keyValueCalls, tagsOf, writeKeyValue } from "../src/shapes/key-value-tags.ts";

const tags = argTags();

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.<tool_call>tide_level<arg_key>port</arg_key><arg_value>Oban</arg_value></tool_call>
 * ```
 * GLM-4.5's tags on one line. The prompt ends in `<think>`, or in `</think>`, which some models write again.
 */
export const glm47: Format = defineFormat({
  name: "glm47",
  models: ["GLM-4.7", "GLM-5", "Spark 2.5"],
  source: "chat templates of zai-org/GLM-4.7-Flash, Spark2.5",
  template: { has: ["<tool_call>", "<arg_key>"], lacks: ["<role>", "<available_tools>"] },
  variants: {
    glm5: { models: ["GLM-5"] },
    spark25: { models: ["Spark 2.5"] },
  },
  reasoning: think,
  tokens: ["<think>", "</think>", ...tagsOf(tags)],
  stops: ["<|user|>", "<|observation|>", "<|endoftext|>", "<｜end▁of▁sentence｜>"],
  opens: { "<tool_call>": [keyValueCalls(tags), jsonInTags()] },
  closers: ["</tool_call>"],
  render: ({ reasoning, content = "", calls = [] }) => {
    const layout = { name: "", key: "", value: "" };
    const thought = reasoning ? `<think>${reasoning}</think>` : "";
    return thought + content + calls.map((call) => writeKeyValue(tags, layout, call)).join("");
  },
});
