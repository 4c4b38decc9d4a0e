import { readFileSync } from "node:fs";
import { JSONParser } from "@streamparser/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prepareSchema } from "../../src/schema/node.ts";
import { runs } from "../support/arbitraries.ts";
import { chunkings, chunkingsBySize, chunksOf } from "../support/chunks.ts";
import { sharedFile } from "../support/shared.ts";
import { read } from "./read.ts";

/**
 * The value without the blanks between its tokens, or null where `JSON.parse` refuses it, or makes a number of it that
 * cannot be written again.
 */
function expected(text: string): string | null {
  let infinite = false;
  try {
    JSON.parse(text, (_key, value) => {
      infinite ||= Math.abs(value) === Number.POSITIVE_INFINITY && typeof value === "number";
    });
  } catch {
    return null;
  }
  if (infinite) return null;
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/gs, "$1");
}

const blank = fc.constantFrom("", "", "", " ", "\n  ", "\t", "\r\n");

const string = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "a",
        "é",
        "\u{1f600}",
        "\\n",
        "\\t",
        '\\"',
        "\\\\",
        "\\/",
        "\\b",
        "\\f",
        "\\r",
        "\\u00e9",
        "\\u005C",
      ),
      fc.constantFrom(
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\ud83d",
        "\ude00",
        "\ufeff",
        "\u2028",
        "{",
        "]",
        ",",
        ":",
        "'",
        "//",
      ),
      fc.constantFrom("C:\\\\new", "\\\\\\\\server", "D:", "\x7f"),
      fc.string({ maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.constant("long text without anything special in it"),
    ),
    { maxLength: 5 },
  )
  .map((pieces) => `"${pieces.join("")}"`);

const number = fc.oneof(
  fc.double().map((value) => JSON.stringify(value)),
  fc.constantFrom(
    "0",
    "-0",
    "0.0",
    "1e5",
    "1E+05",
    "-1.50e-7",
    "12345678901234567890",
    `1${"0".repeat(300)}`,
    "1e-999",
  ),
);

/** JSON texts, written in all ways that JSON has. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      blank,
      fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        string,
        number,
        fc.constantFrom("true", "false", "null", "[]", "{}", "[ ]", "{ }"),
        fc.array(tie("value"), { maxLength: 4 }).map((values) => `[${values.join(",")}]`),
        fc
          .array(fc.tuple(blank, fc.oneof(string, fc.constantFrom('"__proto__"', '"a"')), blank, tie("value")), {
            maxLength: 4,
          })
          .map(
            (members) =>
              `{${members.map(([before, key, behind, value]) => before + key + behind + ":" + value).join(",")}}`,
          ),
      ),
      blank,
    )
    .map((parts) => parts.join("")),
})).value;

/** The same with a few characters deleted, doubled, put in, or put elsewhere. */
function changed(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      text,
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.nat({ max: 2 }),
          fc.constantFrom(..."{}[]\",:\\'0-.e+tu \n\t\0/#", "null", "\\u", "e999", ""),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([text, changes]) =>
      changes.reduce((given, [at, deleted, put]) => {
        const where = at % (given.length + 1);
        return given.slice(0, where) + put + given.slice(where + deleted);
      }, text),
    );
}

const nearlyJson = changed(jsonText);

/** As models write it: without blanks. */
const compact = fc.jsonValue({ depthSize: "medium" }).map((value) => JSON.stringify(value));
const nearlyCompact = changed(compact);

describe("without repair the JSON reader", () => {
  test("reads what JSON.parse reads, as the compact text, however it is chunked", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const compact = expected(text);
        expect(compact).not.toBeNull();
        for (const { name, chunks } of chunkings(text)) {
          const { json, repairs } = read(chunks, false);
          if (json !== compact || repairs.length !== 0)
            expect({ json, repairs }, name).toEqual({ json: compact, repairs: [] });
        }
      }),
      runs(150),
    );
  });

  test("refuses what JSON.parse refuses, however it is chunked", () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const compact = expected(text);
        for (const chunks of [[text], chunksOf(text, 1), chunksOf(text, 3), chunksOf(text, 20)]) {
          expect(read(chunks, false).json, JSON.stringify(chunks)).toBe(compact);
        }
      }),
      runs(1500),
    );
  });

  test("reads the values that @streamparser/json reads", () => {
    fc.assert(
      fc.property(
        // it reads UTF-8, in which there are no lone surrogates, and loses U+FEFF
        jsonText.filter((text) => /^\s*[[{]/.test(text) && !/\p{Surrogate}|\ufeff/u.test(text)),
        (text) => {
          let value: unknown;
          const parser = new JSONParser({ paths: ["$"] });
          parser.onValue = (given) => void (value = given.value);
          parser.write(text);
          expect(JSON.parse(read(chunksOf(text, 4), false).json as string)).toEqual(value);
        },
      ),
      runs(200),
    );
  });
});

test("with repair, JSON stays as it is", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      for (const chunks of [[text], chunksOf(text, 1), chunksOf(text, 5)]) {
        expect(read(chunks, true)).toEqual({ json: expected(text), repairs: [], fault: null });
      }
    }),
    runs(400),
  );
});

test("with repair, what is read is JSON, and does not depend on the chunks", () => {
  fc.assert(
    fc.property(nearlyJson, (text) => {
      const whole = read([text], true);
      if (whole.json !== null) JSON.parse(whole.json);
      for (const { name, chunks } of chunkingsBySize(text)) {
        const other = read(chunks, true);
        expect({ json: other.json, repairs: other.repairs }, name).toEqual({
          json: whole.json,
          repairs: whole.repairs,
        });
      }
    }),
    runs(600),
  );
});

test("the short cut reads what the general reader reads", () => {
  const schema = {
    type: "object",
    additionalProperties: { type: ["integer", "boolean", "array"], items: { type: "string" } },
  };
  const node = prepareSchema(schema);
  fc.assert(
    fc.property(
      fc.oneof(compact, nearlyCompact, nearlyJson).map((text) => `{"a":${text},"b":[${text}]}`),
      fc.boolean(),
      fc.constantFrom(undefined, node),
      (text, repair, given) => {
        for (const { name, chunks } of chunkingsBySize(text)) {
          const general = read(chunks, repair, { general: true, node: given });
          expect(read(chunks, repair, { node: given }), name).toEqual(general);
        }
      },
    ),
    runs(600),
  );
});

const file = sharedFile("suites/json-parsing.json");
const suite: [string, string][] = file === null ? [] : Object.entries(JSON.parse(readFileSync(file, "utf8")));

describe.skipIf(file === null)("JSONTestSuite", () => {
  test("is all there", () => expect(suite.length).toBeGreaterThan(300));

  for (const [name, bytes] of suite) {
    test(name, () => {
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(bytes, "base64"));
      const compact = expected(text);
      if (name.startsWith("y_")) expect(compact).not.toBeNull();
      for (const chunks of [[text], chunksOf(text, 1), chunksOf(text, 7)]) {
        expect(read(chunks, false).json).toBe(compact);
      }
    });
  }
});
