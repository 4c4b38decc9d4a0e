import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags, lostToken } from "../src/shapes/json-in-tags.ts";
import { brokenCall } from "../src/shapes/message-bodies.ts";

/**
 * ```text
 * I will look that up.<|message_sep|>
 *
 * function call<|role_sep|>
 * {"name": "tide_level", "arguments": {"port": "Oban"}}<|message_sep|>        3.0: a message of another role
 *
 * I will look that up.<|function_call|>{"name": "tide_level", "arguments": {"port": "Oban"}}<|message_sep|>      3.1
 * ```
 */
const body = [jsonInTags(), brokenCall];

export const gigachat3: Format = defineFormat({
  name: "gigachat3",
  models: ["GigaChat 3", "GigaChat 3.1"],
  source: "chat templates of ai-sage/GigaChat3-10B-A1.8B, GigaChat3.1-10B-A1.8B",
  template: { has: ["<|role_sep|>", "<|message_sep|>"], lacks: ["GCML"] },
  tokens: ["<|message_sep|>", "<|role_sep|>", "<|function_call|>"],
  stops: ["<|message_sep|>", "</s>"],
  opens: {
    "<|message_sep|>\n\nfunction call<|role_sep|>": body,
    "<|message_sep|>\nfunction call<|role_sep|>": body,
    "<|message_sep|>function call<|role_sep|>": body,
    "<|function_call|>": body,
  },
  dropped: ["<|role_sep|>"],
  bare: lostToken("function call<|role_sep|>", body),
  render: ({ content = "", calls = [] }) =>
    content +
    calls
      .map(({ name, arguments: args }) => {
        return `<|message_sep|>\n\nfunction call<|role_sep|>\n${JSON.stringify({ name, arguments: args })}`;
      })
      .join(""),
});
