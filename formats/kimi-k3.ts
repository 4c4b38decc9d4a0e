import { defineFormat, type Format } from "../src/format.ts";
import { type ParameterTags, tokenCalls } from "../src/shapes/parameter-tags.ts";
import { writtenCalls } from "../src/shapes/written-tags.ts";

/**
 * ```text
 * <|open|>think<|sep|>They ask for the tide.<|close|>think<|sep|><|open|>response<|sep|>I will look.<|close|>response<|sep|>
 * <|open|>tools<|sep|><|open|>call tool="tide_level" index="1"<|sep|>
 *   <|open|>argument key="port" type="string"<|sep|>Oban<|close|>argument<|sep|>
 * <|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>
 * ```
 * without the line breaks. A blank may stand in a marker. Attributes are escaped, values are not: strings are raw text,
 * others JSON. `<|open|>json type="object"<|sep|>` holds all arguments.
 */
const tags: ParameterTags = {
  wrap: { open: "<|open|>tools<|sep|>", close: "<|close|>tools<|sep|>" },
  call: { open: "<|open|>call tool=", close: "<|close|>call<|sep|>" },
  parameter: { open: "<|open|>argument key=", close: "<|close|>argument<|sep|>" },
  json: { open: "<|open|>json type=", close: "<|close|>json<|sep|>" },
  brackets: { open: "<|open|>", close: "<|close|>", end: "<|sep|>" },
  type: { attribute: "type", text: "string", of: typeOf },
  index: "index",
};

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const blanks = (bracket: string, name: string): string[] =>
  ["", " "].flatMap((before) => ["", " "].map((behind) => `<|${bracket}|>${before}${name}${behind}<|sep|>`));
const frames = ["response", "tools", "message", 'message role="assistant"'];
const closed = [...frames, "call", "argument", "json"].flatMap((name) => blanks("close", name));
const calls = tokenCalls(tags);

export const kimiK3: Format = defineFormat({
  name: "kimi-k3",
  models: ["Kimi K3"],
  source: "chat template of moonshotai/Kimi-K3",
  template: { has: ["<|open|>", "<|close|>", "<|sep|>"] },
  // an answer that begins ends the thought too
  reasoning: blanks("open", "think").flatMap((open) =>
    [...blanks("close", "think"), ...blanks("open", "response")].map((close) => ({ open, close })),
  ),
  tokens: ["<|open|>", "<|close|>", "<|sep|>"],
  stops: ["<|end_of_msg|>"],
  opens: { "<|open|>tools": calls, "<|open|> tools": calls, "<|open|>call": calls, "<|open|> call": calls },
  closers: closed,
  dropped: [...closed, ...frames.flatMap((name) => blanks("open", name))],
  render: ({ reasoning, content = "", calls = [] }) => {
    const element = (name: string, body: string): string => `<|open|>${name}<|sep|>${body}<|close|>${name}<|sep|>`;
    const thought = reasoning ? element("think", reasoning) : "";
    const list = calls.length > 0 ? element("tools", writtenCalls(tags, calls, "")) : "";
    return thought + element("response", content) + list;
  },
});
