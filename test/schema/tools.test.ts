import { describe, expect, it } from "vitest";
import { ajvValidator } from "../../src/ajv.ts";
import type { ToolDeclaration } from "../../src/schema/declare.ts";
import type { Validation } from "../../src/schema/profiles.ts";
import { ToolSet } from "../../src/schema/tools.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";

const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const standard = {
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: (value: any) =>
      value.n === 13 ? { issues: [{ message: "must not be 13", path: [{ key: "n" }] }] } : { value },
    jsonSchema: { input: ({ target }: { target: string }) => (target === "draft-2020-12" ? parameters : {}) },
  },
};
const forms: Record<string, ToolDeclaration> = {
  "OpenAI chat, Ollama": { type: "function", function: { name: "t", description: "d", parameters, strict: true } },
  "OpenAI responses": { type: "function", name: "t", parameters },
  Anthropic: { name: "t", input_schema: parameters },
  MCP: { name: "t", inputSchema: parameters },
  "the bare form": { name: "t", parameters },
  "the kernel form": { name: "t", args: [{ name: "n", type: "int", required: true }] },
  "Standard JSON Schema": { name: "t", parameters: standard },
};
const profiles: Validation[] = ["strict", "coerce", "lenient", "kernel", "none"];

describe("ToolSet", () => {
  for (const [form, declaration] of Object.entries(forms)) {
    it(`reads ${form}, under every profile`, () => {
      for (const validation of profiles) {
        const tool = new ToolSet([declaration], validation).get("t");
        expect(tool?.node.key("n").wire).toBe("json");
        const kinds = (args: Record<string, unknown>): string[] =>
          tool?.check(args, JSON.stringify(args)).map(({ kind, path }) => kind + path) ?? [];
        const none = validation === "none";
        expect([validation, kinds({ n: 1 })]).toEqual([validation, []]);
        expect([validation, kinds({})]).toEqual([validation, none ? [] : ["missing-required/n"]]);
        expect([validation, kinds({ n: [] })]).toEqual([validation, none ? [] : ["wrong-type/n"]]);
        expect([validation, kinds({ n: "5" })]).toEqual([
          validation,
          none || validation === "lenient" ? [] : ["wrong-type/n"],
        ]);
      }
    });
  }

  it("lets anything pass where nothing is declared", () => {
    for (const nothing of [undefined, null, 7]) {
      for (const validation of profiles) {
        const tool = new ToolSet([{ name: "t", parameters: nothing as null }], validation).get("t");
        expect(tool?.check({ any: [1] }, '{"any":[1]}')).toEqual([]);
        expect(tool?.node.key("any").wire).toBe("open");
      }
    }
  });

  it("takes names of Object.prototype as names", () => {
    const names = ["__proto__", "constructor", "toString"];
    const set = new ToolSet(
      names.map((name) => ({ name, parameters })),
      "coerce",
    );
    expect(set.names).toEqual(names);
    for (const name of names) expect(set.get(name)?.name).toBe(name);
    expect(set.has("hasOwnProperty")).toBe(false);
    expect(set.get("valueOf")).toBeUndefined();
    expect(new ToolSet([], "coerce").has("__proto__")).toBe(false);
  });

  it.each([
    ["tools[0] must be an object", null],
    ["tools[0] must be an object", "t"],
    ["tools[0] must be an object", []],
    ["tools[0].function must be an object", { type: "function", function: "t" }],
    ["tools[0] has no name", {}],
    ["tools[0] has no name", { name: "" }],
    ["tools[0] has no name", { name: 7, parameters: {} }],
    ["tools[0] has no name", { function: { parameters: {} } }],
    [
      'tools[0] ("t"): the argument "a" has the unknown type "text"',
      { name: "t", args: [{ name: "a", type: "text" }] },
    ],
    [
      'tools[0] ("t") declares the argument "a" twice',
      {
        name: "t",
        args: [
          { name: "a", type: "str" },
          { name: "a", type: "int" },
        ],
      },
    ],
    ['tools[0] ("t") has an argument without a name', { name: "t", args: [{ type: "str" }] }],
    ['tools[0] ("t") must be { name, args', { name: "t", args: {} }],
  ])("says: %s", (message, declaration) => {
    const make = (): ToolSet => new ToolSet([declaration as never], "coerce");
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it("refuses two tools of one name", () => {
    expect(
      () =>
        new ToolSet(
          [
            { name: "t", parameters },
            { name: "t", args: [] },
          ],
          "none",
        ),
    ).toThrow('tools[1]: there are two tools with the name "t"');
  });

  it("types a number by its spelling under kernel", () => {
    const tool = new ToolSet([{ name: "t", parameters }], "kernel").get("t");
    expect(tool?.check({ n: 2 }, '{"n":2}')).toEqual([]);
    expect(tool?.check({ n: 2 }, '{"n":2.0}')).toEqual([
      {
        kind: "wrong-type",
        path: "/n",
        message: '"n" must be an integer, but 2.0 was given.',
        expected: ["int"],
        received: "float",
      },
    ]);
    expect(tool?.check({ n: Number.POSITIVE_INFINITY }, '{"n":1e999}').length).toBe(1);
  });

  it("keeps null for an optional argument without a default under coerce, at every depth", () => {
    const box = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string", default: "x" }, c: { $ref: "#/$defs/c" }, d: false },
    };
    const schema = {
      ...box,
      properties: { ...box.properties, box, list: { type: "array", items: box } },
      $defs: { c: { type: "string" } },
    };
    const bad = (args: object, more: object = {}): string[] => {
      const result = validateArguments(args, { ...schema, ...more });
      return result.ok ? [] : result.problems.map(({ kind, path }) => kind + path);
    };
    expect(bad({ a: null, c: null, box: { a: null }, list: [{ a: null }] })).toEqual([]);
    expect(bad({ b: null, d: null, list: [{ b: null }] })).toEqual([
      "wrong-type/b",
      "forbidden/d",
      "wrong-type/list/0/b",
    ]);
    expect(bad({ a: null }, { required: ["a"] })).toEqual(["wrong-type/a"]);
    expect(bad({ a: null }, { allOf: [{ required: ["a"] }] })).toEqual(["wrong-type/a"]);
    expect(bad({ list: [null], x: null }, { additionalProperties: { type: "string" } })).toEqual([
      "wrong-type/list/0",
      "wrong-type/x",
    ]);
  });
});

describe("a Standard Schema", () => {
  it("has the last word under strict and coerce", () => {
    for (const validation of profiles) {
      const problems = new ToolSet([{ name: "t", parameters: standard }], validation)
        .get("t")
        ?.check({ n: 13 }, '{"n":13}');
      const told = validation === "strict" || validation === "coerce";
      expect(problems).toEqual(told ? [{ kind: "forbidden", path: "/n", message: '"n": must not be 13' }] : []);
    }
    expect(validateArguments({ n: "13" }, standard)).toMatchObject({ ok: false, problems: [{ path: "/n" }] });
    expect(validateArguments({ n: "12" }, standard)).toEqual({ ok: true, value: { n: 12 }, warnings: [] });
  });

  it("may be a function, as ArkType's are, and may do without a JSON Schema", () => {
    const schema = Object.assign(() => {}, {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: () => ({ issues: [{ message: "no", path: ["a", "b"] }] }),
      },
    });
    const tool = new ToolSet([{ name: "t", parameters: schema }], "coerce").get("t");
    expect(tool?.check({ a: {} }, "{}")).toEqual([{ kind: "missing-required", path: "/a/b", message: '"a.b": no' }]);
  });

  it("that answers with a promise is a programming error", () => {
    const schema = { "~standard": { version: 1 as const, vendor: "test", validate: async () => ({ value: 1 }) } };
    const tool = new ToolSet([{ name: "t", parameters: schema }], "coerce").get("t");
    expect(() => tool?.check({}, "{}")).toThrow('The schema of "t" validates asynchronously');
  });
});

describe("ajvValidator", () => {
  it("gives Ajv the last word, compiled at the first call", () => {
    let compiled = 0;
    const check = Object.assign((value: any) => value.n !== 13, {
      errors: [{ instancePath: "/n", message: "must NOT be 13" }],
    });
    const checked = ajvValidator({ compile: () => (compiled++, check) });
    const tool = new ToolSet([{ name: "t", parameters: checked(parameters) }], "coerce").get("t");
    expect(compiled).toBe(0);
    expect(tool?.node.coerce({ n: "5" })).toEqual({ n: 5 });
    expect(tool?.check({ n: "x" }, "")).toMatchObject([{ kind: "wrong-type", path: "/n" }]);
    expect(tool?.check({ n: 12 }, "")).toEqual([]);
    expect(tool?.check({ n: 13 }, "")).toEqual([{ kind: "forbidden", path: "/n", message: '"n": must NOT be 13' }]);
    expect(compiled).toBe(1);
  });
});
