import { deepseek, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { headerJson } from "../src/shapes/header-json.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { section } from "../src/shapes/section.ts";

const { call, separator, end, sectionEnd, sections, outputs, stops } = deepseek;
const typed = headerJson({ lead: { mark: separator, word: "function" }, separators: [""], fence: true });
const named = headerJson({ separators: [separator], separatorOptional: true, reserved: ["function"] });
const calls = section([typed], { open: call, close: [end] });
/** V3.1's notation, or an object that names its tool. */
const others = section([named, jsonInTags()], { open: call, close: [end] });

/**
 * ````text
 * <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_level
 * ```json
 * {"port": "Oban"}
 * ```<｜tool▁call▁end｜>
 * <｜tool▁call▁begin｜>…<｜tool▁call▁end｜><｜tool▁calls▁end｜>
 * ````
 */
export const deepseekV3: Format = defineFormat({
  name: "deepseek-v3",
  models: ["DeepSeek V3", "DeepSeek R1", "DeepSeek R1 Distill"],
  source: "chat templates of deepseek-ai/DeepSeek-R1, DeepSeek-R1-Distill-Llama-8B, DeepSeek-R1-Distill-Qwen-32B",
  template: { has: ["<｜tool▁call▁begin｜>", "```json"] },
  variants: {
    "deepseek-r1": { models: ["DeepSeek R1", "DeepSeek R1 Distill"] },
    cogito: { models: ["Cogito v2"] },
  },
  reasoning: think,
  tokens: [deepseek.section, sectionEnd, call, separator, end],
  stops,
  opens: Object.fromEntries([...sections, call].map((opener) => [opener, [calls, others]])),
  closers: [end, sectionEnd],
  dropped: [end, sectionEnd, ...outputs],
  render: ({ reasoning, content = "", calls = [] }) => {
    const written = calls.map(({ name, arguments: args }) => {
      return `${call}function${separator}${name}\n\`\`\`json\n${JSON.stringify(args)}\n\`\`\`${end}`;
    });
    const thought = reasoning ? `<think>\n${reasoning}\n</think>\n\n` : "";
    return thought + content + (written.length > 0 ? deepseek.section + written.join("\n") + sectionEnd : "");
  },
});
