import { accepts, type Check, checkChild, type Run } from "./check.ts";
import { badLength, numeric } from "./check-values.ts";
import { badSchema } from "./compile.ts";
import { declaredSchemas, demands, hasDefault } from "./flatten.ts";
import { count } from "./messages.ts";
import type { Matcher } from "./pattern.ts";
import type { Schema } from "./schema.ts";
import { isObject, short } from "./value.ts";

interface Property {
  name: string;
  schema: Schema;
  required: boolean;
}

/** What an object must have and may have. */
export function objectChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  const size = sizeCheck(schema, "Properties", "property", (value) => isObject(value) && Object.keys(value).length);
  const { required } = schema.keywords;
  const names = new Set((Array.isArray(required) ? required : []).filter((name) => typeof name === "string"));
  const declared = schema.map("properties");
  const properties = [...declared].map(([name, sub]): Property => ({ name, schema: sub, required: names.has(name) }));
  const others = [...names].filter((name) => !declared.has(name));
  if (properties.length + others.length > 0) {
    checks.push((value: Record<string, unknown>, run) => {
      if (!isObject(value)) return true;
      let valid = true;
      for (const property of properties) {
        if (!checkProperty(property, value, run)) valid = false;
        if (!valid && run.problems === null) return false;
      }
      for (const name of others) if (!Object.hasOwn(value, name)) valid = missing(run, name);
      return valid;
    });
  }
  const keys = keysCheck(schema, declared);
  if (keys) checks.push(keys);
  return size ? [...checks, size] : checks;
}

/** A property that must be there is not. */
export function missing(run: Run, key: string): false {
  return run.fail("missing-required", (name) => `${name} is required, but it was not given.`, undefined, key);
}

function checkProperty({ name, schema, required }: Property, value: Record<string, unknown>, run: Run): boolean {
  // Most properties that are there are no inherited ones, and `value[name]` alone is the faster question.
  const child = Object.hasOwn(value, name) ? value[name] : undefined;
  if (child === undefined) return !required || missing(run, name);
  if (child === null && run.relaxed && !required && nullPasses(schema, name, run)) return true;
  return checkChild(schema, child, name, run);
}

/** In the coerce profile null means "not given" for an optional property, unless that would mean a real default. */
function nullPasses(schema: Schema, name: string, run: Run): boolean {
  if (schema.raw === false || schema.unusable || hasDefault(schema)) return false;
  return run.place === undefined || !demands(run.place).has(name);
}

/** `patternProperties`, `additionalProperties` and `propertyNames`: what each key is asked. */
function keysCheck(schema: Schema, declared: ReadonlyMap<string, Schema>): Check | undefined {
  const patterns: [Matcher | null, Schema, string][] = [];
  for (const [source, sub] of schema.map("patternProperties"))
    patterns.push([schema.document.pattern(source), sub, source]);
  const rest = schema.sub("additionalProperties");
  const additional = rest?.raw === true ? undefined : rest;
  const naming = schema.sub("propertyNames");
  if (patterns.length === 0 && !additional && !naming) return undefined;
  return (value: Record<string, unknown>, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const key of Object.keys(value)) {
      let known = declared.has(key);
      for (const [matcher, sub, source] of patterns) {
        const fits = matcher?.test(key) ?? null;
        if (fits === null) valid = badSchema(run, `has a pattern that cannot be used: ${short(source)}`);
        if (fits) {
          known = true;
          if (!checkChild(sub, value[key], key, run)) valid = false;
        }
      }
      if (!known && additional && !checkAdditional(additional, value[key], key, [...declared.keys()], run))
        valid = false;
      if (naming && !checkName(naming, key, run)) valid = false;
      if (!valid && run.problems === null) return false;
    }
    return valid;
  };
}

/** May the object have this key, whatever its value? */
export function checkKey(schema: Schema, key: string, run: Run): boolean {
  const additional = schema.sub("additionalProperties");
  const naming = schema.sub("propertyNames");
  const valid =
    additional?.raw !== false ||
    declaredSchemas(schema, key).length > 0 ||
    checkAdditional(additional, undefined, key, [...schema.map("properties").keys()], run);
  return (naming === undefined || checkName(naming, key, run)) && valid;
}

function checkName(naming: Schema, key: string, run: Run): boolean {
  const say = (name: string): string => `${name} is no allowed name for an argument here.`;
  return accepts(naming, key, run, run.relaxed) || run.fail("extra-property", say, undefined, key);
}

/** A key that nothing else speaks of. */
export function checkAdditional(schema: Schema, value: unknown, key: string, declared: string[], run: Run): boolean {
  if (schema.raw !== false) return checkChild(schema, value, key, run);
  const known = declared.length > 0 ? ` Known are: ${declared.slice(0, 50).join(", ")}.` : "";
  const details = { expected: declared, received: key };
  return run.fail("extra-property", (name) => `${name} is no known argument.${known}`, details, key);
}

/** What the elements of an array must be, and how many. */
export function arrayChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  const { prefix, rest } = schema;
  if (prefix.length > 0 || (rest && rest.raw !== true)) {
    checks.push((value: unknown, run) => {
      if (!Array.isArray(value)) return true;
      let valid = true;
      for (let i = 0; i < value.length; i++) {
        const sub = prefix[i] ?? rest;
        if (sub === undefined) break;
        if (!checkChild(sub, value[i], i, run)) valid = false;
        if (!valid && run.problems === null) return false;
      }
      return valid;
    });
  }
  const size = sizeCheck(schema, "Items", "item", (value) => Array.isArray(value) && value.length);
  if (size) checks.push(size);
  if (schema.keywords.uniqueItems === true) checks.push(unique);
  const wanted = schema.sub("contains");
  if (wanted) checks.push(containsCheck(schema, wanted));
  return checks;
}

function unique(value: unknown, run: Run): boolean {
  if (!Array.isArray(value)) return true;
  const seen = new Map<string, number>();
  for (let i = 0; i < value.length; i++) {
    const text = canonical(value[i]);
    const before = seen.get(text);
    if (before !== undefined) {
      const say = (name: string): string => `${name} repeats item ${before}; each item may stand there only once.`;
      return run.fail("forbidden", say, { received: short(value[i]) }, i);
    }
    seen.set(text, i);
  }
  return true;
}

/** JSON text that is the same for equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "";
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

function containsCheck(schema: Schema, wanted: Schema): Check {
  const least = numeric(schema, "minContains") ?? 1;
  const most = numeric(schema, "maxContains") ?? Number.POSITIVE_INFINITY;
  return (value: unknown, run) => {
    if (!Array.isArray(value)) return true;
    const found = value.filter((item) => accepts(wanted, item, run, false)).length;
    if (found >= least && found <= most) return true;
    const must = found < least ? `at least ${count(least, "item")}` : `at most ${count(most, "item")}`;
    const say = (name: string): string => `${name} must have ${must} of a certain form, but ${found} came.`;
    return run.fail("bad-length", say, { expected: [must], received: count(found, "item") });
  };
}

function sizeCheck(
  schema: Schema,
  what: string,
  unit: string,
  size: (value: unknown) => number | false,
): Check | undefined {
  const least = numeric(schema, `min${what}`) ?? 0;
  const most = numeric(schema, `max${what}`) ?? Number.POSITIVE_INFINITY;
  if (least === 0 && most === Number.POSITIVE_INFINITY) return undefined;
  return (value: unknown, run) => {
    const length = size(value);
    return (
      length === false ||
      (length >= least && length <= most) ||
      badLength(run, length < least, least, most, length, unit)
    );
  };
}
