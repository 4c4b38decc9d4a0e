import { demands, flatten } from "./flatten.ts";
import type { Schema } from "./schema.ts";
import { bitsOf, equal, isObject, OBJECT } from "./value.ts";
import { groupOf } from "./write-keywords.ts";

/** A schema as it is written. */
export type Keywords = Record<string, unknown>;

/** Type names as `type` has them: sorted, one alone as text; undefined where they admit everything. */
export function typeWords(names: Iterable<string>): string | string[] | undefined {
  const all = new Set(names);
  if (all.has("number")) all.delete("integer");
  if (all.size === 0 || all.has("any")) return undefined;
  const [first, ...rest] = [...all].sort();
  return rest.length === 0 ? first : [first as string, ...rest];
}

/** Two schemas that both hold, as one where that says the same; what only describes is taken from `own`. */
export function combined(base: Keywords, own: Keywords): Keywords {
  const constraints = Object.keys(own).filter((keyword) => groupOf(keyword) !== undefined);
  // What `base` has looked at is asked for where it stands: keywords beside it would be looked at too.
  const closed = "unevaluatedProperties" in base || "unevaluatedItems" in base;
  const clash = constraints.some((keyword) => {
    const { keywords } = groupOf(keyword) as { keywords: readonly string[] };
    if (keywords.length === 1 && keyword in base) return !equal(base[keyword], own[keyword]);
    return closed || keywords.some((other) => Object.hasOwn(base, other));
  });
  if (!clash) return { ...base, ...own };
  const others = Array.isArray(own.allOf) ? own.allOf : [];
  return { ...own, allOf: [base, ...others] };
}

/**
 * `X | null`, and unions with bare types in general, as one schema with a list of types: the keywords of X say nothing
 * about values of other types. Unions of which several branches say more than their type are left as they are.
 */
export function folded(schema: Keywords): Keywords {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every(isObject)) return schema;
  if (Object.keys(rest).some((keyword) => groupOf(keyword) !== undefined)) return schema;
  const rich = anyOf.filter((branch) => !isBare(branch));
  const names = anyOf.filter(isBare).flatMap(({ type }) => type as string | string[]);
  if (rich.length > 1 || names.length === 0) return schema;
  const { type, ...one } = rich[0] ?? { type: [] };
  const own = type === undefined ? undefined : knownTypes(type);
  if (type !== undefined && own === undefined) return schema;
  const onlyNull = names.every((name) => name === "null");
  for (const keyword of Object.keys(one)) {
    const group = groupOf(keyword);
    if (group === undefined || (onlyNull && (keyword === "enum" || keyword === "const"))) continue;
    const hit = group.type === "number" ? names.some((name) => name === "number" || name === "integer") : false;
    if (group.type === "" || hit || names.includes(group.type)) return schema;
  }
  // Without a type X admits null already, unless it lists its values.
  const words = own === undefined ? undefined : typeWords([...own, ...names]);
  const values = "const" in one ? [one.const] : one.enum;
  delete one.const;
  if (Array.isArray(values)) one.enum = values.includes(null) ? values : [...values, null];
  return { ...(words !== undefined && { type: words }), ...one, ...rest };
}

function isBare(branch: Keywords): boolean {
  const [keyword, ...more] = Object.keys(branch);
  return keyword === "type" && more.length === 0 && knownTypes(branch.type) !== undefined;
}

function knownTypes(type: unknown): string[] | undefined {
  const names = Array.isArray(type) ? type : [type];
  return names.every((name) => typeof name === "string" && bitsOf(name) !== undefined) ? names : undefined;
}

/** What one branch of a union admits, as far as it can be told from outside. */
interface Outline {
  mask: number;
  required: ReadonlySet<unknown>;
  /** The values that each property may have, where they are listed. */
  values: ReadonlyMap<string, readonly unknown[]>;
}

/** Can no value fit two of these branches? Told by their types, and by a required property with other constants in each. */
export function areExclusive(branches: readonly Schema[]): boolean {
  // Each is compared with each.
  if (branches.length > 200) return false;
  const outlines = branches.map(outlineOf);
  return outlines.every((one, i) => outlines.slice(i + 1).every((other) => !overlap(one, other)));
}

function overlap(one: Outline, other: Outline): boolean {
  const mask = one.mask & other.mask;
  if (mask !== OBJECT) return mask !== 0;
  for (const [name, values] of one.values) {
    const others = other.values.get(name);
    if (others === undefined || !one.required.has(name) || !other.required.has(name)) continue;
    if (!values.some((value) => others.some((another) => equal(value, another)))) return false;
  }
  return true;
}

function outlineOf(branch: Schema): Outline {
  const { all } = flatten([branch]);
  const mask = all.reduce((bits, schema) => bits & schema.mask, -1);
  const values = new Map<string, readonly unknown[]>();
  for (const schema of all) {
    for (const [name, property] of schema.map("properties")) {
      for (const { literals, keywords } of flatten([property]).all) {
        if (literals) values.set(name, keywords.nullable === true ? [...literals, null] : literals);
      }
    }
  }
  return { mask, required: demands(branch), values };
}
