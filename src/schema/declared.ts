import { declaredSchemas } from "./flatten.ts";
import type { Node, SchemaNode } from "./node.ts";
import type { Schema } from "./schema.ts";
import { ARRAY, OBJECT } from "./value.ts";

/** Does the schema name this property, perhaps in one branch of a union? */
export function declaresProperty(node: SchemaNode, name: string): boolean {
  return says(node, (schema) => declaredSchemas(schema, name).length > 0);
}

/** Does a schema that may hold at this place pass the test? */
export function says(node: SchemaNode, test: (schema: Schema) => boolean): boolean {
  // Unions lead to themselves, and to each other many times over: each place is looked at once.
  const seen = new Set([node as Node]);
  for (const { facts } of seen) {
    if (facts.all.some(test)) return true;
    for (const { branches } of facts.forks) for (const branch of branches) seen.add(branch);
  }
  return false;
}

/** The JSON of an empty value at this place, where a list or an object is expected; null where neither is. */
export function emptyText(node: SchemaNode): string | null {
  const { mask } = (node as Node).facts;
  if (mask & ARRAY) return "[]";
  return mask & OBJECT ? "{}" : null;
}
