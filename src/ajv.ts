import type { ParametersSchema, StandardSchema } from "./schema/declare.ts";

/** As much of an Ajv instance as is used here. */
export interface AjvLike {
  compile(schema: never): AjvCheck;
}

interface AjvCheck {
  (value: unknown): unknown;
  errors?: readonly { instancePath: string; message?: string | undefined }[] | null | undefined;
}

/**
 * Gives Ajv the last word on the arguments of tools, for servers that have it anyway.
 * Our own checks come first, and coercion stays ours: build Ajv without `coerceTypes`, with `strict: false` for the
 * schemas that real tools have, and with `allErrors: true`. A schema is compiled when its tool is first called.
 * @returns a function that makes of a JSON Schema what a tool declaration takes for one.
 * @throws at the first call of a tool, what Ajv throws for a schema that it cannot compile.
 * @example
 * const checked = ajvValidator(new Ajv2020({ strict: false, allErrors: true }));
 * createParser({ tools: [{ name: "wait", parameters: checked({ type: "object" }) }] });
 */
export function ajvValidator(ajv: AjvLike): (schema: Record<string, unknown>) => ParametersSchema {
  return (schema): StandardSchema => {
    let check: AjvCheck | undefined;
    const validate = (value: unknown): unknown => {
      check ??= ajv.compile(schema as never);
      const valid = check(value);
      // A promise, of an `$async` schema, is refused by who asked.
      if (valid === true || typeof valid !== "boolean") return valid === true ? { value } : valid;
      return {
        issues: (check.errors ?? []).map(({ instancePath, message }) => ({
          message: message ?? "is not valid",
          path: keysOf(instancePath),
        })),
      };
    };
    return { "~standard": { version: 1, vendor: "ajv", validate, jsonSchema: { input: () => schema } } };
  };
}

function keysOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
