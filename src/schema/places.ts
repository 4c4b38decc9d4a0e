import type { Problem } from "../events.ts";

/**
 * Where in a call's text the value of a problem stands: the keys of its path are looked for in turn, as JSON keys behind
 * the key of the arguments, or as the names in tags, whichever comes first.
 * @returns a UTF-16 offset in `raw`: of the value, of the value around it, or 0.
 */
export function findValue({ kind, path }: Problem, raw: string): number {
  const keys = path.split("/").slice(1, kind === "missing-required" ? -1 : undefined);
  let at = 0;
  for (const key of keys.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    const tag = at === 0 ? behind(raw, 0, named(escaped(key))) : -1;
    const inJson = at === 0 ? Math.max(0, behind(raw, 0, `"(?:arguments|parameters|args)"\\s*:\\s*`)) : at;
    const member = behind(raw, inJson, `(?<!\\\\)${escaped(JSON.stringify(key))}\\s*:\\s*`);
    const found = [tag, member].filter((offset) => offset >= 0);
    if (found.length > 0) at = Math.min(...found);
  }
  return at;
}

/**
 * A key in tags: `<parameter=port>`, `<port>`; `<parameter name="port" string="true">`, `key="port"<|sep|>`;
 * `<arg_key>port</arg_key><arg_value>`.
 */
function named(key: string): string {
  const attribute = `=\\s*(["']?)${key}\\1(?:\\s[^<>]*)?(?:<\\|\\w+\\|)?>`;
  return `[=<]${key}\\s*>\\n?|${attribute}|>\\s*${key}\\s*</[^<>]*>\\s*<[^<>]*>`;
}

/** The position behind the next match, or -1. */
function behind(text: string, from: number, pattern: string): number {
  const expression = new RegExp(pattern, "g");
  expression.lastIndex = from;
  return expression.test(text) ? expression.lastIndex : -1;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
