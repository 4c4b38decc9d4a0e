import { describe, expect, test } from "vitest";
import { formatNames, getFormat, parse, RenderError } from "../src/index.ts";
import { chunkingsBySize, expectChunkingNeverMatters } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";

const tools = [
  {
    name: "place",
    parameters: {
      type: "object",
      properties: { days: { type: "integer" }, at: { type: "object", properties: { hour: { type: "integer" } } } },
    },
  },
];

/** Where the problems of the only call stand, for every chunking. */
function offsets(format: string, text: string): (number | undefined)[] {
  const options = { format, tools, generateId, finished: true };
  expectChunkingNeverMatters(text, options, chunkingsBySize(text));
  return parse(text, options).rejected.flatMap(({ problems }) => problems.map(({ offset }) => offset));
}

describe("a problem stands where its value begins", () => {
  for (const format of formatNames()) {
    test(format, () => {
      let text: string;
      try {
        const args = { days: "three", at: { days: 1 } };
        text = getFormat(format).render({ calls: [{ name: "place", arguments: args }] }, { tools });
      } catch (error) {
        // a format of typed text cannot say that the number is a string
        expect(error).toBeInstanceOf(RenderError);
        const args = { days: 4711, at: { days: 1 } };
        text = getFormat(format)
          .render({ calls: [{ name: "place", arguments: args }] }, { tools })
          .replace("4711", "three");
      }
      const after = `${text} I sent {"days": 3}.`;
      const value = text.indexOf("three");
      for (const output of [text, after]) {
        const [offset] = offsets(format, output);
        expect(offset, output).toBeGreaterThan(value - 10);
        expect(offset, output).toBeLessThanOrEqual(value);
      }
    });
  }
});

test("also where an attribute says the key of an element", () => {
  const token = "]<]minimax[>[";
  const call = `${token}<invoke name="place">${token}<parameter name="days">three${token}</parameter>${token}</invoke>`;
  const text = `${token}<tool_call>${call}${token}</tool_call>`;
  expect(offsets("minimax-m3", text)).toEqual([text.indexOf("three")]);
});

test("also inside an argument that is JSON", () => {
  const written =
    '<tool_call>\n<function=place>\n<parameter=at>\n{"day": 1, "hour": "noon"}\n</parameter>\n</function>\n</tool_call>';
  expect(offsets("qwen3-coder", written)).toEqual([written.indexOf('"noon"')]);
  const json = '<tool_call>{"name": "place", "arguments": {"at": {"day": 1, "hour": "noon"}}}</tool_call>';
  expect(offsets("hermes", json)).toEqual([json.indexOf('"noon"')]);
});
