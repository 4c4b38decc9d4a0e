import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Problem } from "../../src/events.ts";
import { allProblems } from "../../src/schema/full.ts";
import { LiveCheck } from "../../src/schema/live/check.ts";
import { prepareSchema } from "../../src/schema/node.ts";
import { anySchema, anyValue, objectOf } from "./generate.ts";
import { readRemotes, readSuite, suitesExist } from "./suites.ts";

/** Everything was decided while the text came, and nothing was found. */
function allIsWell(schema: unknown, value: unknown, relaxed: boolean): boolean {
  const root = prepareSchema(schema).seeds[0];
  if (root === undefined) return true;
  let well = true;
  const check = new LiveCheck(root, relaxed, () => {
    well = false;
  });
  check.feed(JSON.stringify(value));
  return well && check.isDecided;
}

interface Found {
  problem: Problem;
  /** How much of the text had come. */
  at: number;
}

/** What is found while the text comes, cut into pieces of at most `length` that cut no number, word or escape. */
function live(schema: unknown, value: unknown, relaxed: boolean, length = 1e9, others = {}): Found[] {
  const root = prepareSchema(schema, others).seeds[0];
  if (root === undefined) return [];
  const found: Found[] = [];
  let fed = 0;
  const check = new LiveCheck(root, relaxed, (problem, at) => found.push({ problem, at: fed + at }));
  for (const piece of pieces(JSON.stringify(value), length)) {
    check.feed(piece);
    fed += piece.length;
  }
  return found;
}

function pieces(json: string, length: number): string[] {
  if (json.length <= length) return [json];
  const tokens = json.match(/\\u....|\\.|[-+0-9.eE]+|true|false|null|[\ud800-\udbff][\udc00-\udfff]|[\s\S]/g) ?? [];
  const found: string[] = [];
  let open = "";
  for (const token of tokens) {
    open += token;
    if (open.length >= length) {
      found.push(open);
      open = "";
    }
  }
  return [...found, open];
}

const runs = Number(process.env.FC_RUNS ?? 1);

describe("the checks that run while arguments stream", () => {
  for (const relaxed of [false, true]) {
    const profile = relaxed ? "coerce" : "strict";

    test(`report nothing for a value that the last check accepts (${profile})`, () => {
      fc.assert(
        fc.property(anySchema, fc.oneof(objectOf(anyValue), anyValue), (schema, value) => {
          const node = prepareSchema(schema);
          const taken = relaxed ? node.coerce(value) : value;
          const final = node.seeds[0] ? allProblems(node.seeds[0], taken, relaxed) : [];
          const found = live(schema, taken, relaxed);
          if (final.length === 0) expect(found).toEqual([]);
        }),
        { numRuns: 2000 * runs },
      );
    });

    test(`leave nothing to the last check where they decide all (${profile})`, () => {
      let decided = 0;
      fc.assert(
        fc.property(anySchema, fc.oneof(objectOf(anyValue), anyValue), (schema, value) => {
          if (!allIsWell(schema, value, relaxed)) return;
          decided++;
          const root = prepareSchema(schema).seeds[0];
          expect(root ? allProblems(root, value, relaxed) : []).toEqual([]);
        }),
        { numRuns: 2000 * runs },
      );
      expect(decided).toBeGreaterThan(100);
    });

    test(`find the same at the same place however the text is cut (${profile})`, () => {
      fc.assert(
        fc.property(anySchema, objectOf(anyValue), fc.integer({ min: 1, max: 9 }), (schema, value, length) => {
          expect(live(schema, value, relaxed, length)).toEqual(live(schema, value, relaxed));
        }),
        { numRuns: 500 * runs },
      );
    });
  }
});

describe("what these checks once got wrong", () => {
  test("of a list the elements are counted, also where the schema counts members too", () => {
    const schema = { minProperties: 1, minItems: 1 };
    for (const relaxed of [false, true]) {
      expect(live(schema, [[2]], relaxed)).toEqual([]);
      expect(live(schema, [1], relaxed)).toEqual([]);
      expect(live(schema, [], relaxed).map(({ problem }) => problem.kind)).toEqual(["bad-length"]);
    }
  });

  test.each([
    ["at the root", { $ref: "#" }, {}],
    ["through `allOf`", { allOf: [{ $ref: "#" }] }, {}],
    ["through a definition", { $ref: "#/$defs/a", $defs: { a: { $ref: "#" } } }, {}],
    ["at a text", { properties: { a: { $ref: "#/properties/a" } } }, { a: "x" }],
    ["at a number", { properties: { a: { $ref: "#/properties/a" } } }, { a: 1 }],
  ])("a reference that leads back to itself is left to the last check: %s", (_, schema, value) => {
    const root = prepareSchema(schema).seeds[0];
    expect(root && allProblems(root, value, false).map(({ kind }) => kind)).toEqual(["bad-schema"]);
    expect(allIsWell(schema, value, false)).toBe(false);
  });

  test.each([
    [
      "of a union",
      {
        oneOf: ["point", "line"].map((kind) => ({ type: "object", properties: { kind: { const: kind } } })),
      },
      { kind: "pond" },
      ["no-branch"],
    ],
    [
      "of one schema",
      { properties: { a: { enum: ["ab", "cd"], maxLength: 4 } } },
      { a: "abcdef" },
      ["not-in-enum", "bad-length"],
    ],
    [
      "of several schemas",
      { allOf: [{ properties: { a: { const: "abcd" } } }, { properties: { a: { maxLength: 3 } } }] },
      { a: "abxyz" },
      ["not-const", "bad-length"],
    ],
  ])("a text breaks the limits %s at the same place however it is cut", (_, schema, value, kinds) => {
    const units = live(schema, value, false, 1);
    expect(units.map(({ problem }) => problem.kind)).toEqual(kinds);
    for (const length of [2, 3, 4, 5, 1e9]) expect(live(schema, value, false, length)).toEqual(units);
  });

  test("only the tag of a union says which branch is meant", () => {
    const kind = (name: string, more: object): object => ({
      type: "object",
      properties: { kind: { const: name }, ...more },
      required: ["kind"],
    });
    const schema = { oneOf: [kind("point", { at: { type: "object" } }), kind("line", {})] };
    const value = { at: [], kind: "point" };
    expect(live(schema, value, false).map(({ problem }) => [problem.kind, problem.path])).toEqual([["no-branch", ""]]);
    const tagFirst = { kind: "point", at: [] };
    expect(live(schema, tagFirst, false).map(({ problem }) => [problem.kind, problem.path])).toEqual([
      ["wrong-type", "/at"],
    ]);
  });

  test("a schema that contains itself below is decided while it streams", () => {
    const tree = { type: "object", properties: { left: { $ref: "#" }, size: { type: "integer" } } };
    expect(allIsWell(tree, { left: { left: { size: 1 } } }, false)).toBe(true);
  });
});

describe.skipIf(!suitesExist)("the official suites", () => {
  // docs/json-schema.md has the shares
  for (const [draft, share] of [
    ["draft7", 0.4],
    ["draft2020-12", 0.3],
  ] as const) {
    const others = suitesExist ? readRemotes() : {};
    const accepts = (schema: unknown, data: unknown): boolean => {
      const root = prepareSchema(schema, others).seeds[0];
      return root === undefined || allProblems(root, data, false).length === 0;
    };

    test(`${draft}: nothing is reported that the last check accepts`, () => {
      const wrong = readSuite(draft).filter(
        ({ schema, data }) => accepts(schema, data) && live(schema, data, false, 1e9, others).length > 0,
      );
      expect(wrong.map(({ name }) => name)).toEqual([]);
    });

    test(`${draft}: more than ${share * 100} % of what is invalid is known before the last character`, () => {
      const invalid = readSuite(draft).filter(({ valid }) => !valid);
      const early = invalid.filter(({ schema, data }) => {
        const [first] = live(schema, data, false, 1e9, others);
        return first !== undefined && first.at < JSON.stringify(data).length;
      });
      expect(early.length / invalid.length).toBeGreaterThan(share);
    });
  }
});
