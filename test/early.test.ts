import { describe, expect, test } from "vitest";
import { createParser, describeProblems, type ParserEvent, parse, parseStream } from "../src/index.ts";
import { mergeEvents } from "./support/merge.ts";

const tools = [
  {
    name: "forecast",
    parameters: {
      type: "object",
      properties: {
        town: { type: "string", maxLength: 8 },
        unit: { enum: ["celsius", "fahrenheit"] },
        days: { type: "integer", maximum: 7 },
        hours: { type: "array", items: { type: "integer" }, maxItems: 2 },
        at: { anyOf: [{ type: "object", properties: { kind: { const: "point" } } }, { type: "null" }] },
      },
      required: ["town"],
      additionalProperties: false,
    },
  },
];

function eventsOf(text: string, options: object = {}, size = text.length): ParserEvent[] {
  const events: ParserEvent[] = [];
  const parser = createParser({ tools, generateId: String, ...options, onEvent: (event) => events.push(event) });
  for (let i = 0; i < text.length; i += size) parser.feed(text.slice(i, i + size));
  parser.end();
  return events;
}

/** The shortest beginning of a text after which a problem of the kind has been told. */
function toldAfter(text: string, kind: string, options: object = {}): string {
  const parser = createParser({ tools, ...options, onEvent });
  let told = false;
  function onEvent(event: ParserEvent): void {
    if (event.type === "tool-problem" && event.problem.kind === kind) told = true;
  }
  for (let i = 0; i < text.length; i++) {
    parser.feed(text.charAt(i));
    if (told) return text.slice(0, i + 1);
  }
  return "never";
}

const call = (args: string): string => `[TOOL_CALLS]forecast[ARGS]${args}`;
const strict = { format: "mistral", validation: "strict", generateId: String } as const;

// a string that begins with a letter is held for one character: it may be a Windows path
describe("problems are told while the arguments stream", () => {
  test.each([
    ["wrong-type", '{"town": "Oban", "days": "', '3"}'],
    ["wrong-type", '{"town": [', '"Oban"]}'],
    ["not-in-enum", '{"town": "Oban", "unit": "ke', 'lvin"}'],
    ["not-in-enum", '{"town": "Oban", "unit": "celsiusx', '"}'],
    ["bad-length", '{"town": "Ullapool!', ' and more"}'],
    ["extra-property", '{"town": "Oban", "tone": "', 'x"}'],
    ["out-of-range", '{"town": "Oban", "days": 70,', ' "unit": "celsius"}'],
    ["bad-length", '{"town": "Oban", "hours": [1, 2, 3,', " 4]}"],
    ["not-const", '{"town": "Oban", "at": {"kind": "li', 'ne"}}'],
    ["missing-required", '{"days": 3}', ""],
  ])("%s is certain after %s", (kind, begin, rest) => {
    expect(toldAfter(call(begin + rest), kind, strict)).toBe(call(begin));
  });

  test("an unknown tool is told at its name", () => {
    expect(toldAfter('[TOOL_CALLS]hunt[ARGS]{"a": 1}', "unknown-tool", strict)).toBe("[TOOL_CALLS]hunt[ARGS]");
  });

  test("what coercion mends is no problem", () => {
    const { calls, rejected } = parse(call('{"town": "Oban", "days": "3"}'), { format: "mistral", tools });
    expect(rejected).toEqual([]);
    expect(calls[0]?.arguments).toEqual({ town: "Oban", days: 3 });
  });

  test("a text-valued format tells it too", () => {
    const text =
      "<tool_call>\n<function=forecast>\n<parameter=town>\nOban\n</parameter>\n<parameter=unit>\nkelvin\n</parameter>\n</function>\n</tool_call>";
    expect(toldAfter(text, "not-in-enum", { format: "qwen3-coder" })).toBe(text.slice(0, text.indexOf("kelvin") + 1));
  });

  test("lenient and kernel tell the wrong type of an argument when it is over", () => {
    for (const validation of ["lenient", "kernel"]) {
      const options = { format: "mistral", validation };
      expect(toldAfter(call('{"days": [1], "town": "Oban"}'), "wrong-type", options)).toBe(call('{"days": ['));
    }
  });

  test("the events do not depend on the chunks, and each problem is told once, with its place", () => {
    const text = call(
      '{"town": "Ullapool!!", "days": 9, "unit": "k\\u0065lvin", "hours": [1, "x", 3], "at": {"kind": "pond"}, "b": 1}',
    );
    const whole = mergeEvents(eventsOf(text, strict));
    for (const size of [1, 2, 3, 4, 7, 20]) expect(mergeEvents(eventsOf(text, strict, size))).toEqual(whole);
    const rejected = parse(text, { ...strict, tools }).rejected[0];
    expect(
      rejected?.problems.map(({ kind, path, offset }) => [kind, path, text.slice(offset, (offset ?? 0) + 4)]),
    ).toEqual([
      ["bad-length", "/town", '"Ull'],
      ["out-of-range", "/days", '9, "'],
      ["not-in-enum", "/unit", '"k\\u'],
      ["wrong-type", "/hours/1", expect.any(String)],
      ["bad-length", "/hours", "[1, "],
      ["not-const", "/at/kind", '"pon'],
      ["extra-property", "/b", "1}"],
    ]);
  });
});

describe("stopOnProblem", () => {
  const text = `Well. ${call('{"town": "Oban", "unit": "kelvin", "days": 3}')}`;

  test("ends the stream with a rejected call and says how much was used, however the text is cut", () => {
    const whole = eventsOf(text, { ...strict, stopOnProblem: true });
    for (const size of [1, 2, 3, 5, 16]) {
      expect(mergeEvents(eventsOf(text, { ...strict, stopOnProblem: true }, size))).toEqual(mergeEvents(whole));
    }
    const last = whole.at(-1);
    const result = last?.type === "finish" ? last.result : undefined;
    expect(result).toMatchObject({ content: "Well. ", calls: [], finish: "stop", used: text.indexOf('"kelvin') });
    expect(result?.rejected[0]).toMatchObject({
      name: "forecast",
      arguments: null,
      argumentsText: '{"town":"Oban","unit":"k',
      raw: text.slice(6, text.indexOf('"kelvin')),
      problems: [{ kind: "not-in-enum", path: "/unit" }],
    });
  });

  test("what is fed after that is ignored, and `stopped` says so", () => {
    const parser = createParser({ tools, ...strict, stopOnProblem: true });
    parser.feed(text.slice(0, -9));
    expect(parser.stopped).toBe(true);
    parser.feed(text.slice(-9));
    expect(parser.end()).toEqual(parse(text, { tools, ...strict, stopOnProblem: true }));
    parser.reset();
    expect(parser.stopped).toBe(false);
    parser.feed("Hi");
    expect(parser.end().content).toBe("Hi");
  });

  test("a call before it stands", () => {
    const both = `${call('{"town": "Oban"}')}${call('{"town": 1}')}`;
    const { calls, rejected, finish } = parse(both, { ...strict, tools, stopOnProblem: true });
    expect([calls.length, rejected.length, finish]).toEqual([1, 1, "tool-calls"]);
  });

  test("parseStream asks its source for no more", async () => {
    let given = 0;
    async function* source(): AsyncGenerator<string> {
      for (const char of text) {
        given++;
        yield char;
      }
    }
    const events = [];
    for await (const event of parseStream(source(), { ...strict, tools, stopOnProblem: true })) events.push(event);
    expect(events.at(-1)?.type).toBe("finish");
    expect(given).toBe(text.indexOf("kelvin") + 2);
  });

  test("describeProblems says that the rest was not read", () => {
    const [rejected] = parse(text, { ...strict, tools, stopOnProblem: true }).rejected;
    expect(describeProblems(rejected as NonNullable<typeof rejected>)).toBe(
      [
        'The call to "forecast" was not run:',
        '- "unit" must be one of "celsius" or "fahrenheit", but it begins with "k".',
        "The rest of the arguments was not read: there may be more that is wrong.",
        "Correct this and write the whole call again.",
      ].join("\n"),
    );
  });

  test("an unknown tool in the prefill ends it at once", () => {
    const parser = createParser({
      tools,
      ...strict,
      prefill: '[TOOL_CALLS]hunt[ARGS]{"a"',
      stopOnProblem: true,
    });
    parser.feed(": 1}");
    expect(parser.end().rejected[0]?.problems[0]?.kind).toBe("unknown-tool");
  });
});
