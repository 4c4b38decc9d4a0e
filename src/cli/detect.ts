import { detectFormat, parse } from "../index.ts";
import { Bytes } from "./bytes.ts";
import { GgufError, isGguf, readGguf } from "./gguf.ts";
import { UsageError } from "./io.ts";
import { misuse } from "./options.ts";
import type { ExitCode, Task } from "./run.ts";
import { nameOf, readBytes, readWhole, textOf, withoutMark } from "./text.ts";

/** What a file says about a model. */
interface Model {
  /** Its chat templates, by name: the one for tools first. */
  templates: readonly Template[];
  /** What it is called, the most particular name first. */
  names: readonly string[];
}

interface Template {
  name: string;
  text: string;
}

/** How the format was found; `template` and `model` say by which of several. */
type Found =
  | { format: string; by: "template"; template: string }
  | { format: string; by: "model"; model: string }
  | { format: string; by: "output" };

/** Says which format a model writes: by its chat template, its name, or what it wrote. */
export async function detectCommand(task: Task): Promise<ExitCode> {
  const { flags, operand, io, out } = task;
  if (flags.output === true && flags.model !== undefined) throw misuse("--output and --model exclude each other.");
  const found =
    flags.output === true ? byOutput(await readWhole(operand, io)) : byModel(await modelOf(task), flags.model);
  if (flags.json === true) out.writeJson(found ?? { format: null }, 2);
  else if (found !== null) out.write(`${found.format}\n`);
  else io.stderr.write(`tool-call-parser: ${reasonFor(task, operand)} --format auto reads all formats.\n`);
  return found === null ? 1 : 0;
}

function reasonFor({ flags }: Task, operand: string | undefined): string {
  if (flags.output === true) return `${nameOf(operand)} has no call of a known format.`;
  if (operand === undefined && flags.model !== undefined)
    return `No known format has a model ${JSON.stringify(flags.model)}.`;
  return `${nameOf(operand)} tells of no known format.`;
}

/** What the output says under "auto": the format whose opener came. */
function byOutput(text: string): Found | null {
  const { format } = parse(text);
  return format === "auto" ? null : { format, by: "output" };
}

/** The templates are asked first, then the name that was given, then the file's own. */
function byModel({ templates, names }: Model, given: string | undefined): Found | null {
  for (const { name, text } of templates) {
    const format = detectFormat({ chatTemplate: text });
    if (format !== null) return { format, by: "template", template: name };
  }
  for (const model of given === undefined ? names : [given, ...names]) {
    const format = detectFormat({ model });
    if (format !== null) return { format, by: "model", model };
  }
  return null;
}

/** What is known of the model. With `--model` alone nothing is read. */
async function modelOf({ flags, operand, io }: Task): Promise<Model> {
  if (operand === undefined && flags.model !== undefined) return { templates: [], names: [] };
  const name = nameOf(operand);
  const bytes = new Bytes(readBytes(operand, io));
  try {
    if (await isGguf(bytes)) return fromGguf(await readGguf(bytes, isOfUse));
    const pieces: string[] = [];
    for await (const piece of textOf(bytes.rest(), name, io)) pieces.push(piece);
    return fromText(withoutMark(pieces.join("")), name);
  } catch (error) {
    throw error instanceof GgufError ? new UsageError(`${name} ${error.message}.`) : error;
  } finally {
    await bytes.close();
  }
}

// --- GGUF

const TEMPLATE = "tokenizer.chat_template";
const NAMES = ["general.name", "general.basename"];

function isOfUse(key: string): boolean {
  return key === TEMPLATE || key === `${TEMPLATE}s` || key.startsWith(`${TEMPLATE}.`) || NAMES.includes(key);
}

/** `tokenizer.chat_templates` names the templates that stand under `tokenizer.chat_template.NAME`. */
function fromGguf(metadata: Awaited<ReturnType<typeof readGguf>>): Model {
  const textAt = (key: string): string[] => {
    const value = metadata.get(key);
    return typeof value === "string" ? [value] : [];
  };
  const listed = metadata.get(`${TEMPLATE}s`);
  const others = [...metadata.keys()].flatMap((key) =>
    key.startsWith(`${TEMPLATE}.`) ? [key.slice(TEMPLATE.length + 1)] : [],
  );
  const order = new Set([...(Array.isArray(listed) ? (listed as string[]) : []), ...others]);
  const named = [...order].flatMap((name) => textAt(`${TEMPLATE}.${name}`).map((text) => ({ name, text })));
  const plain = textAt(TEMPLATE).map((text) => ({ name: "default", text }));
  return { templates: forToolsFirst([...plain, ...named]), names: NAMES.flatMap(textAt) };
}

// --- text

/** A JSON file of a tokenizer, or a template as it is. Templates begin with a brace as well. */
function fromText(text: string, name: string): Model {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    if (name.endsWith(".json")) throw new UsageError(`${name} is not valid JSON: ${(error as Error).message}.`);
    return { templates: [{ name: "default", text }], names: [] };
  }
  if (typeof config !== "object" || config === null) return { templates: [{ name: "default", text }], names: [] };
  const { chat_template, name_or_path, _name_or_path } = config as Record<string, unknown>;
  const names = [name_or_path, _name_or_path].filter((given) => typeof given === "string");
  return { templates: forToolsFirst(templatesIn(chat_template)), names };
}

/** One template, or a list of named ones, or an object that has them by name. */
function templatesIn(given: unknown): Template[] {
  if (typeof given === "string") return [{ name: "default", text: given }];
  if (typeof given !== "object" || given === null) return [];
  const named = Array.isArray(given)
    ? given.map((entry: { name?: unknown; template?: unknown } | null) => [entry?.name, entry?.template])
    : Object.entries(given);
  return named.flatMap(([name, text]) => (typeof text === "string" ? [{ name: String(name), text }] : []));
}

/** The one that is used when tools are offered, then the default one. */
function forToolsFirst(templates: readonly Template[]): Template[] {
  const rank = ({ name }: Template): number => (name === "tool_use" ? 0 : name === "default" ? 1 : 2);
  return [...templates].sort((a, b) => rank(a) - rank(b));
}
