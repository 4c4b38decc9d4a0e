import type { Problem } from "../events.ts";
import { given, typeList } from "./messages.ts";
import { isObject, pointer, typeName } from "./value.ts";

const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
/** What Perl's `looks_like_number` takes beside numerals. */
const NUMBER_WORD = /^\s*[+-]?(?:inf(?:inity)?|nan)\s*$/i;

/** Does a value pass for a type? Far from strict: what text formats and small models write for it is let through. */
const PASSES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string" || typeof value === "number"],
  ["number", (value) => number(value) !== undefined],
  ["integer", (value) => Number.isInteger(number(value))],
  ["boolean", (value) => typeof value === "boolean" || value === 0 || value === 1 || value === "0" || value === "1"],
  ["object", isObject],
  ["array", Array.isArray],
  ["null", (value) => value === null],
]);

/**
 * The lenient check: what is required must be there, and the types of the top level must be about right. Numeric text
 * passes for a number, null for "not given"; enum, bounds, nested schemas and undeclared arguments are not checked.
 * @param inputSchema The JSON Schema of the arguments; anything else means that nothing is checked.
 * @param args The arguments; they are not changed. null and undefined count as `{}`.
 * @returns all problems: missing arguments in the order of `required`, then wrong types by name. Never throws.
 * @example toolArgumentProblems({ required: ["city"] }, {}) // [{ kind: "missing-required", path: "/city", ... }]
 */
export function toolArgumentProblems(inputSchema: unknown, args: unknown): Problem[] {
  if (!isObject(inputSchema)) return [];
  const { type } = inputSchema;
  const explicit = type === "object" || (Array.isArray(type) && type.includes("object"));
  if (type && !explicit) return [];
  const given = args ?? {};
  if (!isObject(given)) return explicit ? [notAnObject(given)] : [];
  const required = (Array.isArray(inputSchema.required) ? inputSchema.required : [])
    .filter((name) => name !== null && typeof name !== "object")
    .map(String);
  const missing = required.filter((name) => !Object.hasOwn(given, name)).map(missingRequired);
  return [...missing, ...wrongTypes(inputSchema.properties, given, new Set(required))];
}

function wrongTypes(properties: unknown, args: Record<string, unknown>, required: ReadonlySet<string>): Problem[] {
  if (!isObject(properties)) return [];
  const problems: Problem[] = [];
  for (const name of Object.keys(args).sort(byCodePoint)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = args[name];
    if (!isObject(property) || !property.type || (value === null && !required.has(name))) continue;
    const types: unknown[] = Array.isArray(property.type) ? property.type : [property.type];
    const known = types.filter((type) => PASSES.has(type));
    if (known.length > 0 && !known.some((type) => PASSES.get(type)?.(value))) {
      problems.push(wrongType(name, value, types.map(String)));
    }
  }
  return problems;
}

function number(value: unknown): number | undefined {
  const read = typeof value === "string" && NUMERIC.test(value) ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

function byCodePoint(a: string, b: string): number {
  const [one, two] = [[...a], [...b]];
  const at = one.findIndex((character, i) => character !== two[i]);
  if (at < 0) return one.length - two.length;
  return (one[at]?.codePointAt(0) ?? 0) - (two[at]?.codePointAt(0) ?? -1);
}

function notAnObject(value: unknown): Problem {
  const message = `The arguments must be an object, but ${given(value)}.`;
  return { kind: "not-an-object", path: "", message, expected: ["object"], received: typeName(value) };
}

function missingRequired(name: string): Problem {
  return { kind: "missing-required", path: pointer([name]), message: `"${name}" is required, but it was not given.` };
}

function wrongType(name: string, value: unknown, expected: string[]): Problem {
  const message = `"${name}" must be ${typeList(expected)}, but ${given(value)}.`;
  const numeric = typeof value === "string" && (NUMERIC.test(value) || NUMBER_WORD.test(value));
  return {
    kind: "wrong-type",
    path: pointer([name]),
    message,
    expected,
    received: numeric ? "number" : typeName(value),
  };
}
