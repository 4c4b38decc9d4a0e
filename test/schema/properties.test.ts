import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernelToJsonSchema } from "../../src/schema/declare.ts";
import { prepareSchema, type SchemaNode } from "../../src/schema/node.ts";
import { toolArgumentProblems } from "../../src/schema/tool-argument-problems.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import { validateToolCall } from "../../src/schema/validate-tool-call.ts";
import { anySchema, anyValue, objectOf } from "./generate.ts";

const runs = { numRuns: Number(process.env.RUNS ?? 3000) };

/** What the streaming engine does: descend where nothing is held, replace what is. */
function stream(node: SchemaNode, value: unknown): unknown {
  if (node.holds((JSON.stringify(value) ?? "").charCodeAt(0))) return node.coerce(value);
  if (Array.isArray(value)) return value.map((item, i) => stream(node.item(i), item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stream(node.key(key), item)]));
}

describe("coercion", () => {
  it("gives the same whether the value streams or comes whole", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const node = prepareSchema(schema);
        expect(stream(node, value)).toEqual(node.coerce(value));
      }),
      runs,
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const node = prepareSchema(schema);
        const once = node.coerce(value);
        expect(node.coerce(once)).toEqual(once);
      }),
      runs,
    );
  });

  it("changes nothing at or below a plain node", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const node = prepareSchema(schema);
        fc.pre(node.plain);
        expect(node.holds((JSON.stringify(value) ?? "").charCodeAt(0))).toBe(false);
        for (const key of ["a", "b", "z"]) expect(node.key(key).plain).toBe(true);
        for (const index of [0, 1, 9]) expect(node.item(index).plain).toBe(true);
      }),
      runs,
    );
  });

  it("leaves the given value as it was, and the very same where nothing changes", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const before = JSON.stringify(value);
        const result = prepareSchema(schema).coerce(value);
        expect(JSON.stringify(value)).toBe(before);
        if (JSON.stringify(result) === before) expect(result).toBe(value);
      }),
      runs,
    );
  });
});

describe("profiles", () => {
  it("coerce accepts, unchanged, whatever strict accepts", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        fc.pre(validateArguments(value, schema, { profile: "strict" }).ok);
        const result = validateArguments(value, schema);
        expect(result).toEqual({ ok: true, value, warnings: [] });
        if (result.ok) expect(result.value).toBe(value);
      }),
      runs,
    );
  });

  it("strict agrees with cfworker", () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const expected = oracle(schema, value);
        fc.pre(expected !== undefined);
        expect(validateArguments(value, schema, { profile: "strict" }).ok).toBe(expected);
      }),
      runs,
    );
  });

  it("every problem has a path that leads to a value, and a missing argument one that leads to its parent", () => {
    fc.assert(
      fc.property(anySchema, anyValue, fc.constantFrom("strict", "coerce"), (schema, value, profile) => {
        const result = validateArguments(value, schema, { profile: profile as "strict" });
        if (result.ok) return;
        expect(result.problems.length).toBeGreaterThan(0);
        const judged = profile === "strict" ? value : prepareSchema(schema).coerce(value);
        for (const { kind, path, message } of result.problems) {
          expect(message).toMatch(/^("|The arguments).*\.$/s);
          const found = resolve(judged, kind === "missing-required" ? path.slice(0, path.lastIndexOf("/")) : path);
          expect(found, path).toBe(true);
        }
      }),
      runs,
    );
  });

  it("pass-through never fails, and changes only what is coerced", () => {
    fc.assert(
      fc.property(anySchema, objectOf(anyValue), (schema, value) => {
        const result = validateArguments(value, schema, { onInvalid: "passthrough" });
        expect(result.ok).toBe(true);
        const strict = validateArguments(value, schema, { onInvalid: "passthrough", profile: "strict" });
        expect(strict.ok && strict.value).toEqual(value);
      }),
      runs,
    );
  });
});

const kernelSchema = fc.record({
  name: fc.constant("t"),
  args: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "b", "c", "__proto__", "constructor"),
      type: fc.constantFrom("str", "int", "float", "bool"),
      required: fc.boolean(),
    }),
    { selector: ({ name }) => name, maxLength: 4 },
  ),
});

describe("kernel and lenient", () => {
  it("what the kernel accepts, the lenient check accepts for the same schema as JSON Schema", () => {
    fc.assert(
      fc.property(kernelSchema as fc.Arbitrary<any>, objectOf(anyValue), (schema, args) => {
        let call: any;
        try {
          call = validateToolCall(JSON.stringify({ name: "t", args }), schema);
        } catch {
          fc.pre(false);
        }
        expect(toolArgumentProblems(kernelToJsonSchema(schema), call.args)).toEqual([]);
      }),
      runs,
    );
  });

  it("the lenient check never changes the arguments and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(anySchema, fc.anything()), fc.oneof(anyValue, fc.anything()), (schema, args) => {
        const before = JSON.stringify(args, bigints);
        toolArgumentProblems(schema, args);
        expect(JSON.stringify(args, bigints)).toBe(before);
      }),
      runs,
    );
  });

  it("the kernel reads exactly the JSON that JSON.parse reads, and throws nothing but ToolCallError", () => {
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.string({ unit: fc.constantFrom(..."012-.eE+ "), maxLength: 5 }),
      fc
        .array(fc.constantFrom(..."{}[],:01-.eE+ ", '"a"', "true", "null", '"', "\\", "\\u00e9"), { maxLength: 6 })
        .map((pieces) => pieces.join("")),
      fc
        .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "0", "\\", '"', "\n", "e", ".", "\u0001"))
        .map(([json, at, piece]) => {
          const place = at % (json.length + 1);
          return json.slice(0, place) + piece + json.slice(place + 1);
        }),
    );
    fc.assert(
      fc.property(text, (text) => {
        let fault: any;
        try {
          validateToolCall(text, { name: "t", args: [] });
        } catch (error: any) {
          expect(error.name).toBe("ToolCallError");
          [fault] = error.problems;
        }
        expect(fault?.kind === "malformed-json").toBe(!parses(text));
        if (fault?.kind === "malformed-json") expect(fault.offset).toBeLessThanOrEqual(text.length);
      }),
      runs,
    );
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** cfworker's answer; undefined where it has none, or a reference leads back to itself (where ours is bad-schema). */
function oracle(schema: unknown, value: unknown): boolean | undefined {
  const refused = validateArguments(value, schema as object, { profile: "strict" });
  if (!refused.ok && refused.problems.some(({ kind }) => kind === "bad-schema")) return undefined;
  try {
    return new Validator(JSON.parse(JSON.stringify(schema)), "2020-12", false).validate(value).valid;
  } catch {
    return undefined;
  }
}

function resolve(value: unknown, path: string): boolean {
  let at: any = value;
  for (const key of path.split("/").slice(1)) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = at[name];
  }
  return true;
}
