import { accepts, type Check, check, type Run } from "./check.ts";
import { missing } from "./check-children.ts";
import { badSchema } from "./compile.ts";
import { flatten } from "./flatten.ts";
import { either, given, literal, typeList } from "./messages.ts";
import type { Schema } from "./schema.ts";
import { tagged } from "./tag.ts";
import { isObject, NULL, short } from "./value.ts";

/** Schemas that hold for the same value: references, unions, conditions. */
export function branchChecks(schema: Schema): Check[] {
  const checks = [...referenceChecks(schema)];
  const all = schema.list("allOf");
  if (all.length > 0) checks.push((value: unknown, run) => every(all, value, run));
  const any = schema.list("anyOf");
  if (any.length > 0) {
    checks.push(
      (value: unknown, run) =>
        any.some((branch) => accepts(branch, value, run, run.relaxed)) || noBranch(any, value, run),
    );
  }
  const one = schema.list("oneOf");
  if (one.length > 0) checks.push((value: unknown, run) => exactlyOne(one, value, run));
  const not = schema.sub("not");
  if (not) {
    checks.push((value: unknown, run) => {
      if (!accepts(not, value, run, false)) return true;
      return run.fail("forbidden", (name) => `${name} must not be ${short(value)}.`, { received: short(value) });
    });
  }
  return [...checks, ...conditionChecks(schema), ...dependencyChecks(schema)];
}

function every(schemas: readonly Schema[], value: unknown, run: Run): boolean {
  let valid = true;
  for (const schema of schemas) {
    if (check(schema, value, run)) continue;
    valid = false;
    if (run.problems === null) return false;
  }
  return valid;
}

function referenceChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  const { target, dynamic, keywords } = schema;
  if (target !== undefined) checks.push(follow(String(keywords.$ref), () => target));
  if (dynamic !== undefined)
    checks.push(follow(String(keywords.$dynamicRef), (run) => dynamicTarget(schema, dynamic, run)));
  return checks;
}

function follow(reference: string, find: (run: Run) => Schema | null): Check {
  // A reference that comes back to itself at the same value leads nowhere.
  const nowhere = Symbol();
  let active: unknown = nowhere;
  return (value: unknown, run) => {
    const target = find(run);
    if (target === null || active === value) {
      // The coerce profile lets anything pass where the schema says nothing.
      return run.relaxed || badSchema(run, `refers to ${short(reference)}, which leads nowhere`);
    }
    const before = active;
    active = value;
    try {
      return check(target, value, run);
    } finally {
      active = before;
    }
  };
}

/** The outermost schema on the way that has the dynamic anchor. */
export function dynamicTarget(schema: Schema, found: Schema | null, run: Run): Schema | null {
  const name = String(schema.keywords.$dynamicRef).split("#")[1];
  if (found === null || name === undefined || found.keywords.$dynamicAnchor !== name) return found;
  for (const resource of run.scope) {
    const outer = schema.document.anchor(name, resource);
    if (outer) return outer;
  }
  return found;
}

function exactlyOne(branches: readonly Schema[], value: unknown, run: Run): boolean {
  const fits = branches.filter((branch) => accepts(branch, value, run, false)).length;
  if (fits === 1) return true;
  if (fits === 0) {
    // The null rule may let more than one branch pass; it must not turn a valid value into an invalid one.
    const relaxed = run.relaxed && branches.some((branch) => accepts(branch, value, run, true));
    return relaxed || noBranch(branches, value, run);
  }
  const say = (name: string): string =>
    `${name} must fit exactly one of the allowed forms, but ${fits} fit ${short(value)}.`;
  return run.fail("no-branch", say, { received: short(value) });
}

/** No branch fits: told inside the one branch that can be meant, else as one problem of the value. */
function noBranch(branches: readonly Schema[], value: unknown, run: Run): false {
  if (run.problems === null) return false;
  const real = branches.filter((branch) => flatten([branch]).all.reduce((bits, one) => bits & one.mask, -1) !== NULL);
  const meant = real.length === 1 ? real[0] : tagged(branches, value);
  if (meant && !check(meant, value, run)) return false;
  const { expected, must } = formsOf(branches);
  const say = (name: string): string => `${name} ${must}, but ${given(value)}.`;
  return run.fail("no-branch", say, { expected, received: short(value) });
}

/** What a value must be to fit a branch. */
export function formsOf(branches: readonly Schema[]): { expected: string[]; must: string } {
  const expected = [...new Set(branches.flatMap((branch) => describe(branch)))];
  const forms = expected.length > 0 ? `: ${either(expected)}` : "";
  return { expected, must: `must have one of the allowed forms${forms}` };
}

/** What a branch admits, in a few words. */
function describe(branch: Schema): string[] {
  const { all } = flatten([branch]);
  const literals = all.flatMap((schema) => schema.literals ?? []);
  if (literals.length > 0) return literals.slice(0, 50).map(literal);
  const names = all.flatMap((schema) => schema.typeNames);
  const keys = all.flatMap((schema) => [...schema.map("properties").keys()]);
  if (names.length === 0 || keys.length === 0) return names.length > 0 ? [typeList(names)] : [];
  return [`${typeList(names)} with ${keys.slice(0, 20).join(", ")}`];
}

function conditionChecks(schema: Schema): Check[] {
  const condition = schema.sub("if");
  const [yes, no] = [schema.sub("then"), schema.sub("else")];
  if (!condition || !(yes || no)) return [];
  return [
    (value: unknown, run) => {
      const branch = accepts(condition, value, run, false) ? yes : no;
      return branch === undefined || check(branch, value, run);
    },
  ];
}

/** `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both. */
function dependencyChecks(schema: Schema): Check[] {
  const rules: [key: string, names: unknown[], sub: Schema | undefined][] = [];
  for (const keyword of ["dependentRequired", "dependencies"]) {
    const lists = schema.keywords[keyword];
    if (!isObject(lists)) continue;
    for (const [key, names] of Object.entries(lists)) if (Array.isArray(names)) rules.push([key, names, undefined]);
  }
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    for (const [key, sub] of schema.map(keyword)) if (!Array.isArray(sub.raw)) rules.push([key, [], sub]);
  }
  if (rules.length === 0) return [];
  return [
    (value: Record<string, unknown>, run) => {
      if (!isObject(value)) return true;
      let valid = true;
      for (const [key, names, sub] of rules) {
        if (!Object.hasOwn(value, key)) continue;
        for (const name of names)
          if (typeof name === "string" && !Object.hasOwn(value, name)) valid = missing(run, name);
        if (sub && !check(sub, value, run)) valid = false;
      }
      return valid;
    },
  ];
}
