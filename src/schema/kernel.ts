import type { Problem } from "../events.ts";
import type { KernelSchema } from "./declare.ts";
import { type Members, readJsonText } from "./json-text.ts";
import { given, typeList } from "./messages.ts";
import { isObject, pointer, short, typeName } from "./value.ts";

/** An argument as the kernel checks it; without a type only its presence counts. */
interface Argument {
  name: string;
  type?: string;
  required: boolean;
}

const KERNEL_NAMES: ReadonlyMap<unknown, string> = new Map([
  ["string", "str"],
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
]);

/** What the kernel checks of a JSON Schema: string, integer, number and boolean stand for str, int, float and bool. */
export function kernelArguments(schema: unknown): Argument[] {
  if (!isObject(schema)) return [];
  const names = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const found = Object.entries(properties).map(([name, property]): Argument => {
    const type = isObject(property) ? KERNEL_NAMES.get(property.type) : undefined;
    return { name, required: names.includes(name), ...(type !== undefined && { type }) };
  });
  const others = names.filter((name) => !Object.hasOwn(properties, name));
  return [...found, ...others.map((name) => ({ name, required: true }))];
}

/** The arguments of the kernel form. */
export function declaredArguments({ args }: KernelSchema): Argument[] {
  return args.map(({ name, type, required }) => ({ name, type, required: required === true }));
}

/** The problems of arguments, in the order of the schema. `text` is their JSON text: how a number is written counts. */
export function kernelProblems(declared: readonly Argument[], args: Record<string, unknown>, text: string): Problem[] {
  const read = readJsonText(text);
  const members: Members = "members" in read ? read.members : new Map();
  const problems: Problem[] = [];
  for (const { name, type, required } of declared) {
    const path = pointer([name]);
    if (!Object.hasOwn(args, name)) {
      if (required)
        problems.push({ kind: "missing-required", path, message: `"${name}" is required, but it was not given.` });
      continue;
    }
    const value = args[name];
    const received = kernelType(value, members.get(name));
    if (
      type === undefined ||
      received === type ||
      (type === "float" && received === "int") ||
      (type === "str" && received === "string")
    ) {
      continue;
    }
    const came =
      received === "float" && type === "int" ? `${members.get(name) ?? short(value)} was given` : given(value);
    const message = `"${name}" must be ${typeList([LONG.get(type) ?? type])}, but ${came}.`;
    problems.push({ kind: "wrong-type", path, message, expected: [type], received });
  }
  return problems;
}

const LONG: ReadonlyMap<string, string> = new Map([...KERNEL_NAMES].map(([long, short]) => [short, String(long)]));

/** The type as the kernel names it; a number is an int if it is written as one. */
function kernelType(value: unknown, written: string | undefined): string {
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number") return typeName(value);
  if (!Number.isFinite(value)) return "infinity";
  return (written === undefined ? Number.isInteger(value) : /^-?\d+$/.test(written)) ? "int" : "float";
}
