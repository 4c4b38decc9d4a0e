import { defineFormat, type Format } from "../src/format.ts";
import { headerJson } from "../src/shapes/header-json.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { section } from "../src/shapes/section.ts";

const END_OF_MESSAGE = "<|end|>";
const MESSAGE = "<|begin|>assistant";
const CALL = "<|tool_call:begin|>";
const NAME = "<|tool_call:name|>";
const ARGUMENTS = "<|tool_call:args|>";
const END = "<|tool_call:end|>";
const SECTION = "<|tool_calls|>";

const call = headerJson({ lead: { mark: NAME }, separators: [ARGUMENTS], separatorOptional: true });
const calls = section([call], { open: CALL, close: [END] });
const objects = section([jsonInTags()], { open: CALL, close: [END] });

/**
 * ```text
 * <|think|>They ask for the tide.<|end|><|begin|>assistant<|content|>I will look that up.<|end|><|begin|>assistant<|tool_calls|>
 * <|tool_call:begin|>k3v9x1<|tool_call:name|>tide_level<|tool_call:args|>{"port": "Oban"}<|tool_call:end|>…<|calls|>
 * ```
 * in one line. The prompt ends in `<|begin|>assistant`.
 */
export const solarOpen: Format = defineFormat({
  name: "solar-open",
  models: ["Solar Open"],
  source: "chat template of upstage/Solar-Open-100B",
  template: { has: ["<|tool_call:begin|>", "<|tool_call:args|>"] },
  reasoning: [END_OF_MESSAGE, END_OF_MESSAGE + MESSAGE, MESSAGE].map((close) => ({ open: "<|think|>", close })),
  tokens: [SECTION, CALL, NAME, ARGUMENTS, END, "<|calls|>", "<|think|>", "<|content|>", "<|begin|>", END_OF_MESSAGE],
  stops: ["<|calls|>", "<|flush|>", "<|endoftext|>", "<|begin|>user", "<|begin|>tool", "<|begin|>system"],
  opens: Object.fromEntries([MESSAGE + SECTION, SECTION, CALL].map((opener) => [opener, [calls, objects]])),
  closers: [END],
  dropped: [END, MESSAGE, END_OF_MESSAGE + MESSAGE, END_OF_MESSAGE, "<|content|>"],
  render: ({ reasoning, content, calls = [] }) => {
    const messages = reasoning ? [`<|think|>${reasoning}${END_OF_MESSAGE}`] : [];
    if (content) messages.push(`<|content|>${content}${END_OF_MESSAGE}`);
    const written = calls.map(({ name, arguments: args, id }, index) => {
      return `${CALL}${id ?? `call${index}`}${NAME}${name}${ARGUMENTS}${JSON.stringify(args)}${END}`;
    });
    if (written.length > 0) messages.push(`${SECTION}${written.join("")}`);
    return messages.join(MESSAGE);
  },
});
