import type { Format } from "./format.ts";
import { onlyValues, StreamParser } from "./parser.ts";
import type { ToolDeclaration } from "./schema/declare.ts";

/** An assistant turn. */
export interface Turn {
  reasoning?: string | undefined;
  content?: string | undefined;
  calls?: readonly { name: string; arguments: Record<string, unknown>; id?: string | undefined }[] | undefined;
}

export interface RenderOptions {
  /** The tools that the turn's calls are for: formats that write text instead of JSON need them to read values back. */
  tools?: readonly ToolDeclaration[] | undefined;
}

/** The format cannot carry a turn: what it would write reads back as something else. */
export class RenderError extends Error {
  override name = "RenderError";
  /** The text that reads back differently. */
  readonly text: string;
  constructor(message: string, text: string) {
    super(message);
    this.text = text;
  }
}

/** Writes a turn and reads it back, so that nothing goes out that means something else. */
export function renderChecked(format: Format, turn: Turn, options: RenderOptions): string {
  const text = format.declaration.render(turn, options);
  // it must mean the same to a reader that repairs and to one that does not
  const difference = compare(format, turn, options, text, false) ?? compare(format, turn, options, text, true);
  if (difference !== null) throw new RenderError(`${format.name} cannot carry this turn: ${difference}.`, text);
  return text;
}

function compare(format: Format, turn: Turn, options: RenderOptions, text: string, repair: boolean): string | null {
  const tools = options.tools === undefined ? undefined : [...options.tools];
  const parser = new StreamParser({ format, tools, validation: "none", repair }, onlyValues);
  parser.feed(text);
  const read = parser.end();
  const { content = "", reasoning = "", calls = [] } = turn;
  if (read.content.trim() !== content.trim()) return "the content reads back differently";
  if (read.reasoning.trim() !== reasoning.trim()) return "the reasoning reads back differently";
  const back = [...read.calls, ...read.rejected].sort((a, b) => a.index - b.index);
  if (back.length !== calls.length) return `${calls.length} calls read back as ${back.length}`;
  for (const [index, call] of calls.entries()) {
    const got = back[index] as (typeof back)[number];
    if (got.name !== call.name) return `the name ${JSON.stringify(call.name)} reads back differently`;
    if (!same(got.arguments, call.arguments))
      return `the arguments of ${JSON.stringify(call.name)} read back differently`;
  }
  return null;
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a).filter((key) => (a as Record<string, unknown>)[key] !== undefined);
  const others = Object.keys(b).filter((key) => (b as Record<string, unknown>)[key] !== undefined);
  return (
    keys.length === others.length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
