import type { Problem, ProblemKind } from "../events.ts";
import { compile } from "./compile.ts";
import type { Resource } from "./document.ts";
import { nameOf } from "./messages.ts";
import type { Schema } from "./schema.ts";
import { pointer } from "./value.ts";

/** One keyword (or a few that belong together), compiled. True: nothing to object to. */
export type Check = (value: never, run: Run) => boolean;

/** Sub-checks below each other: far more than a sensible value has, and far less than the stack holds. */
const DEPTH = 600;
/** Sub-checks in all: well under a second, where a schema branches without end. */
const STEPS = 1_000_000;

/** No reader, and no model, wants more problems than this. */
const MOST = 100;

type Details = Pick<Problem, "expected" | "received">;

/** One walk through a value: what it looks for, and where it is. */
export class Run {
  /** Where problems are collected; null: only the answer counts, and the first problem ends the walk. */
  problems: Problem[] | null;
  /** The coerce profile: null is accepted for an optional property without a real default, and what is unknown passes. */
  relaxed: boolean;
  /** The way from the root to the value at hand. A path is made of it only for a problem. */
  readonly keys: (string | number)[] = [];
  /** Resources entered on the way, the outermost first, for `$dynamicRef`. */
  readonly scope: Resource[] = [];
  /** The schema by which the value at hand was reached; what applies beside it is found from there. */
  place: Schema | undefined;
  depth = 0;
  steps = 0;
  /** Too deep or too long: no answer of this walk counts. */
  exhausted = false;

  constructor(relaxed: boolean, problems: Problem[] | null) {
    this.relaxed = relaxed;
    this.problems = problems;
  }

  /**
   * Notes a problem at the value at hand, or at its child `key`. `say` gets the name of the argument as a message
   * writes it. Always false, so that a check can return it.
   */
  fail(kind: ProblemKind, say: (name: string) => string, details?: Details, key?: string | number): false {
    if (this.problems !== null && this.problems.length < MOST) {
      const keys = key === undefined ? this.keys : [...this.keys, key];
      this.problems.push({ kind, path: pointer(keys), message: say(nameOf(keys)), ...details });
    }
    return false;
  }
}

/** Holds a value against a schema. */
export function check(schema: Schema, value: unknown, run: Run): boolean {
  if (++run.steps > STEPS || run.depth >= DEPTH) return !(run.exhausted = true);
  schema.checks ??= compile(schema);
  run.place ??= schema;
  const entered = run.scope[run.scope.length - 1] !== schema.resource;
  if (entered) run.scope.push(schema.resource);
  run.depth++;
  let valid = true;
  for (const one of schema.checks) {
    if (one(value as never, run)) continue;
    valid = false;
    // A value of the wrong type is told so, and nothing else: `type` is compiled first.
    if (run.problems === null || (schema.typed && one === schema.checks[0])) break;
  }
  run.depth--;
  if (entered) run.scope.pop();
  return valid;
}

/** As `check`, one level down. */
export function checkChild(schema: Schema, value: unknown, key: string | number, run: Run): boolean {
  const { place } = run;
  run.place = schema;
  run.keys.push(key);
  const valid = check(schema, value, run);
  run.keys.pop();
  run.place = place;
  return valid;
}

/** Only the answer, whatever the walk is after. */
export function accepts(schema: Schema, value: unknown, run: Run, relaxed: boolean): boolean {
  const { problems, relaxed: before } = run;
  run.problems = null;
  run.relaxed = relaxed;
  const valid = check(schema, value, run);
  run.problems = problems;
  run.relaxed = before;
  return valid;
}

/** All problems of a value, in the order of the schema. */
export function problemsOf(schema: Schema, value: unknown, relaxed: boolean): Problem[] {
  // Most values are valid: find that out first, without a thought for paths.
  if (attempt(schema, value, new Run(relaxed, null))) return [];
  const problems: Problem[] = [];
  const run = new Run(relaxed, problems);
  attempt(schema, value, run);
  if (run.exhausted || problems.length === 0) {
    const message = "The arguments are nested too deeply, or branch too often, to be checked against the schema.";
    problems.push({ kind: "limit-exceeded", path: "", message });
  }
  return problems;
}

function attempt(schema: Schema, value: unknown, run: Run): boolean {
  try {
    return check(schema, value, run) && !run.exhausted;
  } catch (error) {
    // Values are compared and written out to any depth: that, too, may be more than the stack holds.
    if (!(error instanceof RangeError)) throw error;
    run.exhausted = true;
    return false;
  }
}
