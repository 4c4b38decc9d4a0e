import { deepseek, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { headerJson } from "../src/shapes/header-json.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { section } from "../src/shapes/section.ts";

const { call, separator, end, sectionEnd, sections, outputs, stops } = deepseek;
const named = headerJson({ separators: [separator], separatorOptional: true, reserved: ["function"] });
const typed = headerJson({ lead: { mark: separator, word: "function" }, separators: [""], fence: true });
const calls = section([named], { open: call, close: [end] });
/** V3's notation, or an object that names its tool. */
const others = section([typed, jsonInTags()], { open: call, close: [end] });

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.<｜tool▁calls▁begin｜>
 * <｜tool▁call▁begin｜>tide_level<｜tool▁sep｜>{"port": "Oban"}<｜tool▁call▁end｜>…<｜tool▁calls▁end｜>
 * ```
 * in one line.
 */
export const deepseekV31: Format = defineFormat({
  name: "deepseek-v31",
  models: ["DeepSeek V3.1", "DeepSeek V3.1 Terminus", "DeepSeek V3.2 Exp"],
  source: "chat template of deepseek-ai/DeepSeek-V3.1",
  template: { has: ["<｜tool▁call▁begin｜>"], lacks: ["```json"] },
  reasoning: think,
  tokens: [deepseek.section, sectionEnd, call, separator, end],
  stops,
  opens: Object.fromEntries([...sections, call].map((opener) => [opener, [calls, others]])),
  closers: [end, sectionEnd],
  dropped: [end, sectionEnd, ...outputs],
  render: ({ reasoning, content = "", calls = [] }) => {
    const written = calls.map(({ name, arguments: args }) => `${call}${name}${separator}${JSON.stringify(args)}${end}`);
    const thought = reasoning ? `<think>${reasoning}</think>` : "";
    return thought + content + (written.length > 0 ? deepseek.section + written.join("") + sectionEnd : "");
  },
});
