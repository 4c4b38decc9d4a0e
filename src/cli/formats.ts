import { type Format, formatNames, getFormat } from "../index.ts";
import { UsageError } from "./io.ts";
import { loadFormat } from "./options.ts";
import type { ExitCode, Task } from "./run.ts";

/** Lists the formats, or shows one. */
export async function formatsCommand({ flags, operand, out }: Task): Promise<ExitCode> {
  if (operand !== undefined) {
    const format = await loadFormat(operand);
    if (format === "auto") throw new UsageError("auto is the union of all formats.");
    if (flags.json === true) out.writeJson(described(format), 2);
    else out.write(page(format));
    return 0;
  }
  const formats = formatNames().map(getFormat);
  if (flags.json === true) out.writeJson(formats.map(described), 2);
  else out.write(table(formats));
  return 0;
}

function described(format: Format): Record<string, unknown> {
  const { name, models, reasoning, tokens, stops, source } = format;
  return { name, aliases: aliases(format), models, reasoning, tokens, stops, source };
}

function aliases({ variants }: Format): string[] {
  return [...variants.keys()];
}

function table(formats: readonly Format[]): string {
  const width = Math.max(...formats.map(({ name }) => name.length)) + 2;
  const rows = formats.map((format) => {
    const also = aliases(format);
    const second = also.length === 0 ? "" : `${" ".repeat(width)}also: ${also.join(", ")}\n`;
    return `${format.name.padEnd(width)}${format.models.join(", ")}\n${second}`;
  });
  return rows.join("");
}

function page(format: Format): string {
  const rows: [string, readonly string[]][] = [
    ["name", [format.name]],
    ["aliases", aliases(format)],
    ["models", format.models],
    ["reasoning", format.reasoning.map(({ open, close }) => `${open} ${close}`)],
    ["tokens", format.tokens],
    ["stops", format.stops],
    ["source", [format.source]],
  ];
  const given = rows.filter(([, values]) => values.length > 0);
  return given.map(([label, values]) => `${label.padEnd(11)}${values.join(", ")}\n`).join("");
}
