import { defineFormat, type Format } from "../src/format.ts";
import { argumentsBody, functionsTool } from "../src/shapes/message-bodies.ts";
import { messages } from "../src/shapes/messages.ts";

/**
 * ```text
 * <|channel|>analysis<|message|>They ask for the tide.<|end|>
 * <|start|>assistant<|channel|>commentary<|message|>I will look that up.<|end|>
 * <|start|>assistant<|channel|>commentary to=functions.tide_level <|constrain|>json<|message|>{"port": "Oban"}<|call|>
 * <|start|>assistant to=functions.tide_level<|channel|>commentary json<|message|>{"port": "Oban"}<|call|>
 * <|start|>assistant<|channel|>final<|message|>High water is at six.<|return|>
 * ```
 * (without the line breaks). The prompt ends in `<|start|>assistant`. The recipient decides what a message is, wherever in
 * the header it stands, then the channel.
 */
export const harmony: Format = defineFormat({
  name: "harmony",
  models: ["gpt-oss"],
  source: "chat template of openai/gpt-oss-120b",
  template: { has: ["<|channel|>", "<|message|>"], lacks: ["llm-jp-harmony"] },
  variants: { "gpt-oss": {} },
  tokens: ["<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"],
  ...messages({
    start: "<|start|>",
    role: "assistant",
    otherRoles: ["user", "system", "developer", "tool", "functions."],
    channel: { token: "<|channel|>", holds: { analysis: "thought", commentary: "text", final: "text" } },
    recipients: { assistant: null, user: null },
    type: "<|constrain|>",
    bodies: { "<|message|>": null },
    ends: ["<|end|>"],
    pauses: ["<|call|>", "<|return|>"],
    tool: functionsTool,
    call: argumentsBody,
  }),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<|channel|>analysis<|message|>${reasoning}<|end|>`] : [];
    if (content && calls.length > 0) parts.push(`<|channel|>commentary<|message|>${content}<|end|>`);
    else if (content) parts.push(`<|channel|>final<|message|>${content}<|return|>`);
    for (const { name, arguments: args } of calls) {
      parts.push(
        `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
      );
    }
    return parts.map((part) => `<|start|>assistant${part}`).join("");
  },
});
