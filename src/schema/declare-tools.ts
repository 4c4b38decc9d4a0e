import { readDeclaration, sameName, type ToolDeclaration } from "./declare.ts";
import { Document } from "./document.ts";
import { bitsOf, isObject } from "./value.ts";
import { NotWritable, SchemaWriter } from "./write-schema.ts";
import { forTarget, type Loss } from "./write-target.ts";
import type { Keywords } from "./write-unions.ts";
import { copy } from "./write-values.ts";

/** Who is told of the tools. `openai` is the form of chat completions, which `ollama` and `llama.cpp` take too. */
export type DeclarationTarget = "openai" | "anthropic" | "mcp" | "ollama" | "llama.cpp";

/** The JSON Schema of a tool's arguments, in the words of 2020-12. */
export interface DeclaredSchema {
  type: "object";
  properties: Record<string, object>;
  [keyword: string]: unknown;
}

/** A tool as OpenAI's chat completions, Ollama and llama.cpp take it. */
export interface DeclaredFunction {
  type: "function";
  function: { name: string; description?: string; parameters: DeclaredSchema; strict?: boolean };
}

/** A tool as Anthropic's messages take it. */
export interface DeclaredAnthropicTool {
  name: string;
  description?: string;
  input_schema: DeclaredSchema;
}

/** A tool as an MCP server lists it. */
export interface DeclaredMcpTool {
  name: string;
  description?: string;
  inputSchema: DeclaredSchema;
}

/** A tool, as a target takes it. */
export type DeclaredTool<T extends DeclarationTarget = DeclarationTarget> = T extends "anthropic"
  ? DeclaredAnthropicTool
  : T extends "mcp"
    ? DeclaredMcpTool
    : DeclaredFunction;

/** A keyword that the target cannot carry. The model is not told of it; validation still holds the arguments against it. */
export interface LostKeyword {
  /** The name of the tool. */
  tool: string;
  /** JSON Pointer to the schema that has the keyword, in the parameters as a target that loses nothing gets them. */
  path: string;
  /** The keyword; "" where it is the schema as a whole. */
  keyword: string;
  message: string;
}

/** What `declareTools` gives. */
export interface ToolDeclarations<T extends DeclarationTarget = DeclarationTarget> {
  /** To be handed to the client of the target as they are. They share nothing with the declarations that were given. */
  tools: DeclaredTool<T>[];
  /** What the target cannot carry, in the order of the tools; empty: the model is told all that is validated. */
  lost: LostKeyword[];
}

const TARGETS: ReadonlySet<string> = new Set(["openai", "anthropic", "mcp", "ollama", "llama.cpp"]);

/**
 * Writes tool declarations for a target, from any of the accepted forms. The schema that is written accepts the same
 * arguments as the one that was given, and says so in JSON Schema 2020-12: what a `$ref` names stands in its place (only
 * what contains itself stays a `$ref` into `$defs`), `X | null` is one schema, and a union told apart by a constant is an
 * `anyOf`. Nothing that was given is changed.
 *
 * @returns the tools, and what the target cannot carry.
 * @throws TypeError for a malformed declaration, two tools of one name, or an unknown target; nothing else throws.
 * @example
 * const { tools, lost } = declareTools([{ name: "wait", parameters: { properties: { s: { type: "integer", minimum: 1 } } } }], "ollama");
 * tools[0].function.parameters // { type: "object", properties: { s: { type: "integer" } } }
 * lost // [{ tool: "wait", path: "/properties/s", keyword: "minimum", message: … }]
 */
export function declareTools<T extends DeclarationTarget>(
  tools: readonly ToolDeclaration[],
  target: T,
): ToolDeclarations<T> {
  if (!TARGETS.has(target)) {
    throw new TypeError(`The target ${JSON.stringify(target)} is unknown; known are ${[...TARGETS].join(", ")}.`);
  }
  const seen = new Set<string>();
  const lost: LostKeyword[] = [];
  const written = tools.map((tool, position) => {
    const { name, schema, standard } = readDeclaration(tool, position);
    if (seen.has(name)) throw sameName(name, position);
    seen.add(name);
    const losses: Loss[] = [];
    if (standard && schema === undefined) {
      const message = "The Standard Schema has no JSON Schema: nothing can be told of the arguments.";
      losses.push({ path: "", keyword: "", message });
    }
    const parameters = writeParameters(schema, target, losses);
    lost.push(...losses.map((loss) => ({ tool: name, ...loss })));
    return inForm(target, name, tool, parameters);
  });
  return { tools: written as DeclaredTool<T>[], lost };
}

function inForm(
  target: DeclarationTarget,
  name: string,
  tool: ToolDeclaration,
  parameters: DeclaredSchema,
): DeclaredTool {
  const body = ("function" in tool ? tool.function : tool) as { description?: unknown; strict?: unknown };
  const head = { name, ...(typeof body.description === "string" && { description: body.description }) };
  if (target === "anthropic") return { ...head, input_schema: parameters };
  if (target === "mcp") return { ...head, inputSchema: parameters };
  const strict = target === "openai" && typeof body.strict === "boolean" && { strict: body.strict };
  return { type: "function", function: { ...head, parameters, ...strict } };
}

/** The schema of the arguments, for a target. */
function writeParameters(schema: unknown, target: DeclarationTarget, lost: Loss[]): DeclaredSchema {
  // What is no schema at the root is read as "anything goes" by the validator too.
  const raw = isObject(schema) || typeof schema === "boolean" ? schema : true;
  try {
    const document = new Document(raw);
    const root = rooted(write(document, raw, target));
    return forTarget(root, target, lost) as DeclaredSchema;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    lost.push({ path: "", keyword: "", message: "The schema is nested too deeply to be written." });
    return { type: "object", properties: {} };
  }
}

function write(document: Document, raw: object | boolean, target: DeclarationTarget): Keywords {
  try {
    return new SchemaWriter(document, target === "ollama").root();
  } catch (error) {
    if (!(error instanceof NotWritable)) throw error;
    return copy(raw) as Keywords;
  }
}

/** Arguments are an object, and every target wants that said at the root, with `properties`. */
function rooted({ type, properties, ...rest }: Keywords): Keywords {
  const names = Array.isArray(type) ? type : [type ?? "object"];
  // A type that JSON Schema does not have stays: the schema is at fault, and validation says so.
  const known = names.every((name) => bitsOf(String(name)) !== undefined);
  // No object fits, so no call can be valid; said with keywords that nobody refuses.
  if (known && !names.includes("object")) return { type: "object", properties: {}, minProperties: 1, maxProperties: 0 };
  return { type: known ? "object" : type, properties: isObject(properties) ? properties : {}, ...rest };
}
