/** What can be said of a value before it is whole. */

import type { Run } from "../check.ts";
import { formsOf } from "../check-branches.ts";
import { notOneOf } from "../check-values.ts";
import { notAllowed, wrongType } from "../compile.ts";
import { withArticle } from "../messages.ts";
import type { Schema } from "../schema.ts";
import { OBJECT, STRING, short } from "../value.ts";
import type { Place } from "./place.ts";

/** A value of a kind that no type admits. */
export function wrongKind(run: Run, { all }: Place, kind: number): false {
  const came = kind === STRING ? "string" : kind === OBJECT ? "object" : "array";
  if (all.some(({ raw }) => raw === false)) return notAllowed(run, came);
  const schema = all.find(({ types }) => !(types & kind)) as Schema;
  return wrongType(run, schema, () => `${withArticle(came)} was given`, came);
}

/** A string that can become none of the values that are allowed, since it begins with `text`. */
export function notAmong(run: Run, { all }: Place, text: string): false {
  const schema = all.find(
    ({ literals }) => literals && !literals.some((one) => typeof one === "string" && one.startsWith(text)),
  ) as Schema;
  if (text === "") return notOneOf(run, schema, () => "a string was given", "string");
  return notOneOf(run, schema, () => `it begins with ${short(text)}`, text);
}

/** A value that fits no branch of a union. */
export function noBranchLeft(run: Run, union: readonly Place[]): false {
  const { expected, must } = formsOf(union.flatMap(({ seeds }) => seeds));
  return run.fail("no-branch", (name) => `${name} ${must}, but none of them fits what came.`, { expected });
}
