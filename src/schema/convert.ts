import { ARRAY, BOOLEAN, bitsOf, INTEGER, kindOf, NUMBER, OBJECT, STRING } from "./value.ts";

const WHOLE = /^\s*[+-]?\d+(?:\.0*)?\s*$/;
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
const TRUE = /^(?:true|yes|on|y|t|1)$/i;
const FALSE = /^(?:false|no|off|n|f|0)$/i;

/** Could a value of this kind, which fits none of the types, become one of them? */
export function convertible(kind: number, types: number): boolean {
  if (kind === STRING) return (types & (INTEGER | NUMBER | BOOLEAN | ARRAY | OBJECT)) !== 0;
  return kind === NUMBER && (types & (STRING | BOOLEAN)) !== 0;
}

/**
 * A value that fits none of the types, as the first of them (in the order of the schema) that it can be read as;
 * the same value where there is none. Booleans and nulls become nothing else, nothing becomes null, and an integer
 * past 2^53 is left alone: its digits are lost, or would be.
 */
export function convert(value: unknown, names: readonly string[]): unknown {
  for (const name of names) {
    const read = typeof value === "string" ? readText(value, name) : readNumber(value, name);
    if (read !== undefined) return read;
  }
  return value;
}

function readText(text: string, name: string): unknown {
  switch (name) {
    case "integer":
      return WHOLE.test(text) ? safe(Number(text)) : undefined;
    case "number":
      return NUMERIC.test(text) ? safe(Number(text)) : undefined;
    case "boolean":
      return TRUE.test(text) ? true : FALSE.test(text) ? false : undefined;
    case "array":
    case "object":
      return decode(text, bitsOf(name) ?? 0);
    default:
      return undefined;
  }
}

function readNumber(value: unknown, name: string): unknown {
  if (typeof value !== "number") return undefined;
  if (name === "string") return safe(value) === undefined ? undefined : String(value);
  if (name === "boolean") return value === 1 ? true : value === 0 ? false : undefined;
  return undefined;
}

function safe(value: number): number | undefined {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : undefined;
}

/** JSON text of a list or an object, decoded once: models write it, and no tool wants the text. */
function decode(text: string, kind: number): unknown {
  if (!(kind === ARRAY ? /^\s*\[/ : /^\s*\{/).test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return kindOf(value) === kind ? value : undefined;
  } catch {
    return undefined;
  }
}
