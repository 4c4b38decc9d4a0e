import { defineFormat, type Format } from "../src/format.ts";
import { argumentsBody, functionsTool } from "../src/shapes/message-bodies.ts";
import { messages } from "../src/shapes/messages.ts";

/**
 * ```text
 * <|channel|> analysis<|message|> They ask for the tide.<|end|>
 * <|start|> assistant<|channel|> commentary to=functions.tide_level <|constrain|> json<|message|> {"port": "Oban"}<|end|>
 * <|start|> assistant<|channel|> final<|message|> High water is at six.<|return|>
 * ```
 * (without the line breaks). Harmony with a blank behind each special token, and several calls in one turn, which `<|end|>`
 * parts.
 */
export const llmJpHarmony: Format = defineFormat({
  name: "llm-jp-harmony",
  models: ["LLM-jp 4.1"],
  source: "chat template of llm-jp/llm-jp-4.1-8b-thinking",
  template: { has: ["<|channel|>", "llm-jp-harmony"] },
  tokens: ["<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"],
  ...messages({
    start: "<|start|>",
    role: "assistant",
    otherRoles: ["user", "system", "developer", "tool", "functions."],
    channel: { token: "<|channel|>", holds: { analysis: "thought", commentary: "text", final: "text" } },
    recipients: { assistant: null, user: null },
    type: "<|constrain|>",
    bodies: { "<|message|>": null },
    spaced: true,
    ends: ["<|end|>"],
    pauses: ["<|call|>", "<|return|>"],
    tool: functionsTool,
    call: argumentsBody,
  }),
  render: ({ reasoning, content, calls = [] }) => {
    const parts = reasoning ? [`<|channel|> analysis<|message|> ${reasoning}`] : [];
    if (content) parts.push(`<|channel|> ${calls.length > 0 ? "commentary" : "final"}<|message|> ${content}`);
    for (const { name, arguments: args } of calls) {
      parts.push(`<|channel|> commentary to=functions.${name} <|constrain|> json<|message|> ${JSON.stringify(args)}`);
    }
    const turn = parts.map((part) => `<|start|> assistant${part}`).join("<|end|>");
    return turn === "" ? "" : turn + (calls.length > 0 ? "<|call|>" : "<|return|>");
  },
});
