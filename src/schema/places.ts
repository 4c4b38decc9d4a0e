/** The segments of a JSON Pointer. */
export function segments(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Where in a JSON text the value at the end of a path stands: its keys are looked for in turn.
 * @returns a UTF-16 offset in `json`: of the value, of the value around it, or 0.
 */
export function findValue(keys: readonly string[], json: string): number {
  let at = 0;
  for (const key of keys) {
    const expression = new RegExp(`(?<!\\\\)["']${escaped(JSON.stringify(key).slice(1, -1))}["']\\s*:\\s*`, "g");
    expression.lastIndex = at;
    if (expression.test(json)) at = expression.lastIndex;
  }
  return at;
}

/** Where the arguments begin in the text of a call, behind their key if they have one; or 0. */
export function findArguments(raw: string): number {
  const found = /["'](?:arguments|parameters|args)["']\s*:\s*/.exec(raw);
  return found === null ? 0 : found.index + found[0].length;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
