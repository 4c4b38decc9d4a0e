import { type OutputUnit, type Schema as RawSchema, Validator } from "@cfworker/json-schema";
import type { Problem } from "../events.ts";
import { problemsOf } from "./check.ts";
import type { Document } from "./document.ts";
import { nameOf } from "./messages.ts";
import type { Schema } from "./schema.ts";

const validators = new WeakMap<Document, Validator | null>();

/**
 * All problems of a value: those that our own checks find. For a schema with a keyword that they do not decide, the
 * full validator has the last word under strict; the coerce profile lets pass what it does not know.
 */
export function allProblems(schema: Schema, value: unknown, relaxed: boolean): Problem[] {
  const problems = problemsOf(schema, value, relaxed);
  if (relaxed || !schema.document.rare) return problems;
  const units = fullErrors(schema.document, value);
  if (units === null || units.length === 0) return units ? [] : problems.length > 0 ? problems : [refused()];
  return problems.length > 0 ? problems : units.slice(0, 1).map(problemOf);
}

/** The errors of the full validator; null where the schema is more than it can take. */
function fullErrors(document: Document, value: unknown): OutputUnit[] | null {
  try {
    let validator = validators.get(document);
    if (validator === undefined) {
      validators.set(document, null);
      // It writes into the schema, so it gets a copy.
      const copy = JSON.parse(JSON.stringify(document.root.raw)) as RawSchema;
      validator = document.tame ? new Validator(copy, document.root.resource.old ? "7" : "2020-12", false) : null;
      for (const [uri, other] of Object.entries(document.others))
        validator?.addSchema(JSON.parse(JSON.stringify(other)), uri);
      validators.set(document, validator);
    }
    return validator?.validate(value).errors ?? null;
  } catch {
    return null;
  }
}

function refused(): Problem {
  const message = "The arguments cannot be checked: the schema is more than the validator can take.";
  return { kind: "bad-schema", path: "", message };
}

function problemOf({ instanceLocation, error }: OutputUnit): Problem {
  const path = instanceLocation.replace(/^#/, "");
  const keys = path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return { kind: "forbidden", path, message: `${nameOf(keys)} does not fit the schema: ${error}` };
}
