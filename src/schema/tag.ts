import { constOf, flatten } from "./flatten.ts";
import type { Schema } from "./schema.ts";
import { isObject, OBJECT } from "./value.ts";

/** The property that tells the branches of a union apart, and the branch of each of its values. */
export interface Tag {
  name: string;
  branches: ReadonlyMap<unknown, Schema>;
}

const known = new WeakMap<readonly Schema[], Tag | null>();

/** The tag of a union: a property for which every branch that admits objects has another constant. */
export function tagOf(branches: readonly Schema[]): Tag | null {
  let tag = known.get(branches);
  if (tag === undefined) {
    tag = findTag(branches);
    known.set(branches, tag);
  }
  return tag;
}

/** The branch that the value's tag picks. */
export function tagged(branches: readonly Schema[], value: unknown): Schema | undefined {
  if (!isObject(value)) return undefined;
  const tag = tagOf(branches);
  return tag && Object.hasOwn(value, tag.name) ? tag.branches.get(value[tag.name]) : undefined;
}

function findTag(branches: readonly Schema[]): Tag | null {
  const objects = branches.filter((branch) => flatten([branch]).all.every((schema) => schema.mask & OBJECT));
  if (objects.length < 2) return null;
  const names = flatten(objects.slice(0, 1)).all.flatMap((schema) => [...schema.map("properties").keys()]);
  for (const name of names) {
    const found = new Map<unknown, Schema>();
    for (const branch of objects) {
      const constant = constOf(branch, name);
      if (constant !== undefined) found.set(constant.value, branch);
    }
    if (found.size === objects.length) return { name, branches: found };
  }
  return null;
}
