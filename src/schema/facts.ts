import { convertible } from "./convert.ts";
import type { Flat } from "./flatten.ts";
import { type Fork, roleOf } from "./fork.ts";
import type { Node, SchemaNode } from "./node.ts";
import type { Schema } from "./schema.ts";
import { ALL, ARRAY, BOOLEAN, bitsOf, INTEGER, NULL, NUMBER, OBJECT, STRING } from "./value.ts";

/** What a place knows of itself once `$ref` and `allOf` are followed. */
export interface Facts {
  /** Schemas that all hold. */
  all: readonly Schema[];
  forks: readonly Fork[];
  /** Types that a valid value may have. */
  mask: number;
  /** The types outside of the forks, to which a value of another type is converted; `ALL` where nothing is. */
  own: number;
  /** The names of these types, in the order of the schema. */
  names: readonly string[];
  /** Kinds of values that are held. */
  held: number;
  /** Nothing but types is said: what has the type fits. */
  bare: boolean;
  /** How many first elements of an array may have a schema of their own. */
  prefix: number;
}

export const NOTHING: Facts = { all: [], forks: [], mask: ALL, own: ALL, names: [], held: 0, bare: true, prefix: 0 };

/** Keywords by which a value of the right type may still not fit. */
const NARROWING =
  /^(?:enum|const|not|if|pattern|format|m(?:in|ax).*|exclusive.*|multipleOf|uniqueItems|contains|required|.*Propert.*|properties|items|.*Items|depend.*|\$dynamicRef)$/;

export function learn(flat: Flat, seedForks: readonly Fork[], nodeOf: (schema?: Schema) => Node): Facts {
  const { all } = flat;
  const forks: Fork[] = [...seedForks];
  for (const { branches, condition } of flat.choices) {
    const fork: Fork = { branches: branches.map((branch) => nodeOf(branch)) };
    if (condition) fork.condition = condition;
    else fork.schemas = branches as readonly Schema[];
    forks.push(fork);
  }
  let mask = ALL;
  let own = ALL;
  let literal = false;
  let prefix = 0;
  const declared: string[] = [];
  for (const schema of all) {
    mask &= schema.mask;
    own &= schema.types;
    literal ||= schema.literals !== undefined;
    prefix = Math.max(prefix, schema.prefix.length);
    declared.push(...schema.typeNames);
  }
  for (const { branches } of forks) {
    mask &= branches.reduce((bits, branch) => bits | branch.facts.mask, 0);
    for (const branch of branches) prefix = Math.max(prefix, branch.facts.prefix);
  }
  // A literal is taken literally: "1" is not in [1, 2], so nothing is converted beside enum and const.
  if (literal || own === 0) own = ALL;
  const names = [...new Set(declared)].filter((name) => {
    const bits = bitsOf(name) ?? 0;
    return bits !== 0 && (own & bits) === bits;
  });
  const bare =
    forks.length === 0 && all.every(({ raw, keywords }) => raw !== false && !Object.keys(keywords).some(narrows));
  return { all, forks, mask, own, names, held: heldOf(own, forks), bare, prefix };
}

/** May a value of the right type not fit because of this keyword? */
export function narrows(keyword: string): boolean {
  return NARROWING.test(keyword);
}

function heldOf(own: number, forks: readonly Fork[]): number {
  let held = 0;
  if (own !== ALL) {
    if (!(own & STRING) && convertible(STRING, own)) held |= STRING;
    // A fraction fits no integer, but a string beside it.
    if (own & INTEGER ? !(own & NUMBER) && own & STRING : convertible(NUMBER, own)) held |= NUMBER;
  }
  for (const fork of forks) {
    for (const kind of [NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT]) {
      if (roleOf(fork, kind) === "choose") held |= kind;
    }
  }
  return held;
}

/** How text is typed where these types are admitted. */
export function wireOf(mask: number): SchemaNode["wire"] {
  if (mask === ALL || mask === 0) return "open";
  if (!(mask & STRING)) return "json";
  return mask & NULL ? "text-or-null" : "text";
}
