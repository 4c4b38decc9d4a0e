import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolSet } from "../../src/schema/tools.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import { anyValue } from "./generate.ts";

const nested = (depth: number, wrap: (inner: unknown) => unknown, inner: unknown): unknown => {
  for (let i = 0; i < depth; i++) inner = wrap(inner);
  return inner;
};

const schemas: Record<string, unknown> = {
  "a reference to nothing": { $ref: "#/$defs/gone" },
  "a reference to itself": { $ref: "#" },
  "references in a circle": { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  "a union of itself": { anyOf: [{ $ref: "#" }, { $ref: "#" }], oneOf: [{ $ref: "#" }], not: { $ref: "#" } },
  "a union of itself and a string": {
    properties: { v: { $ref: "#/$defs/t" } },
    $defs: { t: { anyOf: [{ type: "string" }, { $ref: "#/$defs/t" }] } },
  },
  "a condition on itself": { if: { $ref: "#" }, then: { $ref: "#" }, else: { $ref: "#" } },
  "a remote reference": { $ref: "https://example.com/x.json#/y" },
  "a reference that is no URI": { $ref: "http://[%zz#/%E0%A4%A" },
  "a reference that is no string": { $ref: 7 },
  "the type any": { type: "any" },
  "unknown types": { type: ["uuid", 7, null] },
  "draft-04 bounds": { properties: { v: { minimum: 1, exclusiveMinimum: true } } },
  "keywords of the wrong kind": {
    properties: 7,
    required: "v",
    enum: "x",
    items: 7,
    anyOf: {},
    allOf: 3,
    minimum: "1",
    pattern: 7,
    minLength: {},
    dependentRequired: [],
    patternProperties: [],
    oneOf: [7, null],
    not: "x",
  },
  "a schema that is a list": { properties: { v: [] }, additionalProperties: 7 },
  "twice itself, thirty levels deep": {
    $ref: "#/$defs/d0",
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `d${i}`,
        i === 29 ? {} : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    ),
  },
  "thousands of levels of allOf": nested(20_000, (inner) => ({ allOf: [inner] }), { type: "object" }),
  "thousands of levels of anyOf": nested(20_000, (inner) => ({ anyOf: [inner, { type: "integer" }] }), {
    type: "string",
  }),
  "thousands of levels of properties": nested(20_000, (inner) => ({ properties: { v: inner } }), { type: "string" }),
  "values compared to any depth": { properties: { v: { uniqueItems: true, enum: [1] } } },
  "unevaluated keywords in a circle": {
    $ref: "#/$defs/a",
    unevaluatedProperties: false,
    $defs: {
      a: { allOf: [{ $ref: "#/$defs/b" }] },
      b: { anyOf: [{ $ref: "#/$defs/a" }, {}], unevaluatedProperties: false },
    },
  },
  "a recursive union": {
    anyOf: [
      { type: "integer" },
      { type: "array", items: { $ref: "#" } },
      { type: "object", additionalProperties: { $ref: "#" } },
      { type: "object", properties: { a: { $ref: "#" }, v: { $ref: "#" } } },
    ],
  },
  "patterns that hang": {
    properties: { v: { pattern: "^(a+)+$" } },
    patternProperties: { "^(\\w+)+!$": {}, "(": {} },
    propertyNames: { pattern: "(x+x+)+y" },
  },
  "unevaluated keywords": { properties: { v: {} }, unevaluatedProperties: false, unevaluatedItems: false },
  "unevaluated keywords and what the full validator cannot take": {
    $ref: "#/gone",
    unevaluatedProperties: { pattern: "(" },
    $recursiveRef: "#",
  },
  "a dynamic reference": { $dynamicRef: "#x", $dynamicAnchor: "x" },
  "ids that are odd": { $id: "::", $defs: { a: { $id: "#" }, b: { $id: "" }, c: { $id: "http://[" } } },
};

const values: unknown[] = [
  { v: "5" },
  { v: { v: { v: ["1", { v: "x" }] } } },
  { v: "a".repeat(50) + "!", [`${"w".repeat(60)}?`]: 1 },
  nested(3000, (inner) => ({ v: inner }), "5"),
  nested(3000, (inner) => [inner], "5"),
  { v: [nested(100_000, (inner) => [inner], "5"), 1] },
  { v: JSON.stringify(nested(3000, (inner) => [inner], 1)) },
  { v: nested(16, (inner) => [inner, inner], "x") },
  Array.from({ length: 2000 }, (_, i) => ({ i })),
  JSON.parse('{"__proto__":{"v":1},"constructor":"5"}'),
  null,
];

describe("hostile schemas and values never throw and never hang", () => {
  for (const [what, schema] of Object.entries(schemas)) {
    it(what, () => {
      for (const value of values) {
        for (const profile of ["coerce", "strict"] as const) {
          const result = validateArguments(value, schema as object, { profile, extra: "forbid", trim: true });
          if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
        }
        for (const validation of ["kernel", "lenient"] as const) {
          new ToolSet([{ name: "t", parameters: schema as object }], validation)
            .get("t")
            ?.check((value ?? {}) as never, "{");
        }
      }
    });
  }

  it("schemas of any shape", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "anyOf",
      "allOf",
      "oneOf",
      "not",
      "if",
      "then",
      "$ref",
      "enum",
      "required",
      "pattern",
      "$defs",
      "$id",
      "$anchor",
      "additionalProperties",
      "patternProperties",
      "minimum",
      "prefixItems",
      "contains",
      "dependencies",
      "unevaluatedProperties",
      "a",
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom("object", "string", "#", "#/$defs/a", "#a", "(", "a", "", 1, -1, null, true, false),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("schema"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.oneof(anyValue, fc.anything()), (schema, value) => {
        for (const profile of ["coerce", "strict"] as const) {
          validateArguments(value, (typeof schema === "object" ? schema : { a: schema }) as object, {
            profile,
            extra: "forbid",
          });
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("dangling references and circles are bad-schema under strict, and let anything pass under coerce", () => {
    for (const what of [
      "a reference to nothing",
      "a reference to itself",
      "references in a circle",
      "a remote reference",
    ]) {
      const strict = validateArguments({ v: "5" }, schemas[what] as object, { profile: "strict" });
      expect(strict.ok ? [] : strict.problems.map(({ kind }) => kind), what).toEqual(["bad-schema"]);
      expect(validateArguments({ v: "5" }, schemas[what] as object).ok, what).toBe(true);
    }
  });

  it("an unevaluated property is an extra property, in both profiles", () => {
    const schema = { allOf: [{ properties: { a: { type: "integer" } } }], unevaluatedProperties: false };
    for (const profile of ["coerce", "strict"] as const) {
      expect(validateArguments({ a: 1 }, schema, { profile }).ok).toBe(true);
      expect(validateArguments({ a: 1, "b/c": 1 }, schema, { profile })).toMatchObject({
        ok: false,
        problems: [{ kind: "extra-property", path: "/b~1c" }],
      });
    }
    expect(validateArguments({ a: "1" }, schema)).toEqual({ ok: true, value: { a: 1 }, warnings: [] });
    expect(JSON.stringify(schema)).not.toContain("absolute");
  });

  it("the schema that was given stays as it was", () => {
    const frozen = Object.freeze({
      properties: Object.freeze({ a: Object.freeze({ type: "integer" }) }),
      unevaluatedProperties: false,
    });
    expect(validateArguments({ a: "1" }, frozen)).toMatchObject({ ok: true, value: { a: 1 } });
  });
});
