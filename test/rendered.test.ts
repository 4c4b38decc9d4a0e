import { describe, test } from "vitest";
import { formatNames, parse } from "../src/index.ts";
import { chunkingsBySize, expectChunkingNeverMatters } from "./support/chunks.ts";
import { expectMeets } from "./support/compare.ts";
import { loadTurns, optionsOf } from "./support/corpus.ts";

const known = new Set(formatNames());
const { turns, tools } = loadTurns();

describe("turns as real chat templates write them come back", () => {
  for (const turn of turns.filter(({ format }) => known.has(format))) {
    test(`${turn.format}: ${turn.id}`, () => {
      const options = optionsOf({ ...turn, tools });
      expectMeets(parse(turn.input, options), turn.expect, turn.input);
      expectChunkingNeverMatters(turn.input, options, chunkingsBySize(turn.input));
    });
  }
});
