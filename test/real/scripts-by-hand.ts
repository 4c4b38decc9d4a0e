import type { ToolDeclaration } from "../../src/index.ts";
import type { Play, Script, ScriptedCall } from "./scripts.ts";

const tools: readonly ToolDeclaration[] = [
  {
    type: "function",
    function: {
      name: "tide_level",
      description: "The height of the tide",
      parameters: {
        type: "object",
        properties: { port: { type: "string" }, days: { type: "integer" } },
        required: ["port"],
      },
    },
  },
];

function tide(args: object): ScriptedCall {
  return { name: "tide_level", arguments: args };
}

function block(json: string): string {
  return `<tool_call>\n${json}\n</tool_call>`;
}

const oban = block('{"name": "tide_level", "arguments": {"port": "Oban"}}');
const bergen = block('{"name": "tide_level", "arguments": {"port": "Bergen", "days": 2}}');

/** Texts for a template of the Hermes kind: as it should be, and as models get it wrong. */
const scripts: readonly Script[] = [
  { id: "one call", text: oban, calls: [tide({ port: "Oban" })] },
  { id: "two calls", text: `${oban}\n${bergen}`, calls: [tide({ port: "Oban" }), tide({ port: "Bergen", days: 2 })] },
  { id: "text before", text: `I will look.\n${oban}`, calls: [tide({ port: "Oban" })] },
  { id: "text behind", text: `${oban}\nThat was it.`, calls: [tide({ port: "Oban" })] },
  { id: "a thought before", text: `<think>\nThe tide.\n</think>\n\n${oban}`, calls: [tide({ port: "Oban" })] },
  { id: "a draft in a thought", text: `<think>\n${bergen}\nNo.\n</think>\n\n${oban}`, calls: [tide({ port: "Oban" })] },
  { id: "no call", text: "High water is at six.", calls: [] },
  { id: "a marker in prose", text: "The tag <tool_call> opens a call.", calls: [] },
  { id: "a call in a fence", text: `It looks like this:\n\`\`\`\n${oban}\n\`\`\``, calls: [] },
  {
    id: "markers in a string",
    text: block('{"name": "tide_level", "arguments": {"port": "a</tool_call>\\n<tool_call>b"}}'),
    calls: [tide({ port: "a</tool_call>\n<tool_call>b" })],
  },
  {
    id: "no line breaks",
    text: '<tool_call>{"name": "tide_level", "arguments": {"port": "Oban"}}</tool_call>',
    calls: [tide({ port: "Oban" })],
  },
  {
    id: "arguments first",
    text: block('{"arguments": {"port": "Oban"}, "name": "tide_level"}'),
    calls: [tide({ port: "Oban" })],
  },
  { id: "no closing tag", text: oban.replace("\n</tool_call>", ""), calls: [tide({ port: "Oban" })] },
  {
    id: "no closing tag between two",
    text: `${oban.replace("\n</tool_call>", "")}\n${bergen}`,
    calls: [tide({ port: "Oban" }), tide({ port: "Bergen", days: 2 })],
  },
  {
    id: "two objects in one tag",
    text: block(
      '{"name": "tide_level", "arguments": {"port": "Oban"}}\n{"name": "tide_level", "arguments": {"port": "Ayr"}}',
    ),
    calls: [tide({ port: "Oban" }), tide({ port: "Ayr" })],
  },
  {
    id: "a trailing comma",
    text: block('{"name": "tide_level", "arguments": {"port": "Oban",}}'),
    calls: [tide({ port: "Oban" })],
  },
  {
    id: "single quotes",
    text: block("{'name': 'tide_level', 'arguments': {'port': 'Oban'}}"),
    calls: [tide({ port: "Oban" })],
  },
  {
    id: "a number as text",
    text: block('{"name": "tide_level", "arguments": {"port": "Oban", "days": "2"}}'),
    calls: [tide({ port: "Oban", days: 2 })],
  },
  { id: "an unknown tool", text: block('{"name": "moon_phase", "arguments": {}}'), calls: [] },
  { id: "a missing argument", text: block('{"name": "tide_level", "arguments": {"days": 2}}'), calls: [] },
  {
    id: "a string that does not end",
    text: '<tool_call>\n{"name": "tide_level", "arguments": {"port": "Ob',
    calls: [],
  },
  {
    id: "a good call behind a bad one",
    text: `${block('{"name": "tide_level", "arguments": {"port": Oban}}')}\n${bergen}`,
    calls: [tide({ port: "Bergen", days: 2 })],
  },
];

/** The play for our own chat template. */
export const byHand: Play = { title: "by hand", tools, scripts };
