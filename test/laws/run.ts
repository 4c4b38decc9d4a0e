import fc from "fast-check";
import { describe, test } from "vitest";
import { formatNames } from "../../src/index.ts";
import { runs } from "../support/arbitraries.ts";
import { ours } from "./laws.ts";
import { applies, laws } from "./properties.ts";

/** A law is tried as often as for this many formats, however many there are: each gets its share. */
const FORMATS = 5;

/** Tests these laws for every registered format, and for `"auto"` on what each format writes. */
export function testLaws(names: readonly (keyof typeof laws)[]): void {
  const chosen = names.map((name) => laws[name]).filter((law) => law !== undefined);
  const share = Math.min(1, FORMATS / formatNames().length);
  const tries = (usual: number): { numRuns: number } => runs(Math.max(2, usual * share));
  for (const format of formatNames()) {
    describe(format, () => {
      for (const law of chosen.filter((given) => applies(given, format))) {
        test(law.title, () => {
          fc.assert(law.property(ours, format), tries(law.usual));
        });
      }
    });

    for (const law of chosen.filter(({ auto }) => auto)) {
      test(`auto, ${format}: ${law.title}`, () => {
        fc.assert(law.property(ours, format, "auto"), tries(law.usual / 3));
      });
    }
  }
}
