import { defineFormat, type Format } from "../src/format.ts";
import { invokeBody, nameWithoutNoise } from "../src/shapes/message-bodies.ts";
import { messages } from "../src/shapes/messages.ts";
import type { ParameterTags } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 *  to=self<|message|>They ask for the tide.<|eom|><|start|>assistant to=user<|message|>I will look that up.<|eom|>
 * <|start|>assistant to=tide_level<|message|><atem:function_calls>
 * <atem:invoke name="tide_level">
 * <atem:parameter name="port">Oban</atem:parameter>
 * </atem:invoke>
 * </atem:function_calls><|eot|>
 * ```
 * The prompt ends in `<|start|>assistant`. The recipient decides what a message is; tags in a text are text. Values are raw
 * text, glued to their tags.
 */
const tags: ParameterTags = {
  wrap: { open: "<atem:function_calls>", close: "</atem:function_calls>" },
  call: { open: "<atem:invoke name=", close: "</atem:invoke>" },
  parameter: { open: "<atem:parameter name=", close: "</atem:parameter>", stem: "atem:param" },
  nameOf: nameWithoutNoise,
};

export const museGlimmer: Format = defineFormat({
  name: "muse-glimmer",
  models: ["Muse Glimmer"],
  source: "chat template of Muse Glimmer",
  template: { has: ["<atem:invoke", "<|message|>"] },
  variants: { glimmer: {} },
  tokens: ["<|start|>", "<|message|>", "<|eom|>", "<|eot|>"],
  ...messages({
    start: "<|start|>",
    role: "assistant",
    otherRoles: ["user", "system", "tool"],
    recipients: { self: "thought", user: "text" },
    bodies: { "<|message|>": null },
    ends: ["<|eom|>"],
    stops: ["<|eot|>"],
    certain: function* (recipient, token, input) {
      if (token !== "<|message|>" || recipient === "self" || recipient === "user") return token === "<|message|>";
      yield* input.space();
      return yield* input.at("<atem:");
    },
    call: invokeBody(tags),
  }),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`self<|message|>${reasoning}`] : [];
    if (content) parts.push(`user<|message|>${content}`);
    for (const call of calls) {
      const written = writtenCalls(tags, [call], "\n");
      parts.push(`${call.name}<|message|><atem:function_calls>\n${written}</atem:function_calls>`);
    }
    return parts.map((part) => `<|start|>assistant to=${part}`).join("<|eom|>");
  },
});
