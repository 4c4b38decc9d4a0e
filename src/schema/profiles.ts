import type { Problem } from "../events.ts";
import type { Declared } from "./declare.ts";
import { allProblems } from "./full.ts";
import { declaredArguments, kernelArguments, kernelProblems } from "./kernel.ts";
import { nameOf } from "./messages.ts";
import type { Schema } from "./schema.ts";
import { toolArgumentProblems } from "./tool-argument-problems.ts";
import { isObject, pointer } from "./value.ts";

/** How arguments are held against their schema. README.md has the table. */
export type Validation = "strict" | "coerce" | "lenient" | "kernel" | "none";

/** Finds the problems of finished arguments; `text` is their compact JSON text. */
export type Checker = (args: Record<string, unknown>, text: string) => Problem[];

/** The check of one tool under one profile. */
export function checker(declared: Declared, root: Schema | undefined, validation: Validation): Checker {
  switch (validation) {
    case "none":
      return () => [];
    case "kernel": {
      const wanted = declared.kernel ? declaredArguments(declared.kernel) : kernelArguments(declared.schema);
      return (args, text) => kernelProblems(wanted, args, text);
    }
    case "lenient":
      return (args) => toolArgumentProblems(declared.schema, args);
    default: {
      const relaxed = validation === "coerce";
      return (args) => finalProblems(declared, root, args, relaxed);
    }
  }
}

/** The problems by the schema; where there are none, a Standard Schema has the last word. */
export function finalProblems(
  declared: Declared,
  root: Schema | undefined,
  value: unknown,
  relaxed: boolean,
): Problem[] {
  const problems = root ? allProblems(root, value, relaxed) : [];
  return problems.length > 0 || !declared.standard ? problems : standardProblems(declared, declared.standard, value);
}

function standardProblems({ name }: Declared, validate: (value: unknown) => unknown, value: unknown): Problem[] {
  const result = validate(value);
  if (result instanceof Promise) {
    result.catch(() => {});
    throw new TypeError(
      `The schema of ${JSON.stringify(name)} validates asynchronously; only schemas that answer at once can be used.`,
    );
  }
  const issues = isObject(result) && Array.isArray(result.issues) ? result.issues : [];
  return issues.map((issue: { message?: unknown; path?: readonly unknown[] }): Problem => {
    const keys = (issue.path ?? []).map((segment) => (isObject(segment) ? segment.key : segment)) as (
      | string
      | number
    )[];
    const shown = keys.map((key) => (typeof key === "number" ? key : String(key)));
    const parent = keys
      .slice(0, -1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
    const absent = isObject(parent) && keys.length > 0 && !Object.hasOwn(parent, String(keys.at(-1)));
    const kind = absent ? "missing-required" : "forbidden";
    return { kind, path: pointer(shown), message: `${nameOf(shown)}: ${String(issue.message)}` };
  });
}
