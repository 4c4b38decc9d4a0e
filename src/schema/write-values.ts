import type { Schema } from "./schema.ts";
import { isObject, setOwn } from "./value.ts";

const NUMBERS = new Set(
  "minimum maximum multipleOf minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties".split(
    " ",
  ),
);
const TEXTS = new Set(["pattern", "format", "description"]);

/** A keyword that holds no schema, as 2020-12 writes it; undefined where it says nothing. */
export function plain(keyword: string, value: unknown, { keywords }: Schema): unknown {
  if (TEXTS.has(keyword)) return typeof value === "string" ? value : undefined;
  if (keyword === "required") return Array.isArray(value) ? names(value) : undefined;
  if (keyword === "uniqueItems") return value === true ? true : undefined;
  if (keyword === "dependentRequired") {
    if (!isObject(value)) return undefined;
    const lists = Object.entries(value).filter(([, list]) => Array.isArray(list)) as [string, unknown[]][];
    return Object.fromEntries(lists.map(([name, list]) => [name, names(list)]));
  }
  if (keyword === "exclusiveMinimum" || keyword === "exclusiveMaximum") {
    // Draft-04: the number stands beside it.
    const bound = value === true ? keywords[keyword === "exclusiveMinimum" ? "minimum" : "maximum"] : value;
    return typeof bound === "number" ? bound : undefined;
  }
  if (!NUMBERS.has(keyword)) return copy(value);
  if (keyword === "minimum" && keywords.exclusiveMinimum === true) return undefined;
  if (keyword === "maximum" && keywords.exclusiveMaximum === true) return undefined;
  return typeof value === "number" && !(keyword === "multipleOf" && value <= 0) ? value : undefined;
}

export function names(list: readonly unknown[]): unknown[] {
  return [...new Set(list.filter((name) => typeof name === "string"))];
}

/** A JSON value again, so that nothing is shared with the declaration that was given. */
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  const written: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value)) setOwn(written, key, copy(one));
  return written;
}
