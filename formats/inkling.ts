import { defineFormat, type Format } from "../src/format.ts";
import { envelopeBody } from "../src/shapes/message-bodies.ts";
import { messages } from "../src/shapes/messages.ts";

/**
 * ```text
 * <|message_model|><|content_thinking|>They ask for the tide.<|end_message|>
 * <|message_model|><|content_text|>I will look that up.<|end_message|>
 * <|message_model|>tide_level<|content_invoke_tool_json|>{"name": "tide_level", "args": {"port": "Oban"}}<|end_message|>
 * <|content_model_end_sampling|>
 * ```
 * (without the line breaks). A token says what each block is, in any order; what stands in front of it is no text.
 */
export const inkling: Format = defineFormat({
  name: "inkling",
  models: ["Inkling"],
  source: "the special tokens of the Inkling tokenizer, and its parsers in inference engines",
  template: { has: ["<|content_invoke_tool_json|>"] },
  tokens: [
    ...["<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>", "<|content_thinking|>"],
    ...["<|content_text|>", "<|content_invoke_tool_json|>", "<|content_invoke_tool_text|>", "<|content_tool_error|>"],
  ],
  ...messages({
    start: "<|message_model|>",
    bodies: {
      "<|content_thinking|>": "thought",
      "<|content_text|>": "text",
      "<|content_invoke_tool_json|>": "call",
      "<|content_invoke_tool_text|>": "text",
      "<|content_tool_error|>": "text",
    },
    ends: ["<|end_message|>"],
    stops: ["<|content_model_end_sampling|>"],
    call: envelopeBody,
  }),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<|content_thinking|>${reasoning}`] : [];
    if (content) parts.push(`<|content_text|>${content}`);
    for (const { name, arguments: args } of calls) {
      parts.push(`${name}<|content_invoke_tool_json|>${JSON.stringify({ name, args })}`);
    }
    return parts.map((part) => `<|message_model|>${part}<|end_message|>`).join("");
  },
});
