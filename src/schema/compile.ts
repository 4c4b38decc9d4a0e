import type { Check, Run } from "./check.ts";
import { branchChecks } from "./check-branches.ts";
import { arrayChecks, objectChecks } from "./check-children.ts";
import { unevaluatedChecks } from "./check-unevaluated.ts";
import { scalarChecks } from "./check-values.ts";
import { given, typeList } from "./messages.ts";
import type { Schema } from "./schema.ts";
import { OBJECT, typeName, typesOf } from "./value.ts";

/** The checks of one schema, without those of the schemas in it, which are compiled when they are reached. */
export function compile(schema: Schema): readonly Check[] {
  if (schema.unusable) return [(_: unknown, run) => badSchema(run, "is no JSON Schema")];
  if (schema.raw === false) return [forbidden];
  return [
    ...typeChecks(schema),
    ...scalarChecks(schema),
    ...objectChecks(schema),
    ...arrayChecks(schema),
    ...branchChecks(schema),
    ...unevaluatedChecks(schema),
  ];
}

/** The schema itself is at fault. */
export function badSchema(run: Run, why: string): false {
  return run.fail("bad-schema", (name) => `${name} cannot be checked: the schema there ${why}.`);
}

function forbidden(value: unknown, run: Run): boolean {
  return notAllowed(run, typeName(value));
}

/** Nothing may stand here. */
export function notAllowed(run: Run, received: string): false {
  return run.fail("forbidden", (name) => `${name} must not be given.`, { received });
}

/** A value of another type; `came` says in words what was given, and is asked only for a problem that is told. */
export function wrongType(run: Run, { types, typeNames }: Schema, came: () => string, received: string): false {
  const kind = types === OBJECT && run.keys.length === 0 ? "not-an-object" : "wrong-type";
  return run.fail(kind, (name) => `${name} must be ${typeList(typeNames)}, but ${came()}.`, {
    expected: [...typeNames],
    received,
  });
}

function typeChecks(schema: Schema): Check[] {
  const { types, unknownType, typed } = schema;
  if (!typed) return [];
  if (unknownType !== undefined) {
    // The coerce profile lets anything pass where the type is unknown.
    return [(_: unknown, run) => run.relaxed || badSchema(run, `has the unknown type "${unknownType}"`)];
  }
  return [
    (value: unknown, run) => {
      return (typesOf(value) & types) !== 0 || wrongType(run, schema, () => given(value), typeName(value));
    },
  ];
}
