import { describe, expect, test } from "vitest";
import { parse, type Repair, type RepairKind } from "../../src/index.ts";
import { chunkings } from "../support/chunks.ts";
import { read } from "./read.ts";

/** Where in the text a fault stands is marked with `¦`. */
interface Row {
  given: string;
  reads: string;
  kind: RepairKind;
}

const rows: Row[] = [
  { given: `{"a": ¦'x'}`, reads: `{"a":"x"}`, kind: "single-quotes" },
  { given: `{¦'a': ¦'x "y"'}`, reads: `{"a":"x \\"y\\""}`, kind: "single-quotes" },
  { given: `{"a": ¦'it\\'s'}`, reads: `{"a":"it's"}`, kind: "single-quotes" },
  { given: `{"a": ¦True, "b": ¦False, "c": [¦None]}`, reads: `{"a":true,"b":false,"c":[null]}`, kind: "python-word" },
  { given: `{"a": "x¦\ny"}`, reads: `{"a":"x\\ny"}`, kind: "control-character" },
  { given: `{"a": "x¦\ty¦\0z¦\x1f"}`, reads: `{"a":"x\\ty\\u0000z\\u001f"}`, kind: "control-character" },
  { given: `{"a": "D:¦\\Maps\\new"}`, reads: `{"a":"D:\\\\Maps\\\\new"}`, kind: "invalid-escape" },
  { given: `{"a": "\\frac{1}{2} ¦\\alpha"}`, reads: `{"a":"\\\\frac{1}{2} \\\\alpha"}`, kind: "invalid-escape" },
  { given: `{"a": "reads ¦"SLOW¦" now"}`, reads: `{"a":"reads \\"SLOW\\" now"}`, kind: "inner-quote" },
  { given: `{"a": "x¦", y", "b": 1}`, reads: `{"a":"x\\", y","b":1}`, kind: "inner-quote" },
  { given: `{"a": ¦\\"value\\"}`, reads: `{"a":"value"}`, kind: "escaped-quotes" },
  { given: `{¦\\"a\\": 1}`, reads: `{"a":1}`, kind: "escaped-quotes" },
  { given: `{¦\\n"a": 1,¦\\n "b": 2¦\\n}`, reads: `{"a":1,"b":2}`, kind: "stray-escape" },
  { given: `[1, 2,¦]`, reads: `[1,2]`, kind: "trailing-comma" },
  { given: `{"a": "x", ¦}`, reads: `{"a":"x"}`, kind: "trailing-comma" },
  { given: `{"a": 1 ¦"b": 2}`, reads: `{"a":1,"b":2}`, kind: "missing-comma" },
  { given: `{"a": "x" ¦"b": 2}`, reads: `{"a":"x","b":2}`, kind: "missing-comma" },
  { given: `[{"a": 1} ¦{"b": 2}]`, reads: `[{"a":1},{"b":2}]`, kind: "missing-comma" },
  { given: `{"a": 1, ¦# both ends\n "b": 2}`, reads: `{"a":1,"b":2}`, kind: "comment" },
  { given: `{"a": 1 ¦// "end"\n}`, reads: `{"a":1}`, kind: "comment" },
  { given: `{"a": ¦/* " } **/ 1}`, reads: `{"a":1}`, kind: "comment" },
  { given: `{"a": [1¦`, reads: `{"a":[1]}`, kind: "missing-bracket" },
  { given: `{"a": {"b": "x"¦`, reads: `{"a":{"b":"x"}}`, kind: "missing-bracket" },
];

describe("the JSON reader repairs what has one reading", () => {
  for (const { given, reads, kind } of rows) {
    const text = given.replaceAll("¦", "");
    const repairs = offsets(given).map((offset): Repair => ({ kind, offset }));

    test(`${kind}: ${JSON.stringify(text)} reads as ${reads}`, () => {
      for (const { name, chunks } of chunkings(text)) {
        const { json, repairs: made } = read(chunks, true);
        expect({ json, repairs: made }, name).toEqual({ json: reads, repairs });
      }
    });

    test(`${kind}: ${JSON.stringify(text)} is no JSON without repair`, () => {
      for (const { name, chunks } of chunkings(text)) expect(read(chunks, false).json, name).toBeNull();
    });
  }

  test("the offsets of a call's repairs count from the start of the output", () => {
    const text = `Now: [TOOL_CALLS]f[ARGS]{"a": 'x', "b": True,}`;
    const { calls } = parse(text, { format: "mistral" });
    expect(calls[0]?.repairs).toEqual([
      { kind: "single-quotes", offset: text.indexOf("'") },
      { kind: "python-word", offset: text.indexOf("True") },
      { kind: "trailing-comma", offset: text.length - 1 },
    ]);
  });
});

const never = {
  "no null for a missing value": [`{"a": ,"b": 1}`, `{"a": }`, `{"a":`, `[1,,2]`, `[,1]`, `{,}`, `{"a"}`],
  "no bare word is a string": [
    `{"a": yes}`,
    `{"a": on}`,
    `{a: 1}`,
    `[Oban]`,
    `{"a": undefined}`,
    `{"a": "on" maybe: 1}`,
  ],
  "no open string is closed": [`{"a": "Oban}}`, `{"a": "Oban`, `{"a": 'Oban`, `{"a`, `{"a": "x\\`],
  "no broken \\u is put right": [`{"a": "\\u12"}`, `{"a": "\\u"}`, `{"a": "\\u12G4"}`, `{"a": "\\u{1f600}"}`],
  "no number is guessed": [`[01]`, `[1.]`, `[.5]`, `[+1]`, `[0x10]`, `[1e]`, `[--1]`, `[NaN]`, `[Infinity]`, `[1_000]`],
  "no word is completed": [`[tru]`, `[TRUE]`, `[Nul]`, `[nulll]`, `{"a": t`, `{"a": Tru`],
  "no colon is put in": [`{"a" 1}`, `{"a", 1}`, `{"a" = 1}`, `{"a" => 1}`],
  "no choice between two readings": [`[1 2]`, `["a" "b"]`, `[1 "a"]`, `[true false]`],
  "no brackets are swapped": [`{"a": [1}`, `{"a": 1]`, `[1}`, `{"a": {"b": 1]}`],
  "a \\n that is out stays a line break": [`{"a": "x\\ny \\Maps"}`, `{"a": "first\\new \\path"}`],
};

describe("the JSON reader invents nothing", () => {
  for (const [title, texts] of Object.entries(never)) {
    for (const text of texts) {
      test(`${title}: ${text}`, () => {
        for (const { name, chunks } of chunkings(text)) expect(read(chunks, true).json, name).toBeNull();
      });
    }
  }
});

/** Where the marks stand, in the text without them. */
function offsets(marked: string): number[] {
  return marked
    .split("¦")
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join("").length);
}
