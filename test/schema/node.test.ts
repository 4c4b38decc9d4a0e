import { describe, expect, it } from "vitest";
import { anything, prepareSchema } from "../../src/schema/node.ts";

const code = (text: string): number => text.charCodeAt(0);
const object = (properties: object, rest: object = {}): object => ({ type: "object", properties, ...rest });

describe("holds: the smallest value that coercion may change", () => {
  const cases: [what: string, schema: object, held: string, streams: string][] = [
    ["a string streams, a number for it is held", { type: "string" }, "5-", '"{[tn'],
    ["text for an integer is held, a number streams", { type: "integer" }, '"', "5-{[tn"],
    ["text and numbers for a boolean are held", { type: "boolean" }, '"5', "{[tn"],
    ["JSON text for a list is held, a list streams", { type: "array", items: { type: "integer" } }, '"', "[{5tn"],
    ["JSON text for an object is held, an object streams", object({ n: { type: "integer" } }), '"', "{[5tn"],
    ["a fraction beside integer and string may become text", { type: ["integer", "string"] }, "5", '"{[tn'],
    ["a nullable string streams", { anyOf: [{ type: "string" }, { type: "null" }] }, "5", '"{[tn'],
    ["what is listed is taken literally", { type: "integer", enum: [1, 2] }, "", '"5{[tn'],
    ["an untyped value streams", { description: "anything" }, "", '"5{[tn'],
    ["an optional object streams", { anyOf: [object({ n: { type: "integer" } }), { type: "null" }] }, '"', "{[5tn"],
    [
      "a string with a pattern, beside an integer, is held",
      { anyOf: [{ enum: ["auto"] }, { type: "integer" }] },
      '"',
      "5{[tn",
    ],
    ["any string beside an integer streams", { anyOf: [{ type: "integer" }, { type: "string" }] }, "", '"{[tn'],
    [
      "branches that only require streams",
      object({ a: {} }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
      '"',
      "{",
    ],
    [
      "branches that agree on their children stream",
      { oneOf: [object({ a: { type: "string" } }), object({ a: { type: "string" } }, { required: ["a"] })] },
      "",
      "{",
    ],
    [
      "branches that differ in a child are held",
      { oneOf: [object({ a: { type: "string" } }), object({ a: { type: "integer" } })] },
      '{"',
      "[5",
    ],
    [
      "an object beside a list of such objects streams",
      { anyOf: [object({ n: { type: "integer" } }), { type: "array", items: object({ n: { type: "integer" } }) }] },
      '"',
      "{[5",
    ],
  ];
  it.each(cases)("%s", (_, schema, held, streams) => {
    const node = prepareSchema(schema);
    for (const first of held) expect([first, node.holds(code(first))]).toEqual([first, true]);
    for (const first of streams) expect([first, node.holds(code(first))]).toEqual([first, false]);
  });

  it("asks the children of an object that streams", () => {
    const node = prepareSchema(object({ box: object({ n: { type: "integer" } }) }));
    expect(node.holds(code("{"))).toBe(false);
    expect(node.key("box").holds(code("{"))).toBe(false);
    expect(node.key("box").key("n").holds(code('"'))).toBe(true);
    expect(node.key("box").key("m").plain).toBe(true);
  });
});

describe("key and item", () => {
  const integer = { type: "integer" };
  const places: [string, object, string][] = [
    ["properties", { properties: { n: integer } }, "n"],
    ["patternProperties", { patternProperties: { "^n": integer } }, "n1"],
    ["additionalProperties", { properties: { m: {} }, additionalProperties: integer }, "n"],
    ["$ref", { $ref: "#/$defs/T", $defs: { T: { properties: { n: integer } } } }, "n"],
    ["$ref with escapes", { $ref: "#/$defs/a~1b%20~0", $defs: { "a/b ~": { properties: { n: integer } } } }, "n"],
    ["$ref to an $anchor", { $ref: "#t", $defs: { T: { $anchor: "t", properties: { n: integer } } } }, "n"],
    ["allOf", { allOf: [{}, { properties: { n: integer } }] }, "n"],
    ["anyOf", { anyOf: [{ type: "null" }, { properties: { n: integer } }] }, "n"],
    ["oneOf", { oneOf: [{ properties: { n: integer } }] }, "n"],
    ["if and then", { if: { required: ["n"] }, then: { properties: { n: integer } } }, "n"],
    ["a name of Object.prototype", JSON.parse('{"properties":{"__proto__":{"type":"integer"}}}'), "__proto__"],
    ["constructor", { properties: { constructor: integer } }, "constructor"],
  ];
  it.each(places)("finds a property under %s", (_, schema, name) => {
    expect(prepareSchema(schema).key(name).wire).toBe("json");
    expect(prepareSchema(schema).key("toString").wire).toBe(schema === places[2]?.[1] ? "json" : "open");
  });

  it("finds elements under prefixItems, items, and items as a list with additionalItems", () => {
    const wires = (schema: object): string[] => [0, 1, 2, 99].map((i) => prepareSchema(schema).item(i).wire);
    expect(wires({ items: integer })).toEqual(["json", "json", "json", "json"]);
    expect(wires({ prefixItems: [{ type: "string" }, {}], items: integer })).toEqual(["text", "open", "json", "json"]);
    expect(wires({ items: [{ type: "string" }, {}], additionalItems: integer })).toEqual([
      "text",
      "open",
      "json",
      "json",
    ]);
    expect(wires({ type: "array" })).toEqual(["open", "open", "open", "open"]);
  });

  it("gives the same node for the same name, and for a recursive schema", () => {
    const node = prepareSchema({ properties: { left: { $ref: "#" }, n: integer } });
    expect(node.key("left")).toBe(node.key("left"));
    let deep = node;
    for (let i = 0; i < 1000; i++) deep = deep.key("left") as typeof node;
    expect(deep.key("n").coerce("5")).toBe(5);
  });

  it("knows nothing below what is not declared", () => {
    expect(anything.plain).toBe(true);
    expect(anything.key("a").item(3).wire).toBe("open");
    for (const schema of [undefined, null, 7, "x", [], true, {}]) expect(prepareSchema(schema).plain).toBe(true);
  });
});

describe("wire: how the text of a tag format is typed", () => {
  const wires: [string, unknown][] = [
    ["text", { type: "string" }],
    ["text", { type: ["integer", "string"] }],
    ["text", { type: "string, integer" }],
    ["text", { enum: ["a", "b"] }],
    ["text", { const: "a" }],
    ["text", { allOf: [{ type: ["string", "null"] }, { type: ["string", "integer"] }] }],
    ["text", { anyOf: [{ type: "integer" }, { type: "string" }] }],
    ["text-or-null", { type: ["string", "null"] }],
    ["text-or-null", { type: "string", nullable: true }],
    ["text-or-null", { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["text-or-null", { enum: ["a", null] }],
    ["json", { type: "integer" }],
    ["json", { type: "integer", nullable: true }],
    ["json", { enum: [1, 2] }],
    ["json", { const: true }],
    ["json", { anyOf: [{ type: "integer" }, { type: "null" }] }],
    ["json", { oneOf: [{ type: "object" }, { type: "array" }] }],
    ["open", {}],
    ["open", true],
    ["open", false],
    ["open", { description: "x" }],
    ["open", { type: "any" }],
    ["open", { type: "uuid" }],
    ["open", { $ref: "#/nowhere" }],
  ];
  it.each(wires)("%s for %j", (wire, schema) => {
    expect(prepareSchema({ properties: { v: schema } }).key("v").wire).toBe(wire);
  });

  it("asks the branches of the arguments that name the parameter", () => {
    const node = prepareSchema({
      oneOf: [
        object({ kind: { const: "car" }, doors: { type: "integer" } }),
        object({ kind: { const: "boat" }, name: { type: "string" } }),
      ],
    });
    expect(node.key("doors").wire).toBe("json");
    expect(node.key("name").wire).toBe("text");
    expect(node.key("other").wire).toBe("open");
  });
});

describe("coerce", () => {
  const same = Symbol("the same");
  const cases: [unknown, unknown, unknown][] = [
    [{ type: "integer" }, "-7", -7],
    [{ type: "integer" }, " 64.0 ", 64],
    [{ type: "integer" }, "1e3", same],
    [{ type: "integer" }, "9007199254740993", same],
    [{ type: "integer" }, true, same],
    [{ type: "integer" }, "", same],
    [{ type: "number" }, "1e3", 1000],
    [{ type: "number" }, "1e999", same],
    [{ type: "number" }, "1_000", same],
    [{ type: "number" }, "Infinity", same],
    [{ type: "boolean" }, "OFF", false],
    [{ type: "boolean" }, " true", same],
    [{ type: "boolean" }, 1, true],
    [{ type: "boolean" }, 2, same],
    [{ type: "string" }, 5, "5"],
    [{ type: "string" }, -2.5, "-2.5"],
    [{ type: "string" }, 12345678901234567890, same],
    [{ type: "string" }, true, same],
    [{ type: "string" }, null, same],
    [{ type: "null" }, "null", same],
    [{ type: "array", items: { type: "array", items: { type: "integer" } } }, '[["1"]]', [[1]]],
    [{ type: "array" }, "[1", same],
    [{ type: "array" }, '{"a":1}', same],
    [{ type: ["object", "array"] }, "[1]", [1]],
    [{ type: ["integer", "boolean"] }, "yes", true],
    [{ enum: [1, 2] }, "1", same],
    [{ anyOf: [{ enum: ["auto"] }, { type: "integer" }] }, "5", 5],
    [{ anyOf: [{ enum: ["auto"] }, { type: "integer" }] }, "auto", same],
    [
      {
        anyOf: [
          { type: "integer", maximum: 3 },
          { type: "string", pattern: "^[a-z]+$" },
        ],
      },
      "2",
      2,
    ],
    [
      {
        anyOf: [
          { type: "integer", maximum: 3 },
          { type: "string", pattern: "^[a-z]+$" },
        ],
      },
      "7",
      same,
    ],
  ];
  it.each(cases)("%j takes %j as %j", (schema, value, expected) => {
    const result = prepareSchema(schema).coerce(value);
    if (expected === same) expect(result).toBe(value);
    else expect(result).toEqual(expected);
  });

  it("follows the branch that the condition picks", () => {
    const schema = object(
      { unit: {} },
      {
        if: { properties: { unit: { const: "count" } } },
        then: { properties: { v: { type: "integer" } } },
        else: { properties: { v: { type: "string" } } },
      },
    );
    const node = prepareSchema(schema);
    expect(node.holds(code("{"))).toBe(true);
    expect(node.coerce({ unit: "count", v: "5" })).toEqual({ unit: "count", v: 5 });
    expect(node.coerce({ unit: "name", v: 5 })).toEqual({ unit: "name", v: "5" });
  });

  it("keeps the order of the keys, and __proto__ as a key", () => {
    const node = prepareSchema(JSON.parse('{"properties":{"__proto__":{"type":"integer"},"b":{"type":"string"}}}'));
    expect(JSON.stringify(node.coerce(JSON.parse('{"z":1,"__proto__":"5","b":2}')))).toBe(
      '{"z":1,"__proto__":5,"b":"2"}',
    );
  });

  it("looks into a property only when it is reached", () => {
    const unread = (): never => {
      throw new Error("was read");
    };
    const b = Object.defineProperty({ type: "object" }, "properties", { get: unread });
    const node = prepareSchema(object({ a: object({ n: { type: "integer" } }), b }, { additionalProperties: false }));
    expect(node.holds(code("{"))).toBe(false);
    expect(node.key("a").key("n").wire).toBe("json");
    expect(() => node.key("b").key("n")).toThrow("was read");
  });
});
