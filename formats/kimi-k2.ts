import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { functionId } from "../src/shapes/function-id.ts";
import { headerJson } from "../src/shapes/header-json.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { section } from "../src/shapes/section.ts";

const CALL = "<|tool_call_begin|>";
const ARGUMENTS = "<|tool_call_argument_begin|>";
const END = "<|tool_call_end|>";
const SECTION = "<|tool_calls_section_begin|>";
const SECTION_END = "<|tool_calls_section_end|>";
/** Some checkpoints write these instead. */
const SINGULAR = "<|tool_call_section_begin|>";
const SINGULAR_END = "<|tool_call_section_end|>";

const call = headerJson({ separators: [ARGUMENTS], header: functionId, separatorOptional: true, certain: true });
const calls = section([jsonInTags(), call], { open: CALL, close: [END] });

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.<|tool_calls_section_begin|><|tool_call_begin|>functions.tide_level:0
 * <|tool_call_argument_begin|>{"port": "Oban"}<|tool_call_end|><|tool_calls_section_end|>
 * ```
 * in one line. The header is the call's id; its number counts the calls of the conversation.
 */
export const kimiK2: Format = defineFormat({
  name: "kimi-k2",
  models: ["Kimi K2", "Kimi K2 Thinking", "Kimi K2.5"],
  source: "chat templates of moonshotai/Kimi-K2-Instruct, moonshotai/Kimi-K2-Thinking",
  template: { has: ["<|tool_call_begin|>", "<|tool_call_argument_begin|>"] },
  reasoning: think,
  tokens: [SECTION, SECTION_END, CALL, ARGUMENTS, END],
  stops: ["<|im_end|>", "[EOS]"],
  opens: { [SECTION]: calls, [SINGULAR]: calls, [CALL]: calls },
  closers: [END, SECTION_END, SINGULAR_END],
  dropped: [END, SECTION_END, SINGULAR_END],
  render: ({ reasoning, content = "", calls = [] }) => {
    const written = calls.map(({ name, arguments: args, id }, index) => {
      const header = id?.includes(`${name}:`) ? id : `functions.${name}:${index}`;
      return `${CALL}${header}${ARGUMENTS}${JSON.stringify(args)}${END}`;
    });
    const thought = reasoning ? `<think>${reasoning}</think>` : "";
    return thought + content + (written.length > 0 ? SECTION + written.join("") + SECTION_END : "");
  },
});
