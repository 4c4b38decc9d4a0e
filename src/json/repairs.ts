import type { RepairKind } from "../events.ts";

/**
 * What the JSON reader puts right. Each row is a fault that has exactly one reading; the reader knows what to do at the
 * character in question and goes on. What is not in this table is not repaired: no value is invented, no string is
 * closed, no backslash dropped.
 *
 * | written                    | read as                | kind                |
 * |----------------------------|------------------------|---------------------|
 * | `'name'`                   | `"name"`               | `single-quotes`     |
 * | `True` `False` `None`      | `true` `false` `null`  | `python-word`       |
 * | a raw line break in a string | `\n`                 | `control-character` |
 * | `"D:\Maps\new"`            | `"D:\\Maps\\new"`      | `invalid-escape`    |
 * | `"reads "SLOW" now"`       | `"reads \"SLOW\" now"` | `inner-quote`       |
 * | `\"value\"`                | `"value"`              | `escaped-quotes`    |
 * | `\n` between tokens        | nothing                | `stray-escape`      |
 * | `[1, 2,]`                  | `[1, 2]`               | `trailing-comma`    |
 * | `{"a": 1 "b": 2}`          | `{"a": 1, "b": 2}`     | `missing-comma`     |
 * | `# words` `// words` `/* words *​/` | nothing        | `comment`           |
 * | `{"a": [1` at the end      | `{"a": [1]}`           | `missing-bracket`   |
 */
export const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

/** The JSON escape of a control character that stands raw in a string. */
export function escapeControl(code: number): string {
  const short = SHORT_ESCAPES[code];
  return short ?? `\\u${code.toString(16).padStart(4, "0")}`;
}
const SHORT_ESCAPES: Readonly<Record<number, string>> = { 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r" };

/**
 * One invalid escape shows that the backslashes of a string were meant literally, so the ones that happen to form a
 * valid single-letter escape (`\new`) are backslashes too. Those in front of quotes, slashes, backslashes and `u` stay.
 */
export function literalBackslashes(escaped: string): string {
  return escaped.replace(/\\([\\"/u]|[bfnrt])/g, (pair, letter: string) =>
    "bfnrt".includes(letter) ? `\\${pair}` : pair,
  );
}

/** Where repairs are reported. */
export interface RepairLog {
  repair(kind: RepairKind, offset: number): void;
}
