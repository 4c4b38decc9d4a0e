// A format of your own in ten lines, for a model that writes
//   <call>{"name": "tide_level", "arguments": {"port": "Oban"}}</call>
import { defineFormat, jsonInTags } from "tool-call-parser";

export const format = defineFormat({
  name: "harbour",
  models: ["Harbour-1"],
  source: "the model's chat template",
  tokens: ["<call>", "</call>"],
  stops: ["<end>"],
  opens: { "<call>": jsonInTags() },
  closers: ["</call>"],
  render: ({ content = "", calls = [] }) =>
    content +
    calls.map(({ name, arguments: args }) => `<call>${JSON.stringify({ name, arguments: args })}</call>`).join(""),
});
