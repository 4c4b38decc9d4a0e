import type { Problem } from "../events.ts";
import { type Declared, type ParametersSchema, readDeclaration } from "./declare.ts";
import { extraProblems, trimmed } from "./extras.ts";
import { type Node, prepareSchema } from "./node.ts";
import { finalProblems } from "./profiles.ts";
import { isObject, pointer, setOwn } from "./value.ts";

export interface ValidateOptions {
  /** `coerce` (default): what models write for a type is read as that type. `strict`: JSON Schema, nothing changes. */
  profile?: "coerce" | "strict" | undefined;
  /** `passthrough`: never fail; failing arguments stay as given, the others are coerced, problems become warnings. */
  onInvalid?: "fail" | "passthrough" | undefined;
  /** `forbid`: undeclared keys are problems at every depth, also where the schema does not say so. */
  extra?: "allow" | "forbid" | undefined;
  /** Trim strings at the top level and in lists. Default false: white space can matter. */
  trim?: boolean | undefined;
  /** Documents that a `$ref` may name, by URI. Nothing is ever fetched. */
  schemas?: Readonly<Record<string, unknown>> | undefined;
}

export type Validated<T = Record<string, unknown>> =
  | { ok: true; value: T; warnings: Problem[] }
  | { ok: false; problems: Problem[] };

interface Prepared {
  schemas: unknown;
  declared: Declared;
  node: Node;
}

const known = new WeakMap<object, Prepared>();

/**
 * Holds arguments against a JSON Schema (2020-12 or draft-07) or a Standard Schema.
 * The arguments are not changed: what is coerced is a copy. Prepared schemas are kept per schema object.
 * @returns the arguments, coerced, or all problems in the order of the schema.
 * @throws TypeError for a Standard Schema that answers with a promise; nothing else throws.
 * @example
 * validateArguments({ days: "3" }, { properties: { days: { type: "integer" } } })
 * // { ok: true, value: { days: 3 }, warnings: [] }
 */
export function validateArguments(args: unknown, schema: ParametersSchema, options: ValidateOptions = {}): Validated {
  const { declared, node } = prepare(schema, options.schemas);
  const relaxed = options.profile !== "strict";
  const given = options.trim ? trimmed(args) : args;
  const value = relaxed ? node.coerce(given) : given;
  const problems = finalProblems(declared, node.seeds[0], value, relaxed);
  if (options.extra === "forbid") {
    const told = new Set(problems.map(({ path }) => path));
    problems.push(...extraProblems(node, value).filter(({ path }) => !told.has(path)));
  }
  if (problems.length === 0) return { ok: true, value: value as Record<string, unknown>, warnings: [] };
  if (options.onInvalid !== "passthrough") return { ok: false, problems };
  return { ok: true, value: mixed(args, value, problems) as Record<string, unknown>, warnings: problems };
}

function prepare(schema: ParametersSchema, schemas: ValidateOptions["schemas"]): Prepared {
  const key = typeof schema === "object" ? schema : null;
  const kept = key && known.get(key);
  if (kept && kept.schemas === schemas) return kept;
  const declared = readDeclaration({ name: "the arguments", parameters: schema });
  const prepared: Prepared = { schemas, declared, node: prepareSchema(declared.schema, schemas) };
  if (key) known.set(key, prepared);
  return prepared;
}

/** The coerced arguments, with those that failed as they were given. */
function mixed(args: unknown, value: unknown, problems: readonly Problem[]): unknown {
  if (!isObject(args) || !isObject(value) || problems.some(({ path }) => path === "")) return args;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const path = pointer([key]);
    const failed = problems.some((problem) => problem.path === path || problem.path.startsWith(`${path}/`));
    setOwn(result, key, failed && Object.hasOwn(args, key) ? args[key] : value[key]);
  }
  return result;
}
