import { type ParseOptions, type ParseResult, parse } from "../index.ts";
import { misuse, parserOptions, toolList } from "./options.ts";
import type { ExitCode, Task } from "./run.ts";
import { lines, readText, withoutMark } from "./text.ts";

/** What comes out for a record that cannot be read. */
interface ErrorRecord {
  error: string;
  line: number;
}

/** Many outputs: one record a line in, one result a line out, in order. A bad line harms no other. */
export async function recordsCommand({ flags, operand, io, out }: Task): Promise<ExitCode> {
  const other = flags.json === true ? "json" : flags.events === true ? "events" : null;
  if (other !== null) throw misuse(`--ndjson and --${other} exclude each other.`);
  const options: ParseOptions = { ...(await parserOptions(flags, io)), finished: flags["cut-off"] !== true };
  let code: ExitCode = 0;
  let line = 0;
  for await (const text of lines(readText(operand, io))) {
    line++;
    const result = resultOf(line === 1 ? withoutMark(text) : text, line, options);
    if ("error" in result || result.rejected.length > 0) code = 1;
    out.writeJson(result);
    await out.drained();
  }
  return code;
}

/** The result for one line, with the record's own `id` in front, if it has one. */
function resultOf(line: string, number: number, options: ParseOptions): ParseResult | ErrorRecord {
  let id: unknown;
  const labelled = <T>(result: T): T => (id === undefined ? result : { id, ...result });
  try {
    const record: unknown = JSON.parse(line);
    if (typeof record === "string") return parse(record, options);
    if (typeof record !== "object" || record === null || Array.isArray(record)) {
      throw new TypeError("A record is a JSON string or an object.");
    }
    id = (record as { id?: unknown }).id;
    const { text, own } = readRecord(record as Record<string, unknown>);
    return labelled(parse(text, { ...options, ...own }));
  } catch (error) {
    return labelled({ error: (error as Error).message, line: number });
  }
}

function readRecord(record: Record<string, unknown>): { text: string; own: ParseOptions } {
  const { output, text = output, tools, format, prefill, finished } = record;
  if (typeof text !== "string") throw new TypeError('A record needs its text under "output" or "text".');
  const own: ParseOptions = {};
  if (tools !== undefined && tools !== null) own.tools = toolList(tools);
  if (isGiven("format", format, "string")) own.format = format as string;
  if (isGiven("prefill", prefill, "string")) own.prefill = prefill as string;
  if (isGiven("finished", finished, "boolean")) own.finished = finished as boolean;
  return { text, own };
}

/** Null stands for "not given": many writers have no other way to leave a field out. */
function isGiven(name: string, value: unknown, type: "string" | "boolean"): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== type) throw new TypeError(`"${name}" of a record must be a ${type}.`);
  return true;
}
