import { defineFormat, type Format } from "../src/format.ts";
import { type ElementTags, nestedCalls } from "../src/shapes/nested-elements.ts";
import { writtenElements } from "../src/shapes/written-elements.ts";

/**
 * ```text
 * <mm:think>They ask for the tide.</mm:think>I will look that up.]<]minimax[>[<tool_call>
 * ]<]minimax[>[<invoke name="tide_level">]<]minimax[>[<port>Oban]<]minimax[>[</port>]<]minimax[>[<days>]<]minimax[>[<item>2]<]minimax[>[</item>]<]minimax[>[</days>]<]minimax[>[</invoke>
 * ]<]minimax[>[</tool_call>
 * ```
 * Only what follows the token is a tag. Objects are nested elements, lists are elements named `item`; there is no null.
 */
const tags: ElementTags = { token: "]<]minimax[>[", wrap: "tool_call", call: "invoke", item: "item" };
const { token } = tags;
const calls = nestedCalls(tags);
const closers = [`${token}</tool_call>`, `${token}</invoke>`];

export const minimaxM3: Format = defineFormat({
  name: "minimax-m3",
  models: ["MiniMax-M3"],
  source: "chat template of MiniMaxAI/MiniMax-M3",
  template: { has: ["]<]minimax[>["] },
  reasoning: [{ open: "<mm:think>", close: "</mm:think>" }],
  tokens: [token, "<mm:think>", "</mm:think>"],
  stops: ["[e~["],
  opens: { [`${token}<tool_call>`]: calls, [`${token}<invoke name=`]: calls },
  closers,
  dropped: closers,
  render: ({ reasoning, content = "", calls = [] }) => {
    const thought = reasoning ? `<mm:think>${reasoning}</mm:think>` : "";
    const list = calls.map((call) => `${writtenElements(tags, call)}\n`).join("");
    return thought + content + (calls.length > 0 ? `${token}<tool_call>\n${list}${token}</tool_call>` : "");
  },
});
