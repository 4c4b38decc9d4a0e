import { accepts, type Run } from "./check.ts";
import { type Node, nodeOf } from "./node.ts";
import type { Schema } from "./schema.ts";
import { tagged } from "./tag.ts";
import { ARRAY, INTEGER, kindOf, NUMBER, OBJECT } from "./value.ts";

/** A choice between nodes; under a condition the first is `then`, the second `else`. */
export interface Fork {
  branches: readonly Node[];
  /** The branches as schemas, where the fork stands in the document as it is. */
  schemas?: readonly Schema[];
  condition?: Schema;
  roles?: Map<number, Role>;
}

/** What a fork does to a value of one kind: nothing; what this one branch does to its children; or it must choose. */
export type Role = undefined | Node | "choose";

export function roleOf(fork: Fork, kind: number): Role {
  fork.roles ??= new Map();
  if (!fork.roles.has(kind)) fork.roles.set(kind, findRole(fork, kind));
  return fork.roles.get(kind);
}

function findRole(fork: Fork, kind: number): Role {
  const container = (kind & (OBJECT | ARRAY)) !== 0;
  const candidates = fork.condition ? fork.branches : candidatesOf(fork, kind);
  const holding = candidates.some((branch) => branch.facts.held & kind);
  if (!holding && !(container && candidates.some((branch) => !branch.plain))) return undefined;
  const [first] = candidates;
  if (first === undefined || holding) {
    // What fits a branch that asks for nothing but the type is left as it is, whatever the others would do.
    return !fork.condition && candidates.some((branch) => branch.facts.bare && admits(branch, kind))
      ? undefined
      : "choose";
  }
  if (candidates.every((branch) => branch === first || alike(branch, first, kind, 0))) return first;
  if (!fork.condition && candidates.some((branch) => branch.facts.bare)) return undefined;
  return "choose";
}

/** The branches that a value of this kind could belong to, as it is or coerced. */
function candidatesOf(fork: Fork, kind: number): readonly Node[] {
  return fork.branches.filter((branch) => admits(branch, kind) || branch.facts.held & kind);
}

function admits(branch: Node, kind: number): boolean {
  return (branch.facts.mask & (kind === NUMBER ? NUMBER | INTEGER : kind)) !== 0;
}

/**
 * The value as the branch takes it that it fits. A branch that it fits as it is wins whatever the order; then the
 * one that the tag picks; then the first that it fits once coerced.
 */
export function choose(fork: Fork, value: unknown, depth: number, run: Run): unknown {
  if (++run.steps > 100_000) run.exhausted = true;
  if (run.exhausted) return value;
  const { branches, schemas, condition } = fork;
  if (condition) {
    const holds = accepts(condition, value, run, false);
    const result = branches[holds ? 0 : 1]?.run(value, depth, run);
    return accepts(condition, result, run, false) === holds ? result : value;
  }
  const candidates = candidatesOf(fork, kindOf(value));
  if (candidates.length === 1) return candidates[0]?.run(value, depth, run);
  if (candidates.some((branch) => branch.accepts(value, run))) return value;
  const picked = schemas && tagged(schemas, value);
  if (picked) return nodeOf(picked).run(value, depth, run);
  for (const branch of candidates) {
    const result = branch.run(value, depth, run);
    if (result !== value && branch.accepts(result, run)) return result;
  }
  return value;
}

/** Do two places do the same to the children of a value of this kind? When in doubt, no. */
function alike(a: Node, b: Node, kind: number, depth: number): boolean {
  if (a === b || (a.plain && b.plain)) return true;
  if (depth > 4 || a.facts.forks.length + b.facts.forks.length > 0) return false;
  const schemas = [...a.facts.all, ...b.facts.all];
  if (kind === ARRAY) {
    const prefix = Math.max(a.facts.prefix, b.facts.prefix);
    if (prefix > 50) return false;
    return Array.from({ length: prefix + 1 }, (_, i) => i).every((i) => same(a.item(i), b.item(i), depth + 1));
  }
  if (schemas.some((schema) => schema.map("patternProperties").size > 0)) return false;
  const names = new Set(schemas.flatMap((schema) => [...schema.map("properties").keys()]));
  // A name that nobody declares, for additionalProperties.
  names.add("\0");
  return names.size <= 100 && [...names].every((name) => same(a.key(name), b.key(name), depth + 1));
}

function same(a: Node, b: Node, depth: number): boolean {
  if (a === b || (a.plain && b.plain)) return true;
  const [one, two] = [a.facts, b.facts];
  return (
    one.held === two.held &&
    one.own === two.own &&
    one.names.join() === two.names.join() &&
    alike(a, b, OBJECT, depth) &&
    alike(a, b, ARRAY, depth)
  );
}
