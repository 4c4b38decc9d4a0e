import { defineFormat, type Format } from "../src/format.ts";
import { headerJson } from "../src/shapes/header-json.ts";
import { bareList, jsonInTags } from "../src/shapes/json-in-tags.ts";

const named = headerJson({ separators: ["[ARGS]", ""], id: "[CALL_ID]" });

/**
 * ```text
 * [TOOL_CALLS]tide_level[ARGS]{"port": "Oban"}                                     since v11
 * [TOOL_CALLS]tide_level[CALL_ID]000000001[ARGS]{"port": "Oban"}                   Small 3.2
 * [TOOL_CALLS] [{"name": "tide_level", "arguments": {"port": "Oban"}, "id": "…"}]  v2 to v7
 * ```
 * One marker per call, or one for a list. The name may stand directly before the object.
 */
export const mistral: Format = defineFormat({
  name: "mistral",
  models: ["Mistral 7B v0.3", "Mixtral", "Nemo", "Mistral Small", "Mistral Large", "Codestral", "Pixtral"],
  source: "chat templates of Mistral-Nemo-Instruct-2407, Mistral-Small-3.2-24B-Instruct-2506, Devstral-Small-2507",
  template: { has: ["[TOOL_CALLS]"] },
  variants: {
    ministral: { models: ["Ministral 3"] },
    magistral: { models: ["Magistral"] },
    devstral: { models: ["Devstral"] },
  },
  reasoning: [
    { open: "[THINK]", close: "[/THINK]" },
    { open: "<think>", close: "</think>" },
  ],
  tokens: ["[TOOL_CALLS]", "[CALL_ID]", "[ARGS]", "[THINK]", "[/THINK]"],
  stops: ["</s>"],
  opens: { "[TOOL_CALLS]": [jsonInTags({ idLast: true }), named] },
  dropped: ["[/TOOL_CALLS]"],
  bare: bareList({ idLast: true }),
  render: ({ reasoning, content = "", calls = [] }) =>
    (reasoning ? `[THINK]${reasoning}[/THINK]` : "") +
    content +
    calls
      .map(({ name, arguments: args, id }) => {
        const callId = id === undefined ? "" : `[CALL_ID]${id}`;
        return `[TOOL_CALLS]${name}${callId}[ARGS]${JSON.stringify(args)}`;
      })
      .join(""),
});
