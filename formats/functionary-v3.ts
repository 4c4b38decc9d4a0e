import { defineFormat, type Format } from "../src/format.ts";
import { headerJson, headerWithoutOpener } from "../src/shapes/header-json.ts";
import { section } from "../src/shapes/section.ts";

const header = { separators: ["\n"], needsObject: true, glued: true, reserved: ["all"] };

/**
 * ```text
 * >>>all
 * I will look that up.>>>tide_level
 * {"port": "Oban"}>>>ferry_times
 * {}
 * ```
 * The prompt ends in the first `>>>`. Text is a message to `all`.
 */
export const functionaryV3: Format = defineFormat({
  name: "functionary-v3",
  models: ["Functionary v3.2"],
  source: "chat template of meetkai/functionary-medium-v3.2",
  template: { has: ["<|start_header_id|>", ">>>"] },
  tokens: [],
  stops: ["<|eot_id|>", "<|end_of_text|>"],
  opens: { ">>>": section([headerJson(header)], { open: ">>>", close: [], alone: true }) },
  dropped: [">>>all\n"],
  bare: headerWithoutOpener({ ...header, needsDeclared: true }, true),
  render: ({ content, calls = [] }) =>
    (content ? `>>>all\n${content}` : "") +
    calls.map(({ name, arguments: args }) => `>>>${name}\n${JSON.stringify(args)}`).join(""),
});
