import type { Check, Run } from "./check.ts";
import { badSchema } from "./compile.ts";
import { count, either, given, literal } from "./messages.ts";
import type { Schema } from "./schema.ts";
import { equal, short } from "./value.ts";

/** `enum`, `const`, and what numbers and strings must be. */
export function scalarChecks(schema: Schema): Check[] {
  return [...literalChecks(schema), ...numberChecks(schema), ...stringChecks(schema)];
}

/** A keyword's value where it is a number. */
export function numeric(schema: Schema, keyword: string): number | undefined {
  const value = schema.keywords[keyword];
  return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
}

function literalChecks(schema: Schema): Check[] {
  const { literals, keywords } = schema;
  if (literals === undefined) return [];
  const simple = new Set(literals);
  const nullable = keywords.nullable === true;
  return [
    (value: unknown, run) => {
      if (simple.has(value) || (value === null && nullable)) return true;
      if (typeof value === "object" && literals.some((one) => equal(one, value))) return true;
      return notOneOf(run, schema, () => given(value), literal(value));
    },
  ];
}

/** A value that is none of `enum` or `const`; `came` says in words what was given, as in `wrongType`. */
export function notOneOf(run: Run, { literals = [], keywords }: Schema, came: () => string, received: string): false {
  const shown = either(literals.slice(0, 50).map(short));
  const must = literals.length === 1 ? shown : `one of ${shown}`;
  return run.fail(
    "const" in keywords ? "not-const" : "not-in-enum",
    (name) => `${name} must be ${must}, but ${came()}.`,
    {
      expected: literals.map(literal),
      received,
    },
  );
}

type Bound = [bad: (value: number) => boolean, must: string];

function numberChecks(schema: Schema): Check[] {
  const bounds: Bound[] = [];
  const { exclusiveMinimum, exclusiveMaximum } = schema.keywords;
  const least = numeric(schema, "minimum");
  const most = numeric(schema, "maximum");
  // Draft-04 writes `exclusiveMinimum: true` beside `minimum`.
  const above = exclusiveMinimum === true ? least : numeric(schema, "exclusiveMinimum");
  const below = exclusiveMaximum === true ? most : numeric(schema, "exclusiveMaximum");
  const step = numeric(schema, "multipleOf");
  if (least !== undefined) bounds.push([(value) => value < least, `at least ${least}`]);
  if (most !== undefined) bounds.push([(value) => value > most, `at most ${most}`]);
  if (above !== undefined) bounds.push([(value) => value <= above, `greater than ${above}`]);
  if (below !== undefined) bounds.push([(value) => value >= below, `less than ${below}`]);
  if (step !== undefined && step > 0) bounds.push([(value) => !isMultiple(value, step), `a multiple of ${step}`]);
  if (bounds.length === 0) return [];
  return [
    (value: unknown, run) => {
      if (typeof value !== "number") return true;
      const broken = bounds.filter(([bad]) => bad(value));
      for (const [, must] of broken) outOfRange(run, must, value);
      return broken.length === 0;
    },
  ];
}

function outOfRange(run: Run, must: string, value: number): void {
  run.fail("out-of-range", (name) => `${name} must be ${must}, but ${value} was given.`, {
    expected: [must],
    received: String(value),
  });
}

function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  if (!Number.isFinite(times)) return value % step === 0;
  // 0.0075 is a multiple of 0.0001, which division in binary misses by a hair.
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.min(Math.abs(times), 1e5));
}

function stringChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  const least = numeric(schema, "minLength") ?? 0;
  const most = numeric(schema, "maxLength") ?? Number.POSITIVE_INFINITY;
  if (least > 0 || most < Number.POSITIVE_INFINITY) {
    checks.push((value: unknown, run) => {
      if (typeof value !== "string") return true;
      // Characters are counted only where UTF-16 units, of which a character has one or two, leave it open.
      if (value.length <= most && value.length >= 2 * least) return true;
      const length = characters(value);
      return (length >= least && length <= most) || badLength(run, length < least, least, most, length, "character");
    });
  }
  const { pattern } = schema.keywords;
  if (typeof pattern === "string") {
    const found = schema.document.pattern(pattern);
    checks.push((value: unknown, run) => {
      if (typeof value !== "string") return true;
      const fits = found?.test(value) ?? null;
      if (fits) return true;
      if (fits === null) return badSchema(run, `has a pattern that cannot be used: ${short(pattern)}`);
      return run.fail("bad-pattern", (name) => `${name} must match the pattern ${pattern}, but ${given(value)}.`, {
        expected: [pattern],
        received: short(value),
      });
    });
  }
  return checks;
}

/** A string, list or object that is too short or too long. `open`: it may still grow. */
export function badLength(
  run: Run,
  few: boolean,
  least: number,
  most: number,
  length: number,
  unit: string,
  open = false,
): false {
  const must = few ? `at least ${count(least, unit)}` : `at most ${count(most, unit)}`;
  const received = open ? "more" : count(length, unit);
  return run.fail("bad-length", (name) => `${name} must have ${must}, but ${received} came.`, {
    expected: [must],
    received,
  });
}

/** Length in characters (code points), as JSON Schema counts. */
export function characters(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--;
      i++;
    }
  }
  return length;
}
