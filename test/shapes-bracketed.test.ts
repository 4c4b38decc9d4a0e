import { describe, expect, test } from "vitest";
import { bracketed, type ParseResult, type ProblemKind } from "../src/index.ts";
import { chunkings, expectChunkingNeverMatters, run } from "./support/chunks.ts";
import { sameCalls } from "./support/compare.ts";
import { type ExpectedCall, generateId, loadJson, type RunOptions } from "./support/corpus.ts";

/** A case of the bracketed shape: name, separator, one JSON value, with the markers as data. */
interface ShapeCase {
  id: string;
  markers: { open: string; close: string };
  config: { name_args_separator: string };
  body: string;
  expect: {
    calls?: ExpectedCall[];
    failure?: { kind: "invalid-json-arguments" | "unterminated-arguments"; tool: string };
  };
  why: string;
}

const cases = loadJson("shapes-bracketed.json") as ShapeCase[];

describe("the bracketed shape", () => {
  for (const given of cases) {
    const { calls, failure } = given.expect;
    test(`${given.id}: ${given.why}`, () => {
      const finished = optionsOf(given, true);
      if (calls !== undefined) {
        expectCalls(run([given.body], finished).result, calls);
      }
      if (failure !== undefined) {
        const cutOff = optionsOf(given, false);
        expectFailure(run([given.body], finished).result, failure.tool, "invalid-arguments");
        expectFailure(run([given.body], cutOff).result, failure.tool, isCut(given) ? "truncated" : "invalid-arguments");
        expectChunkingNeverMatters(given.body, cutOff, chunkings(given.body));
      }
      expectChunkingNeverMatters(given.body, finished, chunkings(given.body));
    });
  }

  test("text behind the last call is handed on as content", () => {
    const given = cases.find(({ id }) => id === "bj-trailing-text")!;
    expect(run([given.body], optionsOf(given, true)).result.content.trim()).toBe("thanks");
  });
});

function optionsOf({ markers, config }: ShapeCase, finished: boolean): RunOptions {
  const { open, close } = markers;
  const separator = config.name_args_separator;
  // An empty closer is none.
  const format = bracketed({ open, separator, openOptional: true, ...(close === "" ? {} : { close }) });
  return { format, finished, generateId };
}

/** Arguments that are no object are a call to the original, and `not-an-object` to us. */
function expectCalls(result: ParseResult, expected: ExpectedCall[]): void {
  const objects = expected.filter(({ arguments: args }) => typeof args === "object" && args && !Array.isArray(args));
  const others = expected.filter((call) => !objects.includes(call));
  expect(sameCalls(result.calls, objects), JSON.stringify(result.calls)).toBe(true);
  expect(outline(result.rejected)).toEqual(others.map(({ name }) => ({ name, kinds: ["not-an-object"] })));
}

function expectFailure(result: ParseResult, tool: string, kind: ProblemKind): void {
  expect(result.calls).toEqual([]);
  expect(outline(result.rejected)).toEqual([{ name: tool, kinds: [kind] }]);
}

function outline(rejected: ParseResult["rejected"]): { name: string | null; kinds: ProblemKind[] }[] {
  return rejected.map(({ name, problems }) => ({ name, kinds: problems.map(({ kind }) => kind) }));
}

/** Does the value stop, or never begin? A case marked source-exact is one that the original files under invalid JSON. */
function isCut({ expect: { failure }, why }: ShapeCase): boolean {
  return failure?.kind === "unterminated-arguments" || why.startsWith("source-exact");
}
