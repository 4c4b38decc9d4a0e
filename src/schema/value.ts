/** JSON values: their types as bits, their names, equality, and short text of them for messages. */

export const NULL = 1;
export const BOOLEAN = 2;
export const INTEGER = 4;
export const NUMBER = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const ALL = 127;

/** A schema that admits numbers admits integers too, so `number` is two bits. */
const BITS: ReadonlyMap<string, number> = new Map([
  ["null", NULL],
  ["boolean", BOOLEAN],
  ["integer", INTEGER],
  ["number", NUMBER | INTEGER],
  ["string", STRING],
  ["array", ARRAY],
  ["object", OBJECT],
  ["any", ALL],
]);

/** The bits of a type name of JSON Schema; undefined for a name that JSON Schema does not have. */
export function bitsOf(name: string): number | undefined {
  return BITS.get(name);
}

/** The types that a value has: a whole number is an integer and a number. 0 for what JSON cannot carry. */
export function typesOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return STRING;
    case "number":
      return Number.isInteger(value) ? INTEGER | NUMBER : Number.isFinite(value) ? NUMBER : 0;
    case "boolean":
      return BOOLEAN;
    case "object":
      return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT;
    default:
      return 0;
  }
}

/** As `typesOf`, but one bit for one kind of JSON text: every number is `NUMBER`. */
export function kindOf(value: unknown): number {
  return typeof value === "number" ? NUMBER : typesOf(value);
}

/** The kind of the JSON text that begins with a character code, as `kindOf`. */
export function kindOfText(first: number): number {
  switch (first) {
    case 0x22:
      return STRING;
    case 0x7b:
      return OBJECT;
    case 0x5b:
      return ARRAY;
    case 0x74:
    case 0x66:
      return BOOLEAN;
    case 0x6e:
      return NULL;
    default:
      return NUMBER;
  }
}

/** What a value is called in a message. */
export function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own property, `__proto__` included. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/** Equality of JSON Schema: by value, the order of keys does not count. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal((a as never)[key], (b as never)[key]))
  );
}

/** A value as JSON text of at most about 60 UTF-16 units. */
export function short(value: unknown): string {
  // A long string or list is cut before it is written out: messages must not cost more than the check.
  let shown = value;
  if (typeof value === "string" && value.length > 60) shown = value.slice(0, 60);
  let text: string;
  try {
    text = JSON.stringify(shown) ?? String(shown);
  } catch {
    text = typeName(value);
  }
  if (shown !== value) return `${text.slice(0, -1)}…"`;
  return text.length > 62 ? `${text.slice(0, 60)}…` : text;
}

/** A JSON Pointer (RFC 6901) of keys and indexes. */
export function pointer(keys: readonly (string | number)[]): string {
  let path = "";
  for (const key of keys) {
    path += `/${typeof key === "number" ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return path;
}
