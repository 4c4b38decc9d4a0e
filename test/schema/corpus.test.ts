import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toolArgumentProblems } from "../../src/schema/tool-argument-problems.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import { ToolCallError, validateToolCall } from "../../src/schema/validate-tool-call.ts";

const cases = JSON.parse(readFileSync(new URL("../corpus/validate.json", import.meta.url), "utf8"));

describe("corpus/validate.json", () => {
  it("has all its cases", () => expect(cases.length).toBe(191));

  for (const one of cases) {
    it(`${one.id}: ${one.why}`, () => {
      const outcome = run(one);
      expect(shape(outcome.problems, one.expect.problems)).toEqual(one.expect.problems ?? []);
      expect(outcome.ok).toBe(one.expect.ok);
      if (one.expect.ok) expect(outcome.value).toEqual(one.expect.value);
      expect(shape(outcome.warnings, one.expect.warnings)).toEqual(one.expect.warnings ?? []);
    });
  }
});

interface Outcome {
  ok: boolean;
  value?: unknown;
  problems: any[];
  warnings: any[];
}

function run({ profile, schema, text, arguments: args, options = {} }: any): Outcome {
  if (profile === "kernel") {
    try {
      return { ok: true, value: validateToolCall(text, schema), problems: [], warnings: [] };
    } catch (error) {
      expect(error).toBeInstanceOf(ToolCallError);
      return { ok: false, problems: [...(error as ToolCallError).problems], warnings: [] };
    }
  }
  if (profile === "lenient") {
    const problems = toolArgumentProblems(schema, args);
    return { ok: problems.length === 0, value: args, problems, warnings: [] };
  }
  const { on_invalid: onInvalid, ...rest } = options;
  const result = validateArguments(args, schema, { profile, onInvalid, ...rest });
  return result.ok ? { ...result, problems: [] } : { ...result, warnings: [] };
}

/** The members of the problems that the case gives; `at` has no place in a problem. */
function shape(problems: any[], expected: any[] = []): any[] {
  return problems.map((problem, i) => {
    const wanted = { ...expected[i] };
    const found: any = { kind: problem.kind, path: problem.path };
    for (const key of ["expected", "received"]) if (key in wanted) found[key] = problem[key];
    return "at" in wanted ? { ...found, at: wanted.at } : found;
  });
}
