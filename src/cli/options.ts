import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createParser, type Format, getFormat, type ParserOptions, type Validation } from "../index.ts";
import { type Io, UsageError } from "./io.ts";
import { readJsonFile } from "./text.ts";

export const COMMANDS = ["parse", "render", "formats", "detect", "validate", "serve"] as const;
export type Command = (typeof COMMANDS)[number];

const OPTIONS = {
  format: { type: "string" },
  tools: { type: "string" },
  prefill: { type: "string" },
  validation: { type: "string" },
  "no-repair": { type: "boolean" },
  "cut-off": { type: "boolean" },
  json: { type: "boolean" },
  events: { type: "boolean" },
  ndjson: { type: "boolean" },
  model: { type: "string" },
  output: { type: "boolean" },
  schema: { type: "string" },
  profile: { type: "string" },
  upstream: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  mode: { type: "string" },
  retry: { type: "string" },
  rejected: { type: "string" },
  timeout: { type: "string" },
  "keep-alive": { type: "string" },
  "max-body": { type: "string" },
  "max-header": { type: "string" },
  drain: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

type Option = keyof typeof OPTIONS;

export type Flags = {
  [O in Option]?: (typeof OPTIONS)[O]["type"] extends "string" ? string : boolean;
};

/** The options that mean something to a command, beside `--help` and `--version`. */
const TAKES: Readonly<Record<Command, readonly Option[]>> = {
  parse: ["format", "tools", "prefill", "validation", "no-repair", "cut-off", "json", "events", "ndjson"],
  render: ["format", "tools"],
  formats: ["json"],
  detect: ["model", "output", "json"],
  validate: ["schema", "profile", "json"],
  serve: [
    ...(["upstream", "host", "port", "mode", "format", "validation", "no-repair", "retry", "rejected"] as const),
    ...(["timeout", "keep-alive", "max-body", "max-header", "drain"] as const),
  ],
};

export interface CommandLine {
  command: Command;
  flags: Flags;
  /** The one operand: a file, or for `formats` a name. */
  operand: string | undefined;
}

/**
 * Reads the arguments of the program.
 * @throws {UsageError}
 */
export function readCommandLine(args: string[]): CommandLine {
  const { values: flags, positionals } = split(args);
  const named = COMMANDS.find((command) => command === positionals[0]);
  const command = named ?? "parse";
  const operands = named === undefined ? positionals : positionals.slice(1);
  if (flags.help !== true && flags.version !== true) {
    if (operands.length > 1)
      throw misuse(`One file at a time, but ${operands.length} were given: ${operands.join(", ")}.`);
    const foreign = (Object.keys(flags) as Option[]).find((option) => !TAKES[command].includes(option));
    if (foreign !== undefined) throw misuse(`--${foreign} means nothing to ${command}.`);
  }
  return { command, flags, operand: operands[0] };
}

function split(args: string[]): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // Node's message goes on with advice that does not fit everywhere.
    throw misuse(`${(error as Error).message.split(/\. |\n/)[0]?.replace(/\.$/, "")}.`);
  }
}

/** Wrong options are looked up in the help, wrong files are not. */
export function misuse(message: string): UsageError {
  return new UsageError(`${message}\nTry tool-call-parser --help.`);
}

/** The value of an option that has only a few. */
export function choice<T extends string>(option: Option, given: unknown, known: readonly T[]): T | undefined {
  if (given === undefined) return undefined;
  const found = known.find((value) => value === given);
  if (found === undefined) throw misuse(`--${option} is one of ${known.join(", ")}, not ${JSON.stringify(given)}.`);
  return found;
}

/** The value of an option that is a whole number. */
export function wholeNumber(
  option: Option,
  given: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= least && value <= most) return value;
  throw misuse(`--${option} is a whole number from ${least} to ${most}, not ${JSON.stringify(given)}.`);
}

const VALIDATIONS: readonly Validation[] = ["coerce", "strict", "lenient", "kernel", "none"];

/** What the flags say to the parser. */
export async function parserOptions(flags: Flags, io: Io): Promise<ParserOptions> {
  const options: ParserOptions = {
    format: flags.format === undefined ? "auto" : await loadFormat(flags.format),
    tools: flags.tools === undefined ? undefined : await loadTools(flags.tools, io),
    prefill: flags.prefill,
    validation: choice("validation", flags.validation, VALIDATIONS),
    repair: flags["no-repair"] !== true,
  };
  usable(() => createParser(options));
  return options;
}

/** A format by its name or alias, or a module that exports one: `./my-format.mjs`. */
export async function loadFormat(given: string): Promise<Format | "auto"> {
  if (given === "auto") return given;
  if (!/[/\\]|\.[cm]?[jt]s$/.test(given)) return usable(() => getFormat(given));
  let module: { default?: unknown; format?: unknown };
  try {
    module = await import(pathToFileURL(resolve(given)).href);
  } catch (error) {
    throw new UsageError(`${given} cannot be loaded: ${(error as Error).message}`);
  }
  const format = (module.default ?? module.format) as Partial<Format> | undefined;
  if (typeof format?.declaration !== "object") {
    throw new UsageError(
      `${given} exports no format: export what defineFormat() returns, as "format" or as the default.`,
    );
  }
  return format as Format;
}

/** A file of tool declarations: a list of them, a request that has them under `tools`, or a single one. */
export async function loadTools(path: string, io: Io): Promise<NonNullable<ParserOptions["tools"]>> {
  const tools = toolList(await readJsonFile(path, io));
  usable(() => createParser({ tools }), path);
  return tools;
}

/** The declarations in what a file or a record gives for tools. */
export function toolList(given: unknown): NonNullable<ParserOptions["tools"]> {
  if (Array.isArray(given)) return given;
  const { tools } = (given ?? {}) as { tools?: unknown };
  return Array.isArray(tools) ? tools : ([given] as NonNullable<ParserOptions["tools"]>);
}

/** What the library throws here is about the command line. */
export function usable<T>(make: () => T, where?: string): T {
  try {
    return make();
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(where === undefined ? message : `${where}: ${message}`);
  }
}
