import {
  type KernelSchema,
  type Problem,
  ToolCallError,
  toolArgumentProblems,
  validateArguments,
  validateToolCall,
} from "../index.ts";
import { readJsonText } from "../schema/json-text.ts";
import { UsageError } from "./io.ts";
import { choice, misuse } from "./options.ts";
import { excerpt, Places } from "./places.ts";
import type { ExitCode, Task } from "./run.ts";
import { styleFor, visibleLine } from "./style.ts";
import { readJsonFile, readWhole, withoutMark } from "./text.ts";

const PROFILES = ["coerce", "strict", "lenient", "kernel"] as const;

type Verdict = { ok: true; value: unknown } | { ok: false; problems: readonly Problem[] };

/** Holds arguments against a schema, and prints them as the profile takes them. */
export async function validateCommand(task: Task): Promise<ExitCode> {
  const { flags, operand, io, out } = task;
  if (flags.schema === undefined) throw misuse("validate needs --schema FILE.");
  const profile = choice("profile", flags.profile, PROFILES) ?? "coerce";
  const schema = await readJsonFile(flags.schema, io);
  const text = withoutMark(await readWhole(operand, io));
  const verdict = profile === "kernel" ? kernel(text, schema, flags.schema) : against(text, schema, profile);
  if (flags.json === true) out.writeJson(verdict, 2);
  else if (verdict.ok) out.writeJson(verdict.value, 2);
  else for (const problem of verdict.problems) show(problem, text, task);
  return verdict.ok ? 0 : 1;
}

/** The kernel reads the text itself: how a number is written counts. */
function kernel(text: string, schema: unknown, path: string): Verdict {
  try {
    return { ok: true, value: validateToolCall(text, schema as KernelSchema) };
  } catch (error) {
    if (error instanceof ToolCallError) return { ok: false, problems: error.problems };
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

function against(text: string, schema: unknown, profile: "coerce" | "strict" | "lenient"): Verdict {
  const read = readJsonText(text);
  if ("fault" in read) {
    const { message, offset } = read.fault;
    return {
      ok: false,
      problems: [{ kind: "malformed-json", path: "", message: `Not valid JSON: ${message}.`, offset }],
    };
  }
  const args: unknown = JSON.parse(text);
  if (profile === "lenient") {
    const problems = toolArgumentProblems(schema, args);
    return problems.length === 0 ? { ok: true, value: args } : { ok: false, problems };
  }
  return validateArguments(args, schema as Parameters<typeof validateArguments>[1], { profile });
}

function show(problem: Problem, text: string, { io, out }: Task): void {
  const { wrong, aside } = styleFor(io);
  const { kind, path, message, offset } = problem;
  if (offset === undefined) {
    out.write(`${wrong(`✗ ${kind}`)}${path === "" ? "" : ` at ${path}`}: ${visibleLine(message)}\n`);
    return;
  }
  const places = new Places();
  places.add(text);
  const place = places.at(offset);
  const [line, caret] = excerpt(place, out.columns - 2);
  out.write(`${wrong(`✗ ${kind}`)} at ${place.line}:${place.column}: ${visibleLine(message)}\n`);
  out.write(`  ${aside(line)}\n  ${wrong(caret)}\n`);
}
