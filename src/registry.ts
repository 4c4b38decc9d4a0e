import { formats } from "../formats/index.ts";
import type { Format } from "./format.ts";
import { type Grammar, grammarOf, unite } from "./grammar.ts";

const byName = new Map<string, Format>();
for (const format of formats) {
  byName.set(format.name, format);
  for (const [name, variant] of format.variants) byName.set(name, variant);
}
let auto: Grammar | undefined;

/** The names of all formats, without their aliases, in the order of the registry. */
export function formatNames(): readonly string[] {
  return formats.map((format) => format.name);
}

/**
 * The format of this name or alias.
 * @throws {RangeError} if there is none.
 */
export function getFormat(name: string): Format {
  const format = byName.get(name);
  if (format !== undefined) return format;
  throw new RangeError(`There is no format ${JSON.stringify(name)}. Known: ${[...byName.keys(), "auto"].join(", ")}.`);
}

/** What the `format` option means with the registry bound. */
export function resolve(format: string | Format | undefined): Grammar {
  if (typeof format === "object") return grammarOf(format);
  if (format !== undefined && format !== "auto") return grammarOf(getFormat(format));
  auto ??= unite("auto", formats);
  return auto;
}
