import fc from "fast-check";
import type { ChatCompletionTool } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type DeclarationTarget, declareTools, type ToolDeclaration, validateArguments } from "../../src/index.ts";
import { anySchema, anyValue, objectOf } from "./generate.ts";

const runs = { numRuns: Number(process.env.RUNS ?? 2000) };
const targets: DeclarationTarget[] = ["openai", "anthropic", "mcp", "ollama", "llama.cpp"];

/** The schema that is written for a target. */
function written(parameters: unknown, target: DeclarationTarget = "mcp"): any {
  return schemaOf(declareTools([{ name: "t", parameters: parameters as object }], target).tools[0]);
}

function schemaOf(tool: any): any {
  return tool.input_schema ?? tool.inputSchema ?? tool.function.parameters;
}

/** The schema that is written for one property. */
function property(schema: unknown, more: object = {}, target: DeclarationTarget = "mcp"): any {
  return written({ type: "object", properties: { a: schema }, ...more }, target).properties.a;
}

function accepts(value: unknown, schema: unknown): boolean {
  return validateArguments(value, schema as object, { profile: "strict" }).ok;
}

describe("the form of each target", () => {
  const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const standard = {
    "~standard": { version: 1 as const, vendor: "test", jsonSchema: { input: () => parameters } },
  };
  const forms: Record<string, ToolDeclaration> = {
    "OpenAI chat": { type: "function", function: { name: "t", description: "d", parameters } },
    "OpenAI responses": { type: "function", name: "t", description: "d", parameters },
    Anthropic: { name: "t", description: "d", input_schema: parameters },
    MCP: { name: "t", description: "d", inputSchema: parameters },
    "the bare form": { name: "t", description: "d", parameters },
    "the kernel form": { name: "t", description: "d", args: [{ name: "n", type: "int", required: true }] } as never,
    "Standard JSON Schema": { name: "t", description: "d", parameters: standard },
  };
  for (const [form, declaration] of Object.entries(forms)) {
    it(`is written from ${form}`, () => {
      const fn = [{ type: "function", function: { name: "t", description: "d", parameters } }];
      expect(declareTools([declaration], "openai")).toEqual({ tools: fn, lost: [] });
      expect(declareTools([declaration], "ollama")).toEqual({ tools: fn, lost: [] });
      expect(declareTools([declaration], "llama.cpp")).toEqual({ tools: fn, lost: [] });
      const named = { name: "t", description: "d" };
      expect(declareTools([declaration], "anthropic").tools).toEqual([{ ...named, input_schema: parameters }]);
      expect(declareTools([declaration], "mcp").tools).toEqual([{ ...named, inputSchema: parameters }]);
    });
  }

  it("goes to the client of OpenAI as it is, with strict where it was asked for", () => {
    const { tools } = declareTools([{ function: { name: "t", parameters, strict: true } }], "openai");
    const taken: ChatCompletionTool[] = tools;
    expect(taken).toEqual([{ type: "function", function: { name: "t", parameters, strict: true } }]);
    expect(declareTools([{ function: { name: "t", parameters, strict: true } }], "mcp").tools).toEqual([
      { name: "t", inputSchema: parameters },
    ]);
  });

  it("has an object with properties at the root, whatever was declared", () => {
    for (const target of targets) {
      for (const nothing of [undefined, null, 7, true, {}, { type: ["object", "null"] }]) {
        expect(written(nothing, target)).toEqual({ type: "object", properties: {} });
      }
      expect(declareTools([], target)).toEqual({ tools: [], lost: [] });
    }
    for (const impossible of [false, { type: "string" }]) {
      for (const target of targets.filter((one) => one !== "ollama")) {
        expect(accepts({}, written(impossible, target))).toBe(false);
        expect(accepts({ a: 1 }, written(impossible, target))).toBe(false);
      }
    }
  });

  it("says that a Standard Schema without a JSON Schema tells the model nothing", () => {
    const validate = (value: unknown): unknown => ({ value });
    const parameters = { "~standard": { version: 1 as const, vendor: "test", validate } };
    const { tools, lost } = declareTools([{ name: "t", parameters }], "mcp");
    expect(schemaOf(tools[0])).toEqual({ type: "object", properties: {} });
    expect(lost).toMatchObject([{ tool: "t", path: "", keyword: "" }]);
  });

  it("is written from Zod, with its discriminated unions", () => {
    const shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), r: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]);
    const parameters = z.object({ shape, note: z.string().max(9).nullable() });
    const schema = schemaOf(declareTools([{ name: "t", parameters: parameters as never }], "openai").tools[0]);
    expect(Object.keys(schema.properties.shape)).toEqual(["anyOf"]);
    expect(schema.properties.note).toEqual({ type: ["null", "string"], maxLength: 9 });
  });

  it.each([
    ["tools[0] must be an object", [null]],
    ["tools[1] has no name", [{ name: "a" }, {}]],
    ['tools[0] ("t"): the argument "a" has the unknown type', [{ name: "t", args: [{ name: "a", type: "text" }] }]],
    [
      'tools[1]: there are two tools with the name "t"',
      [
        { name: "t", parameters: {} },
        { name: "t", parameters: {} },
      ],
    ],
  ])("throws: %s", (message, tools) => {
    for (const target of targets) {
      expect(() => declareTools(tools as never, target)).toThrow(TypeError);
      expect(() => declareTools(tools as never, target)).toThrow(message);
    }
    expect(() => declareTools([], "gemini" as never)).toThrow('The target "gemini" is unknown');
  });
});

describe("what is carried", () => {
  const constraints = {
    array: { items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
    object: { additionalProperties: { type: "integer" }, minProperties: 1, maxProperties: 4 },
    string: { minLength: 1, maxLength: 9, pattern: "^[a-z]+$", format: "hostname", enum: ["a"], default: "a" },
    number: { minimum: 1, maximum: 9, multipleOf: 0.5 },
    integer: { exclusiveMinimum: 0, exclusiveMaximum: 10 },
  };
  for (const [type, keywords] of Object.entries(constraints)) {
    const schema = { description: "d", type, ...keywords };
    it(`is every constraint of ${type}, plain, under null, behind a reference, and without title`, () => {
      for (const target of targets.filter((one) => one !== "ollama")) {
        expect(property({ title: "A", ...schema }, {}, target)).toEqual(schema);
        expect(property({ $ref: "#/$defs/x" }, { $defs: { x: schema } }, target)).toEqual(schema);
        const values = "enum" in keywords ? { enum: [...keywords.enum, null] } : {};
        const nullable = { ...schema, type: ["null", type].sort(), ...values };
        expect(property({ anyOf: [schema, { type: "null" }] }, {}, target)).toEqual(nullable);
        expect(property({ description: "e", oneOf: [{ type: "null" }, schema] }, {}, target)).toEqual({
          ...nullable,
          description: "e",
        });
        expect(property({ nullable: true, ...schema }, {}, target)).toEqual(nullable);
      }
    });
  }

  it("is a required key that may be null as required and nullable: that is what is validated", () => {
    const parameters = { properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } }, required: ["a"] };
    expect(written(parameters)).toEqual({
      type: "object",
      properties: { a: { type: ["null", "string"] } },
      required: ["a"],
    });
  });

  it("is a union of several branches that say more than their type, as it is", () => {
    const anyOf = [{ type: "string", minLength: 1 }, { type: "array", items: { type: "string" } }, { type: "null" }];
    expect(property({ anyOf })).toEqual({ anyOf });
    expect(property({ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] })).toEqual({
      type: ["integer", "null", "string"],
    });
    expect(property({ anyOf: [{ type: "integer", minimum: 1 }, { type: "number" }] })).toHaveProperty("anyOf");
  });

  it("is a list of types, sorted; one as text", () => {
    expect(property({ type: ["string", "null", "integer"] })).toEqual({ type: ["integer", "null", "string"] });
    expect(property({ type: ["string"] })).toEqual({ type: "string" });
    expect(property({ type: "string, integer" })).toEqual({ type: ["integer", "string"] });
    expect(property({ type: "any", description: "d" })).toEqual({ description: "d" });
  });

  it("is written in the words of 2020-12", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-04/schema#",
      properties: {
        n: { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        pair: { items: [{ type: "string" }, true], additionalItems: false },
        kind: { const: "x", nullable: true },
        a: { required: true, type: "string" },
        no: false,
      },
    };
    expect(written(schema)).toEqual({
      type: "object",
      properties: {
        n: { exclusiveMinimum: 1, maximum: 9 },
        pair: { prefixItems: [{ type: "string" }, {}], items: { not: {} } },
        kind: { enum: ["x", null] },
        a: { type: "string" },
        no: { not: {} },
      },
    });
  });

  it("is a property of any name", () => {
    const parameters = JSON.parse(
      '{"properties":{"__proto__":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"string","title":"x","minLength":1}}}',
    );
    for (const target of targets) {
      const { properties } = written(parameters, target);
      expect(Object.keys(properties)).toEqual(["__proto__"]);
      const expected = target === "ollama" ? '{"type":"string"}' : '{"type":"string","minLength":1}';
      expect(JSON.stringify(Object.getOwnPropertyDescriptor(properties, "__proto__")?.value)).toBe(expected);
    }
  });
});

describe("references", () => {
  it("are inlined at every depth, and what stands beside them wins", () => {
    const schema = {
      properties: { list: { type: "array", items: { $ref: "#/definitions/item", description: "mine" } } },
      definitions: {
        item: { description: "theirs", type: "object", properties: { at: { $ref: "#/definitions/at" } } },
        at: { type: "integer", minimum: 0 },
      },
    };
    for (const target of targets) {
      const items = { description: "mine", type: "object", properties: { at: { type: "integer", minimum: 0 } } };
      expect(written(schema, target)).toEqual({ type: "object", properties: { list: { type: "array", items } } });
    }
  });

  it("keep what they and their neighbours constrain", () => {
    const $defs = { s: { type: "string", minLength: 2 }, o: { type: "object", additionalProperties: false } };
    expect(property({ $ref: "#/$defs/s", maxLength: 3 }, { $defs })).toEqual({
      type: "string",
      minLength: 2,
      maxLength: 3,
    });
    expect(property({ $ref: "#/$defs/s", minLength: 3 }, { $defs })).toEqual({ minLength: 3, allOf: [$defs.s] });
    const closed = property({ $ref: "#/$defs/o", properties: { x: {} } }, { $defs });
    expect(closed).toEqual({ properties: { x: {} }, allOf: [$defs.o] });
    const sealed = { u: { unevaluatedProperties: false } };
    expect(property({ $ref: "#/$defs/u", required: ["x"] }, { $defs: sealed })).toEqual({
      required: ["x"],
      allOf: [sealed.u],
    });
    expect(property({ allOf: [{ $ref: "#/$defs/s" }], description: "d" }, { $defs })).toEqual({
      ...$defs.s,
      description: "d",
    });
    const old = { $schema: "http://json-schema.org/draft-07/schema#", $defs };
    expect(property({ $ref: "#/$defs/s", minLength: 3 }, old)).toEqual($defs.s);
  });

  const node = { type: "object", properties: { next: { $ref: "#/definitions/node" }, n: { type: "integer" } } };

  it("stay where a definition contains itself, with the definition", () => {
    for (const target of targets.filter((one) => one !== "ollama")) {
      const schema = written({ properties: { list: { $ref: "#/definitions/node" } }, definitions: { node } }, target);
      const $ref = "#/$defs/node";
      expect(schema).toEqual({
        type: "object",
        properties: { list: { $ref } },
        $defs: { node: { type: "object", properties: { next: { $ref }, n: { type: "integer" } } } },
      });
      expect(accepts({ list: { next: { next: { n: 1 } } } }, schema)).toBe(true);
      expect(accepts({ list: { next: { next: { n: "1" } } } }, schema)).toBe(false);
    }
  });

  it("are inlined once for Ollama, which carries none at a property", () => {
    const tools = [
      { name: "t", parameters: { properties: { list: { $ref: "#/definitions/node" } }, definitions: { node } } },
    ];
    const { tools: declared, lost } = declareTools(tools, "ollama");
    expect(schemaOf(declared[0]).properties).toEqual({
      list: { type: "object", properties: { next: {}, n: { type: "integer" } } },
    });
    expect(lost).toMatchObject([{ tool: "t", path: "/properties/list/properties/next", keyword: "$ref" }]);
  });

  it("to the root stay, and mean the root that was given", () => {
    const tree = { type: "object", properties: { sub: { type: "array", items: { $ref: "#" } } } };
    expect(written(tree)).toEqual(tree);
    const loose = written({ properties: { sub: { $ref: "#" } } });
    for (const value of [{ sub: 5 }, { sub: { sub: 5 } }]) expect(accepts(value, loose)).toBe(true);
    const root = written({ $ref: "#/$defs/node", $defs: { node: { ...tree, required: ["sub"] } } }, "openai");
    expect(root.properties.sub.type).toBe("array");
    expect(accepts({ sub: [{ sub: [] }] }, root)).toBe(true);
    expect(accepts({ sub: [{}] }, root)).toBe(false);
  });

  it("that lead nowhere stay", () => {
    const schema = { properties: { a: { $ref: "#/$defs/none", description: "d" }, b: { $ref: "other.json" } } };
    expect(written(schema).properties).toEqual(schema.properties);
  });

  it("do not grow without end where definitions use each other many times", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let i = 1; i < 60; i++) {
      const $ref = `#/$defs/d${i - 1}`;
      $defs[`d${i}`] = { type: "object", properties: { a: { $ref }, b: { $ref }, c: { $ref } } };
    }
    for (const target of targets) {
      const schema = written({ properties: { a: { $ref: "#/$defs/d59" } }, $defs }, target);
      expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
    }
  });
});

describe("unions told apart by a constant", () => {
  const cat = {
    type: "object",
    properties: { kind: { const: "cat" }, lives: { type: "integer" } },
    required: ["kind"],
  };
  const dog = { type: "object", properties: { kind: { enum: ["dog", "wolf"] } }, required: ["kind"] };
  const oneOf = [{ $ref: "#/$defs/cat" }, { $ref: "#/$defs/dog" }];
  const discriminator = { propertyName: "kind", mapping: { cat: "#/$defs/cat", dog: "#/$defs/dog" } };
  const pet = { oneOf, discriminator };
  const $defs = { cat, dog };

  it("become anyOf, in items, nested properties and additionalProperties too", () => {
    const anyOf = [cat, dog];
    expect(property(pet, { $defs })).toEqual({ anyOf });
    expect(property({ type: "array", items: pet }, { $defs }).items).toEqual({ anyOf });
    expect(property({ properties: { b: pet } }, { $defs }).properties.b).toEqual({ anyOf });
    expect(property({ additionalProperties: pet }, { $defs }).additionalProperties).toEqual({ anyOf });
    expect(property({ oneOf: [...oneOf, { type: "null" }] }, { $defs })).toEqual({
      anyOf: [...anyOf, { type: "null" }],
    });
  });

  it("stay oneOf where a value may fit two branches: that would be another schema", () => {
    const loose = [cat, { ...dog, required: [] }];
    expect(property({ oneOf: loose, discriminator })).toEqual({ oneOf: loose });
    const same = [cat, { ...cat, properties: { kind: { const: "cat" } } }];
    expect(property({ oneOf: same, discriminator })).toEqual({ oneOf: same });
  });
});

describe("what a target cannot carry", () => {
  it("is listed for Ollama, which keeps only what it has fields for", () => {
    const parameters = {
      description: "all",
      properties: {
        n: { type: "integer", minimum: 1, description: "d" },
        tags: { type: "array", items: { type: "string", minLength: 2 }, uniqueItems: true },
        box: { type: "object", properties: { x: { const: 1, title: "X" } }, required: ["x"] },
        pick: {
          anyOf: [
            { type: "string", pattern: "e" },
            { type: "array", items: false, maxItems: 0 },
          ],
        },
      },
      required: ["n"],
      additionalProperties: false,
    };
    const { tools, lost } = declareTools([{ name: "t", parameters }], "ollama");
    expect(schemaOf(tools[0])).toEqual({
      type: "object",
      properties: {
        n: { type: "integer", description: "d" },
        tags: { type: "array", items: { type: "string", minLength: 2 } },
        box: { type: "object", properties: { x: { enum: [1] } } },
        pick: { anyOf: [{ type: "string" }, { type: "array", items: { not: {} } }] },
      },
      required: ["n"],
    });
    expect(lost.map(({ tool, path, keyword }) => `${tool} ${path} ${keyword}`)).toEqual([
      "t /properties/n minimum",
      "t /properties/tags uniqueItems",
      "t /properties/box required",
      "t /properties/pick/anyOf/0 pattern",
      "t /properties/pick/anyOf/1 maxItems",
      "t  description",
      "t  additionalProperties",
    ]);
    expect(lost[0]?.message).toBe('Ollama does not carry "minimum" at /properties/n.');
    expect(lost.at(-1)?.message).toBe('Ollama does not carry "additionalProperties" at the root.');
  });

  it("is nothing for unions at the root, which OpenAI and Anthropic refuse there: they stand under if", () => {
    const anyOf = [{ required: ["a"] }, { required: ["b"] }];
    const parameters = { type: "object", properties: { a: {}, b: {} }, anyOf };
    for (const target of ["openai", "anthropic"] as const) {
      const { tools, lost } = declareTools([{ name: "t", parameters }], target);
      const { anyOf: _, ...rest } = parameters;
      expect(schemaOf(tools[0])).toEqual({ ...rest, if: {}, then: { anyOf } });
      expect(lost).toEqual([]);
    }
    expect(written(parameters)).toEqual(parameters);
    const not = { properties: {}, type: "object", not: { required: ["a"] } };
    expect(written(not, "anthropic")).toEqual(not);
    expect(written(not, "openai").then).toEqual({ not: not.not });
  });

  it("is a pattern that llama.cpp would refuse the request for, unless it can be anchored", () => {
    const patterns = ["^a$", "a", "^a", "a$", "a|b", "^a|b", "\\bword", "(?=a)a", "a\\$", "[^x]"];
    const properties = Object.fromEntries(patterns.map((pattern) => [pattern, { type: "string", pattern }]));
    const { tools, lost } = declareTools([{ name: "t", parameters: { properties } }], "llama.cpp");
    expect(lost.map(({ path, keyword }) => path + keyword)).toEqual(
      ["^a|b", "\\bword", "(?=a)a", "a\\$"].map((pattern) => `/properties/${pattern}pattern`),
    );
    const found = Object.values(schemaOf(tools[0]).properties).map(({ pattern }: any) => pattern);
    const any = "([^\\n]|\\n)*";
    expect(found.filter((pattern) => pattern !== undefined)).toEqual([
      "^a$",
      `^${any}(a)${any}$`,
      `^(a)${any}$`,
      `^${any}(a)$`,
      `^${any}(a|b)${any}$`,
      `^${any}([^x])${any}$`,
    ]);
    for (const text of ["a", "xa", "ax", "x\na\ny", "b", "x", "", "\n"]) {
      for (const [i, pattern] of ["^a$", "a", "^a", "a$", "a|b"].entries()) {
        expect(new RegExp(found[i], "u").test(text), `${pattern} ${text}`).toBe(new RegExp(pattern, "u").test(text));
      }
    }
  });
});

describe("the declarations that were given", () => {
  it("are not shared with those that are written", () => {
    const parameters = { properties: { a: { enum: ["x"], default: { b: [1] }, examples: [["y"]] } }, required: ["a"] };
    const before = structuredClone(parameters);
    for (const target of targets) {
      const open: any[] = [...declareTools([{ name: "t", parameters }], target).tools];
      for (let one = open.pop(); one !== undefined; one = open.pop()) {
        if (typeof one !== "object" || one === null) continue;
        open.push(...Object.values(one));
        for (const key of Object.keys(one)) one[key] = "changed";
      }
      expect(parameters).toEqual(before);
    }
  });
});

describe("hostile schemas", () => {
  const deep = JSON.parse('{"properties":{"a":'.repeat(9_000) + "{}" + "}}".repeat(9_000));
  const looped: Record<string, unknown> = { type: "object" };
  looped.properties = { again: looped };
  const odd = {
    type: "object",
    properties: { a: 5, b: null, c: [], d: { type: "uuid" }, e: { items: 7, anyOf: 3, required: 1, enum: "x" } },
    required: "a",
    allOf: [],
    oneOf: {},
  };
  const dynamic = { $dynamicAnchor: "t", type: "object", properties: { a: { $dynamicRef: "#t" } } };

  it("are written or handed on, and never throw", () => {
    for (const target of targets) {
      for (const schema of [deep, looped, odd, dynamic, { $ref: "#" }, { allOf: [{ $ref: "#" }] }]) {
        expect(written(schema, target).type).toBe("object");
      }
      expect(declareTools([{ name: "t", parameters: deep }], target).lost).toMatchObject([{ path: "", keyword: "" }]);
    }
    expect(written(dynamic)).toEqual(dynamic);
    const { lost } = declareTools([{ name: "t", parameters: odd }], "ollama");
    expect(lost.map(({ path, keyword }) => path + keyword)).toEqual([
      "/properties/a",
      "/properties/b",
      "/properties/c",
    ]);
  });

  it("of any kind never throw", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...targets), (schema, target) => {
        declareTools([{ name: "t", parameters: schema as never }], target);
      }),
      runs,
    );
  });
});

/** Some keywords, of the kind that tools have: few, so that two schemas often have the same. */
const keywords: fc.Arbitrary<object> = fc
  .record({
    type: fc.constantFrom("string", "integer", "number", "object", "array", "null", ["object", "null"]),
    minLength: fc.constantFrom(1, 2),
    maximum: fc.constantFrom(1, 2),
    enum: fc.constantFrom([1, "x", null], ["x", 2.5]),
    const: fc.constantFrom(1, "x", null),
    properties: fc.constantFrom({ a: { type: "integer" } }, { b: { const: 1 } }, { a: { const: "x" }, b: {} }),
    required: fc.constantFrom(["a"], ["b"]),
    additionalProperties: fc.constantFrom(false, { type: "integer" }),
    unevaluatedProperties: fc.constant(false),
    items: fc.constantFrom({ type: "integer" }, [{ type: "string" }], false),
    nullable: fc.boolean(),
    not: fc.constantFrom({ type: "null" }, { required: ["a"] }),
    description: fc.constantFrom("d", "e"),
  })
  .chain((all) => fc.subarray(Object.keys(all), { maxLength: 3 }).map((names) => pick(all, names)));

function pick(object: object, names: string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

/** References with keywords beside them, parts that all hold, and unions: what is written as one schema. */
const mixed: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.array(keywords, { minLength: 4, maxLength: 4 }),
    fc.array(fc.oneof(keywords, fc.constantFrom({ type: "null" }, { type: "integer" })), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom("anyOf", "oneOf", "allOf"),
    fc.constantFrom("#", "#/$defs/x", "#/$defs/y"),
    fc.constantFrom({}, { type: "object" }, { minProperties: 1 }),
  )
  .map(([[x, y, a, b], branches, union, $ref, root]) => ({
    ...root,
    properties: { a: { ...a, $ref: "#/$defs/x" }, b: { ...b, [union]: branches }, c: { $ref } },
    $defs: { x, y: { ...y, [union]: [{ $ref: "#/$defs/x" }, ...branches] } },
  }));

const schemas = fc.oneof(anySchema, mixed);

describe("what was declared and what is validated are the same schema", () => {
  for (const target of targets) {
    it(`for ${target}, wherever nothing is lost`, () => {
      // Ollama loses something of most schemas: those are looked at below.
      const numRuns = target === "ollama" ? runs.numRuns / 10 : runs.numRuns;
      let compared = 0;
      fc.assert(
        fc.property(schemas, objectOf(anyValue), (schema, value) => {
          fc.pre(!refersToItself(schema));
          const before = JSON.stringify(schema);
          const { tools, lost } = declareTools([{ name: "t", parameters: schema }], target);
          expect(JSON.stringify(schema)).toBe(before);
          fc.pre(lost.length === 0);
          compared++;
          expect(accepts(value, schemaOf(tools[0])), JSON.stringify(schemaOf(tools[0]))).toBe(accepts(value, schema));
        }),
        { numRuns },
      );
      expect(compared).toBeGreaterThanOrEqual(numRuns);
    });
  }

  it("once more when the declaration is declared again, and nothing changes", () => {
    fc.assert(
      fc.property(schemas, fc.constantFrom(...targets), (schema, target) => {
        fc.pre(!refersToItself(schema));
        const once = declareTools([{ name: "t", parameters: schema }], target);
        const again = declareTools(once.tools as ToolDeclaration[], target);
        expect(again.lost).toEqual([]);
      }),
      runs,
    );
  });

  it("less what the list says, on the way to Ollama", () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const full = withLists(written(schema));
        // What contains itself is written out once for Ollama.
        fc.pre(!JSON.stringify(full).includes("$ref"));
        const { tools, lost } = declareTools([{ name: "t", parameters: schema }], "ollama");
        const sent = schemaOf(tools[0]);
        expect(sent).toEqual(received(full));
        const rest = structuredClone(full);
        for (const { path, keyword } of lost) {
          const holder = at(rest, path);
          expect(Object.hasOwn(holder, keyword)).toBe(true);
          delete holder[keyword];
        }
        expect(rest).toEqual(sent);
      }),
      runs,
    );
  });
});

/** What Ollama's server reads of parameters: the fields of ToolFunctionParameters and ToolProperty in its api/types.go. */
function received({ type, properties, required, items, $defs }: any): unknown {
  const fields = (one: any): unknown =>
    defined({
      anyOf: one.anyOf?.map(fields),
      type: one.type,
      items: one.items,
      description: one.description,
      enum: one.enum,
      properties: one.properties && each(one.properties, fields),
    });
  return defined({ type, properties: each(properties, fields), required, items, $defs });
}

function defined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function each(map: object, change: (value: any) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}

/** Constants as lists of one value, which is how Ollama carries them. */
function withLists(schema: any): any {
  if (Array.isArray(schema)) return schema.map(withLists);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) =>
    key === "const" ? ["enum", [value]] : [key, withLists(value)],
  );
  return Object.fromEntries(entries);
}

function at(schema: any, path: string): any {
  return path
    .split("/")
    .slice(1)
    .reduce((one, key) => Object.getOwnPropertyDescriptor(one, key)?.value, schema);
}

/** Does a schema come back to itself at the same value? JSON Schema gives that no meaning. */
function refersToItself(root: any): boolean {
  const targets: Record<string, any> = { "#": root };
  for (const name of Object.keys(root.$defs ?? {})) targets[`#/$defs/${name}`] = root.$defs[name];
  const beside = (schema: any): any[] => {
    if (typeof schema !== "object" || schema === null) return [];
    const { $ref, allOf = [], anyOf = [], oneOf = [], not, dependentSchemas = {} } = schema;
    const branches = [schema.if, schema.then, schema.else, not, ...Object.values(dependentSchemas)];
    return [targets[$ref], ...allOf, ...anyOf, ...oneOf, ...branches].filter((one) => typeof one === "object");
  };
  const open = new Set<any>();
  const done = new Set<any>();
  const visit = (schema: any): boolean => {
    if (open.has(schema)) return true;
    if (done.has(schema)) return false;
    open.add(schema);
    const found = beside(schema).some(visit);
    open.delete(schema);
    done.add(schema);
    return found;
  };
  return Object.values(targets).some(visit);
}
