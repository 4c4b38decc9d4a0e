import type { Schema } from "./schema.ts";

/** Branches of which a value takes one: `anyOf`, `oneOf`, or `then` and `else` under the condition of `if`. */
export interface Choice {
  branches: readonly (Schema | undefined)[];
  condition?: Schema;
}

/** What a schema says once `$ref` and `allOf` are followed: schemas that all hold, and choices that are open. */
export interface Flat {
  all: Schema[];
  choices: Choice[];
}

/** Follows `$ref` and `allOf` from some schemas that all hold. A cycle ends where it closes. */
export function flatten(seeds: readonly Schema[]): Flat {
  const seen = new Set<Schema>();
  const choices: Choice[] = [];
  const visit = (schema: Schema): void => {
    // Hundreds of schemas that hold for one value: a hostile document. The rest changes nothing, and is checked.
    if (seen.has(schema) || seen.size > 200) return;
    seen.add(schema);
    if (schema.target) visit(schema.target);
    if (schema.dynamic) visit(schema.dynamic);
    schema.list("allOf").forEach(visit);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = schema.list(keyword);
      if (branches.length > 0) choices.push({ branches });
    }
    const condition = schema.sub("if");
    if (condition) choices.push({ branches: [schema.sub("then"), schema.sub("else")], condition });
  };
  seeds.forEach(visit);
  return { all: [...seen], choices };
}

/** The schemas that hold for a property, as far as one schema says. */
export function propertySchemas(schema: Schema, name: string): Schema[] {
  const declared = declaredSchemas(schema, name);
  const rest = declared.length === 0 ? schema.sub("additionalProperties") : undefined;
  return rest ? [rest] : declared;
}

/** As `propertySchemas`, without `additionalProperties`. */
export function declaredSchemas(schema: Schema, name: string): Schema[] {
  const own = schema.map("properties").get(name);
  const found = own ? [own] : [];
  for (const [pattern, matched] of schema.map("patternProperties")) {
    if (schema.document.pattern(pattern)?.test(name)) found.push(matched);
  }
  return found;
}

/** The schema that holds for an element of an array, as far as one schema says. */
export function itemSchema(schema: Schema, index: number): readonly Schema[] {
  const found = schema.prefix[index] ?? schema.rest;
  return found ? [found] : [];
}

const demanded = new WeakMap<Schema, ReadonlySet<unknown>>();

/** The names that a schema requires, `$ref` and `allOf` followed. */
export function demands(schema: Schema): ReadonlySet<unknown> {
  let names = demanded.get(schema);
  if (names === undefined) {
    const lists = flatten([schema]).all.map(({ keywords }) => keywords.required);
    names = new Set(lists.flatMap((list) => (Array.isArray(list) ? list : [])));
    demanded.set(schema, names);
  }
  return names;
}

/** Does the schema declare a default other than null? Then null does not stand for "not given". */
export function hasDefault(schema: Schema): boolean {
  return flatten([schema]).all.some(({ keywords }) => (keywords.default ?? null) !== null);
}

/** The one value that a schema leaves a property, boxed; undefined where it leaves several. */
export function constOf(branch: Schema, name: string): { value: unknown } | undefined {
  for (const schema of flatten([branch]).all) {
    const own = schema.map("properties").get(name);
    for (const { literals } of own ? flatten([own]).all : []) {
      if (literals?.length === 1) return { value: literals[0] };
    }
  }
  return undefined;
}
