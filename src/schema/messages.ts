import { short, typeName } from "./value.ts";

/** An argument as messages name it: `"box.rows[0]"`. */
export function nameOf(keys: readonly (string | number)[]): string {
  if (keys.length === 0) return "The arguments";
  let name = "";
  for (const key of keys) name += typeof key === "number" ? `[${key}]` : name === "" ? key : `.${key}`;
  return `"${name}"`;
}

/** `a string`, `an integer or null`. */
export function typeList(names: readonly string[]): string {
  return either(names.map(withArticle));
}

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** What came, for a value of the wrong type: `a string was given: "soon"`. */
export function given(value: unknown): string {
  return value === null ? "null was given" : `${withArticle(typeName(value))} was given: ${short(value)}`;
}

/** A number with its unit: `1 character`, `3 characters`. */
export function count(number: number, unit: string): string {
  return `${number} ${number === 1 ? unit : unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : `${unit}s`}`;
}

/** A literal of the schema, for the list of what would have been accepted: strings bare, the rest as JSON. */
export function literal(value: unknown): string {
  return typeof value === "string" ? value : short(value);
}

/** `a string`, `an integer`. */
export function withArticle(name: string): string {
  return name === "null" ? name : `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}
