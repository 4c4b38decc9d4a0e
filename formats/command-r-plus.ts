import { defineFormat, type Format } from "../src/format.ts";
import { bareList, jsonInTags } from "../src/shapes/json-in-tags.ts";

/**
 * ````text
 * I will look that up.
 * Action:
 * ```json
 * [
 *     {
 *         "tool_name": "tide_level",
 *         "parameters": {
 *             "port": "Oban"
 *         }
 *     }
 * ]```
 * ````
 */
export const commandRPlus: Format = defineFormat({
  name: "command-r-plus",
  models: ["Command R", "Command R+"],
  source: "chat template of CohereForAI/c4ai-command-r-plus (tool_use)",
  template: { has: ["<|START_OF_TURN_TOKEN|>", "Action:", "```json"], lacks: ["<|START_ACTION|>"] },
  tokens: [],
  stops: ["<|END_OF_TURN_TOKEN|>"],
  opens: { "Action:": jsonInTags({ fence: true }) },
  bare: bareList(),
  render: ({ content = "", calls = [] }) => {
    if (calls.length === 0) return content;
    const list = calls.map(({ name, arguments: args }) => ({ tool_name: name, parameters: args }));
    return `${content}\nAction:\n\`\`\`json\n${JSON.stringify(list, null, 4)}\`\`\``;
  },
});
