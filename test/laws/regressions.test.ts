import { describe, expect, test } from "vitest";
import { getFormat, parse, RenderError } from "../../src/index.ts";
import type { Output } from "../support/arbitraries.ts";
import { chunksOf, run } from "../support/chunks.ts";
import { generateId } from "../support/corpus.ts";
import { argumentsFault, chunkingFault, frontierFault, lossFault, ours, retractionFault } from "./laws.ts";

/** What the laws once found, each in its smallest form. */
function output(format: string, text: string, properties: Record<string, unknown>, rest: object = {}): Output {
  const tools = [{ name: "f", parameters: { type: "object", properties } }];
  return { text, options: { format, tools, finished: true, generateId, ...rest } };
}

describe("qwen3-coder", () => {
  test("a lone surrogate is the same text in a chunk with other special characters and alone", () => {
    const text =
      "<tool_call>\n<function=f>\n<parameter=s>\na\ude00\\b\ud83d\\\n</parameter>\n</function>\n</tool_call>";
    const given = output("qwen3-coder", text, { s: { type: "string" } });
    expect(chunkingFault(ours, given)).toBeNull();
    expect(frontierFault(ours, given)).toBeNull();
    expect(retractionFault(ours, given)).toBeNull();
    expect(parse(text, given.options).calls[0]?.arguments).toEqual({ s: "a\ude00\\b\ud83d\\" });
  });

  test("a value that began as JSON and is none rejects the call under every profile", () => {
    const text = '<tool_call>\n<function=f>\n<parameter=c>\n{"id"t:1}\n</parameter>\n</function>\n</tool_call>';
    for (const validation of ["none", "kernel", "lenient", "coerce", "strict"] as const) {
      for (const repair of [true, false]) {
        const given = output("qwen3-coder", text, { c: { type: "object" } }, { validation, repair });
        expect(argumentsFault(ours, given), validation).toBeNull();
        const { calls, rejected } = parse(text, given.options);
        expect(calls).toEqual([]);
        expect(rejected[0]).toMatchObject({ name: "f", problems: [{ kind: "wrong-type", path: "/c" }] });
      }
    }
  });

  test("render writes nothing that the repairing reader takes for something else", () => {
    const { render } = getFormat("qwen3-coder");
    const properties = {
      c: { type: "array", items: { type: "string" } },
      s: { type: ["string", "null"] },
      b: { type: "object" },
    };
    const tools = [{ name: "f", parameters: { type: "object", properties } }];
    for (const args of [{ s: "<parameter=b>", b: {} }, { c: ["</function><tool_call>"] }]) {
      let text: string;
      try {
        text = render({ calls: [{ name: "f", arguments: args }] }, { tools });
      } catch (error) {
        expect(error).toBeInstanceOf(RenderError);
        continue;
      }
      expect(parse(text, { format: "qwen3-coder", tools }).calls).toMatchObject([{ arguments: args }]);
    }
  });

  test("blanks behind a JSON body are not lost where the function is not closed", () => {
    const text = "<tool_call>\n<function=f>\n{}\n</parameter>\nx";
    expect(lossFault(ours, output("qwen3-coder", text, {}))).toBeNull();
  });
});

describe("mistral", () => {
  for (const json of ['{"p":-11"a', '{"p":[true # x', '{"p":1 \\n"', '{"p":[null {"a', '{"p":"x",\'a']) {
    test(`what is out before a repair does not depend on the chunks: ${json}`, () => {
      const given = output("mistral", `[TOOL_CALLS]f[ARGS]${json}`, {});
      expect(frontierFault(ours, given)).toBeNull();
      expect(chunkingFault(ours, given)).toBeNull();
    });
  }
});

describe("a first element without a name does not vanish from a list of calls", () => {
  for (const [format, opener] of [
    ["hermes", "<tool_call>"],
    ["mistral", "[TOOL_CALLS]"],
  ] as const) {
    test(format, () => {
      const text = `${opener}[{"nope": "f", "arguments": {}}, {"name": "f", "arguments": {}}]x`;
      const given = output(format, text, {});
      expect(lossFault(ours, given)).toBeNull();
      expect(chunkingFault(ours, given)).toBeNull();
      expect(parse(text, given.options)).toMatchObject({ content: "x", calls: [{ name: "f" }] });
    });
  }
});

describe("an argument that the prompt has begun", () => {
  test("keeps its beginning, whatever the chunks", () => {
    const call = '<tool_call>\n{"name": "f", "arguments": {"s": "Oban"}}\n</tool_call>';
    for (let length = call.indexOf("Oban"); length < call.indexOf("}}"); length++) {
      const { options } = output("hermes", "", { s: { type: "string" } }, { prefill: call.slice(0, length) });
      for (const size of [1, 2, 100]) {
        const { calls } = run(chunksOf(call.slice(length), size), options).result;
        expect(calls).toMatchObject([{ arguments: { s: "Oban" }, argumentsText: '{"s":"Oban"}' }]);
      }
    }
  });
});

describe("a broken word does not end its call where the chunk ends", () => {
  for (const [format, text] of [
    ["raw-json", '{"name": "f", "arguments": {"a": [trfalse]}}\nx'],
    ["mistral", '[TOOL_CALLS][{"name": "f", "arguments": {"a": trfalse}}, {"name": "f", "arguments": {}}]x'],
    ["hermes", '<tool_call>[{"name": "f", "arguments": {"a": nulltrue}}, {"name": "f", "arguments": {}}]</tool_call>x'],
  ] as const) {
    test(format, () => {
      expect(chunkingFault(ours, output(format, text, {}))).toBeNull();
      expect(lossFault(ours, output(format, text, {}))).toBeNull();
      expect(parse(text, output(format, text, {}).options).content.trim()).toBe("x");
    });
  }
});

describe("auto", () => {
  test("raw JSON is raw-json, and streams", () => {
    const text = '{"name": "f", "arguments": {"a": 1, "b": 2}}';
    const { options } = output("auto", text, { a: {}, b: {} });
    expect(parse(text, options)).toMatchObject({
      format: "raw-json",
      calls: [{ name: "f", arguments: { a: 1, b: 2 } }],
    });
    const { events } = ours(chunksOf(text.slice(0, 36), 4), options, false);
    expect(events.map(({ type }) => type)).toContain("tool-input-delta");
    expect(run(chunksOf(text, 1), options).result).toEqual(parse(text, options));
  });
});
