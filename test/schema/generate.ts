import fc from "fast-check";

const names = ["a", "b", "c", "__proto__"];
const types = ["string", "integer", "number", "boolean", "null", "array", "object"];

/** JSON values, many of them of the kind that coercion cares about. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(null, true, false, 0, 1, 2, 5, -3, 2.5, 1e20),
    fc.constantFrom("", "x", "5", "5.0", " 7 ", "2.5", "1e3", "true", "No", "1", "0", "null", "long text"),
    fc.constantFrom("[1]", '["1","x"]', '{"a":"1"}', '{"a":1,"b":[true]}', "[", "{}"),
    fc.array(tie("value"), { maxLength: 3 }),
    { weight: 3, arbitrary: objectOf(tie("value")) },
  ),
})).value;

/** Objects with the few names that the schemas use, made as `JSON.parse` makes them: `__proto__` is a name. */
export function objectOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);
}

const anyLiteral: fc.Arbitrary<unknown> = fc.constantFrom<unknown>("x", "5", 1, 5, true, null, 2.5, { a: 1 }, [1]);

/** Unions of objects, tagged ones among them, as tools have them: the hard part of coercion. */
function unionOf(sub: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const properties = objectOf(
    fc.oneof(
      sub,
      fc.constantFrom(...types).map((type) => ({ type })),
    ),
  );
  const branch = fc.record(
    {
      type: fc.constantFrom("object", "object", ["object", "null"]),
      properties,
      required: fc.constantFrom(["a"], ["b"], []),
    },
    { requiredKeys: ["properties"] },
  );
  const branches = fc.array(branch, { minLength: 2, maxLength: 3 });
  const tagged = branches.map((list) =>
    list.map((one, i) => ({ ...one, properties: { ...one.properties, a: { const: i } } })),
  );
  const others = fc.constantFrom<unknown[]>(
    [],
    [],
    [{ type: "null" }],
    [{ type: "integer" }],
    [{ type: "array", items: { type: "string" } }],
  );
  const list = fc.tuple(fc.oneof(branches, tagged), others).map(([some, more]) => [...some, ...more]);
  return fc.oneof(
    fc.tuple(fc.constantFrom("anyOf", "oneOf", "allOf"), list).map(([keyword, list]) => ({ [keyword]: list })),
    fc
      .tuple(fc.constantFrom("anyOf", "oneOf"), list, branch)
      .map(([keyword, list, own]) => ({ ...own, [keyword]: list })),
    fc.record({ if: branch, then: branch, else: branch, properties }),
    fc.record({ type: fc.constant("array"), items: list.map((anyOf) => ({ anyOf })) }),
  );
}

/** JSON Schemas of all keywords that our own checks decide; references go to `#/$defs/0`, `1` and `2`, and to `#`. */
export const anySchema: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(fc.oneof(schemaOf(), unionOf(schemaOf())), fc.array(schemaOf(), { minLength: 3, maxLength: 3 }))
  .map(([root, defs]) => ({ ...root, $defs: { ...defs } }));

function schemaOf(): fc.Arbitrary<Record<string, unknown>> {
  const { schema } = fc.letrec<{ schema: Record<string, unknown>; any: unknown }>((tie) => {
    const sub = tie("any");
    const map = objectOf(sub);
    const list = fc.array(sub, { minLength: 1, maxLength: 3 });
    const size = fc.integer({ min: 0, max: 3 });
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(
        fc.constantFrom(...types),
        fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
      ),
      properties: map,
      patternProperties: fc.constantFrom("^a", "b|c").chain((pattern) => sub.map((one) => ({ [pattern]: one }))),
      additionalProperties: sub,
      required: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
      propertyNames: fc.constantFrom({ pattern: "^[ab_]" }, { maxLength: 1 }, true),
      dependentRequired: fc.constantFrom({ a: ["b"] }, { c: [] }),
      dependentSchemas: sub.map((one) => ({ a: one })),
      prefixItems: list,
      items: sub,
      contains: sub,
      uniqueItems: fc.boolean(),
      enum: fc.array(anyLiteral, { minLength: 1, maxLength: 3 }),
      const: anyLiteral,
      minimum: size,
      exclusiveMaximum: size,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: size,
      maxLength: size,
      pattern: fc.constantFrom("^[0-9]+$", "e", "^x?$"),
      minItems: size,
      maxItems: size,
      minProperties: size,
      maxProperties: size,
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: sub,
      if: sub,
      then: sub,
      else: sub,
      $ref: fc.constantFrom("#/$defs/0", "#/$defs/1", "#/$defs/2", "#"),
      default: anyLiteral,
    };
    const structural = ["type", "properties", "items", "anyOf", "additionalProperties", "allOf", "oneOf"];
    const entries = fc
      .uniqueArray(
        fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...structural) }, fc.constantFrom(...Object.keys(keywords))),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((name) => [name, keywords[name] as fc.Arbitrary<unknown>]))),
      );
    const bounds = [
      "minimum",
      "exclusiveMaximum",
      "multipleOf",
      "minLength",
      "maxLength",
      "pattern",
      "minItems",
      "maxItems",
    ];
    const leaf = fc.oneof(
      fc.constantFrom(...types).map((type) => ({ type })),
      fc.constantFrom(
        {},
        { type: ["integer", "string"] },
        { type: ["string", "null"] },
        { enum: ["x", 1] },
        { const: "x" },
      ),
      fc.constantFrom(...bounds).chain((name) => fc.record({ [name]: keywords[name] as fc.Arbitrary<unknown> })),
    );
    return {
      any: fc.oneof({ maxDepth: 3, depthSize: "small" }, leaf, fc.constantFrom(true, false), tie("schema")),
      schema: fc.oneof({ maxDepth: 3, depthSize: "small" }, leaf, entries) as fc.Arbitrary<Record<string, unknown>>,
    };
  });
  return schema;
}
