import { describe, expect, test } from "vitest";
import { formatNames, parse } from "../src/index.ts";
import { exceptions } from "./exceptions.ts";
import { chunkings, expectChunkingNeverMatters } from "./support/chunks.ts";
import { difference, expectMeets } from "./support/compare.ts";
import { corpusFormats, loadCases, optionsOf } from "./support/corpus.ts";

const known = new Set(formatNames());

for (const format of corpusFormats().filter((name) => known.has(name))) {
  describe(`corpus: ${format}`, () => {
    for (const given of loadCases(format)) {
      const options = optionsOf(given);
      const exception = exceptions.find(({ id }) => id === given.id);

      if (exception === undefined) {
        test(given.id, () => {
          expectMeets(parse(given.input, options), given.expect, given.why);
        });
      } else {
        test(`${given.id} (an exception: ${exception.reason})`, () => {
          const found = difference(parse(given.input, options), given.expect);
          expect(found, "agrees with the corpus now: strike it from exceptions.ts").not.toBeNull();
        });
      }

      test(`${given.id}, however it is chunked`, () => {
        expectChunkingNeverMatters(given.input, options, chunkings(given.input, given.chunks));
      });
    }
  });
}

test("the corpus is whole", () => {
  const cases = corpusFormats().flatMap(loadCases);
  const ids = new Set(cases.map(({ id }) => id));
  expect(ids.size).toBe(cases.length);
  expect(exceptions.filter(({ id }) => !ids.has(id))).toEqual([]);
  for (const { id, input, chunks } of cases) {
    expect(chunks?.join("") ?? input, id).toBe(input);
  }
});
