import { createRequire } from "node:module";
import { detectCommand } from "./detect.ts";
import { formatsCommand } from "./formats.ts";
import { HELP } from "./help.ts";
import { type Io, Output, UsageError } from "./io.ts";
import { type Command, type Flags, readCommandLine } from "./options.ts";
import { parseCommand } from "./parse.ts";
import { recordsCommand } from "./records.ts";
import { renderCommand } from "./render.ts";
import { serveCommand } from "./serve.ts";
import { validateCommand } from "./validate.ts";

/** What a command gets. */
export interface Task {
  flags: Flags;
  operand: string | undefined;
  io: Io;
  out: Output;
}

/** 0: nothing rejected. 1: something rejected, or no format found. 2: wrong use. */
export type ExitCode = 0 | 1 | 2;

const COMMANDS: Readonly<Record<Command, (task: Task) => Promise<ExitCode>>> = {
  parse: (task) => (task.flags.ndjson === true ? recordsCommand(task) : parseCommand(task)),
  render: renderCommand,
  formats: formatsCommand,
  detect: detectCommand,
  validate: validateCommand,
  serve: serveCommand,
};

/**
 * Runs the command line.
 * @returns the exit code, and whether whoever read the output has gone.
 */
export async function run(args: string[], io: Io): Promise<{ code: ExitCode; closed: boolean }> {
  const out = new Output(io.stdout);
  try {
    const code = await Promise.race([perform(args, io, out), out.closed]);
    return code === "closed" ? { code: 0, closed: true } : { code, closed: false };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`tool-call-parser: ${error.message}\n`);
    return { code: 2, closed: false };
  }
}

async function perform(args: string[], io: Io, out: Output): Promise<ExitCode> {
  const { command, flags, operand } = readCommandLine(args);
  if (flags.help === true) out.write(HELP);
  else if (flags.version === true) out.write(`${version()}\n`);
  else return COMMANDS[command]({ flags, operand, io, out });
  return 0;
}

function version(): string {
  const { version } = createRequire(import.meta.url)("tool-call-parser/package.json") as { version: string };
  return version;
}
