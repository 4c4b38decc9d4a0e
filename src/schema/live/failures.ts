/** What can be said of a value before it is whole. */

import type { Run } from "../check.ts";
import { formsOf } from "../check-branches.ts";
import { either, literal, typeList, withArticle } from "../messages.ts";
import { OBJECT, STRING, short } from "../value.ts";
import type { Place } from "./place.ts";

/** A value of a kind that no type admits. */
export function wrongKind(run: Run, { all }: Place, kind: number): false {
  const came = kind === STRING ? "string" : kind === OBJECT ? "object" : "array";
  if (all.some(({ raw }) => raw === false)) {
    return run.fail("forbidden", (name) => `${name} must not be given.`, { received: came });
  }
  const names = (all.find(({ types }) => !(types & kind)) ?? all[0])?.typeNames ?? [];
  const problem = names.length === 1 && names[0] === "object" && run.keys.length === 0 ? "not-an-object" : "wrong-type";
  return run.fail(problem, (name) => `${name} must be ${typeList(names)}, but ${withArticle(came)} was given.`, {
    expected: [...names],
    received: came,
  });
}

/** A string that can become none of the values that are allowed, since it begins with `text`. */
export function notAmong(run: Run, { all }: Place, text: string): false {
  const schema = all.find(
    ({ literals }) => literals && !literals.some((one) => typeof one === "string" && one.startsWith(text)),
  );
  const literals = schema?.literals ?? [];
  const shown = either(literals.slice(0, 50).map(short));
  const kind = schema !== undefined && "const" in schema.keywords ? "not-const" : "not-in-enum";
  const must = literals.length === 1 ? shown : `one of ${shown}`;
  const came = text === "" ? "a string was given" : `it begins with ${short(text)}`;
  return run.fail(kind, (name) => `${name} must be ${must}, but ${came}.`, {
    expected: literals.map(literal),
    received: text === "" ? "string" : text,
  });
}

/** A value that fits no branch of a union. */
export function noBranchLeft(run: Run, union: readonly Place[]): false {
  const { expected, must } = formsOf(union.flatMap(({ seeds }) => seeds));
  return run.fail("no-branch", (name) => `${name} ${must}, but none of them fits what came.`, { expected });
}
