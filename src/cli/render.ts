import { RenderError, type Turn } from "../index.ts";
import { UsageError } from "./io.ts";
import { loadFormat, loadTools, misuse } from "./options.ts";
import type { ExitCode, Task } from "./run.ts";
import { readWhole, withoutMark } from "./text.ts";

/** Writes an assistant turn as a model of the format would. What `parse --json` prints is such a turn. */
export async function renderCommand({ flags, operand, io, out }: Task): Promise<ExitCode> {
  if (flags.format === undefined) throw misuse("render needs --format NAME.");
  const format = await loadFormat(flags.format);
  if (format === "auto") throw misuse("render needs a format of its own, not auto.");
  const tools = flags.tools === undefined ? undefined : await loadTools(flags.tools, io);
  const turn = readTurn(await readWhole(operand, io));
  try {
    out.write(format.render(turn, { tools }));
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    io.stderr.write(`tool-call-parser: ${error.message}\n`);
    return 1;
  }
  if (out.isTerminal) out.write("\n");
  return 0;
}

function readTurn(text: string): Turn {
  let turn: unknown;
  try {
    turn = JSON.parse(withoutMark(text));
  } catch (error) {
    throw new UsageError(`The turn is not valid JSON: ${(error as Error).message}.`);
  }
  if (!isRecord(turn)) throw new UsageError("A turn is an object with reasoning, content and calls, all optional.");
  const { reasoning, content, calls } = turn;
  if (!isText(reasoning) || !isText(content))
    throw new UsageError("The reasoning and the content of a turn are strings.");
  if (!isCalls(calls))
    throw new UsageError('The calls of a turn are a list of { "name": string, "arguments": object }.');
  return { reasoning: reasoning ?? undefined, content: content ?? undefined, calls: calls ?? undefined };
}

function isText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}

function isCalls(value: unknown): value is Turn["calls"] | null {
  if (value === undefined || value === null) return true;
  return (
    Array.isArray(value) &&
    value.every(
      (call) => isRecord(call) && typeof call.name === "string" && isRecord(call.arguments) && isText(call.id),
    )
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
