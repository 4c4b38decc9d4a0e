import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createArgumentsValidator, validateArguments } from "../../src/index.ts";
import { anySchema, anyValue, objectOf } from "./generate.ts";

const schema = {
  type: "object",
  properties: { unit: { enum: ["C", "F"] }, days: { type: "integer" }, towns: { items: { type: "string" } } },
  required: ["days"],
};

describe("createArgumentsValidator", () => {
  test("says what is wrong at the first character at which it is certain", () => {
    const validator = createArgumentsValidator(schema);
    expect(validator.feed('{ "unit" : ')).toEqual([]);
    expect(validator.feed('"Ke')).toMatchObject([{ kind: "not-in-enum", path: "/unit", received: "K" }]);
    expect(validator.feed('lvin"}')).toMatchObject([{ kind: "missing-required", path: "/days" }]);
    expect(validator.end()).toMatchObject({ ok: false, problems: [{ path: "/unit" }, { path: "/days" }] });
    expect(() => validator.feed(" ")).toThrow("after end()");
  });

  test("shows the value so far and which one is open", () => {
    const validator = createArgumentsValidator(schema);
    expect(validator.partial).toBeUndefined();
    validator.feed('{"days": "3", "towns": ["Oban", "Ull');
    expect(validator.partial).toEqual({ days: 3, towns: ["Oban", "Ull"] });
    expect(validator.openPath).toBe("/towns/1");
    validator.feed('apool"');
    expect(validator.openPath).toBe("/towns/1");
    validator.feed("]}");
    expect(validator.openPath).toBe("");
    expect(validator.end()).toEqual({ ok: true, value: { days: 3, towns: ["Oban", "Ullapool"] }, warnings: [] });
  });

  test.each([
    ['{"days": 1', "truncated"],
    ['{"days": "1', "invalid-arguments"],
    ["", "invalid-arguments"],
    ["{'days': 1}", "invalid-arguments"],
    ['{"days": 1} {}', "invalid-arguments"],
    [`{"a": ${"[".repeat(300)}`, "limit-exceeded"],
  ])("%j is no JSON value that can be read: %s", (text, kind) => {
    const validator = createArgumentsValidator(true);
    validator.feed(text);
    expect(validator.end()).toMatchObject({ ok: false, problems: [{ kind }] });
  });

  for (const profile of ["strict", "coerce"] as const) {
    test(`ends as validateArguments does, however the text is cut (${profile})`, () => {
      fc.assert(
        fc.property(anySchema, objectOf(anyValue), fc.integer({ min: 1, max: 9 }), (schema, value, size) => {
          const text = JSON.stringify(value, null, 1);
          const validator = createArgumentsValidator(schema, { profile });
          for (let i = 0; i < text.length; i += size) validator.feed(text.slice(i, i + size));
          const result = validator.end();
          const expected = validateArguments(value, schema, { profile });
          expect(result.ok).toBe(expected.ok);
          if (result.ok && expected.ok) expect(result.value).toEqual(expected.value);
        }),
        { numRuns: 500 },
      );
    });
  }
});
