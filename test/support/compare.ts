import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { ParseResult, ProblemKind, RejectedCall, ToolCall } from "../../src/index.ts";
import type { Expectation, ExpectedCall, ExpectedProblem } from "./corpus.ts";

/** What a schema can find wrong with arguments that could be read. */
const schemaProblems: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  "missing-required",
  "wrong-type",
  "extra-property",
  "not-in-enum",
  "not-const",
  "out-of-range",
  "bad-length",
  "bad-pattern",
  "no-branch",
  "forbidden",
  "bad-schema",
]);

/** Problems of calls that could not be read whole: such a call is not among the expected ones. */
const unreadable: ReadonlySet<ExpectedProblem> = new Set<ExpectedProblem>([
  "truncated",
  "invalid-arguments",
  "not-an-object",
]);

/** Fails, readably, unless the result meets the expectation. `why` says what the case is about. */
export function expectMeets(result: ParseResult, expected: Expectation, why: string): void {
  const found = difference(result, expected);
  if (found !== null) {
    expect.fail(`${why}\n${found}`);
  }
}

/** In what a result misses an expectation, one line for each point, or null if it meets it. */
export function difference(result: ParseResult, expected: Expectation): string | null {
  const found = [
    textDifference("content", result.content, expected.content),
    textDifference("reasoning", result.reasoning, expected.reasoning),
    callsDifference(result, expected),
    problemDifference(result.rejected, expected.problem),
  ].filter((line) => line !== null);
  return found.length === 0 ? null : found.join("\n");
}

function textDifference(name: string, received: string, expected: string): string | null {
  return received.trim() === expected.trim() ? null : unequal(name, received.trim(), expected.trim());
}

function callsDifference(result: ParseResult, expected: Expectation): string | null {
  if (sameCalls(result.calls, expected.calls)) {
    return null;
  }
  // Where every call could be read, the case lists all of them, or only the dispatchable ones (which was tried above).
  const listsRejected = expected.problem !== null && !unreadable.has(expected.problem);
  const received = listsRejected ? readableCalls(result) : result.calls;
  return listsRejected && sameCalls(received, expected.calls)
    ? null
    : unequal("calls", received.map(shown), expected.calls);
}

function problemDifference(rejected: RejectedCall[], expected: ExpectedProblem | null): string | null {
  const kinds = rejected.map((call) => call.problems.map((problem) => problem.kind));
  const met =
    expected === null
      ? rejected.length === 0
      : kinds.flat().some((kind) => kind === expected || (expected === "schema" && schemaProblems.has(kind)));
  return met ? null : unequal("problems of the rejected calls", kinds, expected === null ? [] : [[expected]]);
}

/** The calls with a name and an arguments object, dispatchable or rejected, in the order of the output. */
function readableCalls(result: ParseResult): (ToolCall | RejectedCall)[] {
  return [...result.calls, ...result.rejected.filter((call) => call.name !== null && call.arguments !== null)].sort(
    (one, other) => one.index - other.index,
  );
}

/** Are these the expected calls, by name, arguments and, where one is expected, id? */
export function sameCalls(received: readonly (ToolCall | RejectedCall)[], expected: readonly ExpectedCall[]): boolean {
  return (
    received.length === expected.length &&
    expected.every((call, at) => {
      const other = received[at]!;
      return (
        other.name === call.name &&
        isDeepStrictEqual(other.arguments, call.arguments) &&
        (call.id === undefined || other.id === call.id)
      );
    })
  );
}

function shown({ id, name, arguments: args }: ToolCall | RejectedCall): unknown {
  return { id, name, arguments: args };
}

function unequal(what: string, received: unknown, expected: unknown): string {
  return `${what}: received ${JSON.stringify(received)}\n${" ".repeat(what.length)}  expected ${JSON.stringify(expected)}`;
}
