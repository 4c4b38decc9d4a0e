import { isObject } from "./value.ts";

/** A Standard Schema (Zod, Valibot, ArkType, ...), as far as it is used here. See https://standardschema.dev */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Must answer at once: a promise is refused. */
    readonly validate?: ((value: unknown) => unknown) | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> } | undefined;
  };
}

/** What may stand for the parameters of a tool: a JSON Schema (an object or a boolean), or a Standard Schema. */
export type ParametersSchema = Readonly<Record<string, unknown>> | StandardSchema | boolean | object | null | undefined;

/** The kernel form: a name, and arguments of the types `str`, `int`, `float` and `bool`. */
export interface KernelSchema {
  readonly name: string;
  readonly args: readonly KernelArgument[];
}

export interface KernelArgument {
  readonly name: string;
  readonly type: "str" | "int" | "float" | "bool";
  readonly required?: boolean | undefined;
}

/** OpenAI chat completions, and Ollama. */
export interface OpenAiTool {
  readonly type?: "function" | undefined;
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters?: ParametersSchema;
    readonly strict?: boolean | null | undefined;
  };
}

/** OpenAI responses, and the bare form. */
export interface PlainTool {
  readonly type?: "function" | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: ParametersSchema;
  readonly strict?: boolean | null | undefined;
}

export interface AnthropicTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly input_schema: ParametersSchema;
}

export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: ParametersSchema;
}

/** A tool, in any of the forms in which the field declares tools. */
export type ToolDeclaration = OpenAiTool | PlainTool | AnthropicTool | McpTool | KernelSchema;

/** A declaration, read. */
export interface Declared {
  name: string;
  /** JSON Schema of the arguments; undefined: anything goes. */
  schema: unknown;
  /** The kernel form, where the tool was declared in it. */
  kernel?: KernelSchema;
  /** Has the last word where the tool was declared with a Standard Schema. */
  standard?: (value: unknown) => unknown;
}

/** Two tools of one name. */
export function sameName(name: string, position: number): TypeError {
  return new TypeError(`tools[${position}]: there are two tools with the name ${JSON.stringify(name)}.`);
}

const KERNEL_TYPES: ReadonlyMap<string, string> = new Map([
  ["str", "string"],
  ["int", "integer"],
  ["float", "number"],
  ["bool", "boolean"],
]);

/**
 * Reads a declaration in any of the accepted forms.
 * @throws TypeError for one that is no declaration: the message says which (counted from 0), and why.
 * @example readDeclaration({ name: "wait", parameters: { type: "object" } }).name // "wait"
 */
export function readDeclaration(tool: ToolDeclaration, position = 0): Declared {
  const given: unknown = tool;
  if (!isObject(given)) throw new TypeError(`tools[${position}] must be an object that declares a tool.`);
  if ("function" in given && !isObject(given.function))
    throw new TypeError(`tools[${position}].function must be an object.`);
  const body = isObject(given.function) ? given.function : given;
  const { name } = body;
  if (typeof name !== "string" || name === "")
    throw new TypeError(`tools[${position}] has no name: it must be a string that is not empty.`);
  if ("args" in body && !("parameters" in body)) {
    const kernel = readKernel(body, `tools[${position}] (${JSON.stringify(name)})`);
    return { name, kernel, schema: kernelToJsonSchema(kernel) };
  }
  const schema = body.parameters ?? body.input_schema ?? body.inputSchema;
  const standard = (schema as Partial<StandardSchema> | null | undefined)?.["~standard"];
  if (standard === undefined) return { name, schema };
  const declared: Declared = { name, schema: standard.jsonSchema?.input({ target: "draft-2020-12" }) };
  if (standard.validate) declared.standard = standard.validate.bind(standard);
  return declared;
}

/**
 * A kernel schema, checked.
 * @throws TypeError where it is none.
 */
export function readKernel(schema: unknown, where = "The kernel schema"): KernelSchema {
  if (!isObject(schema) || typeof schema.name !== "string" || !Array.isArray(schema.args)) {
    throw new TypeError(`${where} must be { name, args: [{ name, type, required }] }.`);
  }
  const seen = new Set<string>();
  for (const argument of schema.args as unknown[]) {
    if (!isObject(argument) || typeof argument.name !== "string")
      throw new TypeError(`${where} has an argument without a name.`);
    const { name, type } = argument;
    if (typeof type !== "string" || !KERNEL_TYPES.has(type)) {
      throw new TypeError(
        `${where}: the argument "${name}" has the unknown type ${JSON.stringify(type)}; known are str, int, float and bool.`,
      );
    }
    if (seen.has(name)) throw new TypeError(`${where} declares the argument "${name}" twice.`);
    seen.add(name);
  }
  return schema as unknown as KernelSchema;
}

/** The same as JSON Schema. */
export function kernelToJsonSchema(kernel: KernelSchema): Record<string, unknown> {
  return {
    type: "object",
    // fromEntries defines its properties: `__proto__` is a name like any other.
    properties: Object.fromEntries(kernel.args.map(({ name, type }) => [name, { type: KERNEL_TYPES.get(type) }])),
    required: kernel.args.filter(({ required }) => required === true).map(({ name }) => name),
  };
}
