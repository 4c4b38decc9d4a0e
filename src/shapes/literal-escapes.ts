import { isHex, pythonEscape } from "../json/lexical.ts";
import { escapeControl } from "../json/repairs.ts";

/** What a backslash and the characters behind it mean. */
export interface Escape {
  /** The same in a JSON string. */
  json: string;
  length: number;
  /** There is no such escape. */
  invalid?: boolean;
}

/** Escapes of Python that JSON has too, and a line that goes on in the next. */
const SAME: Readonly<Record<string, string>> = {
  n: "\\n",
  r: "\\r",
  t: "\\t",
  b: "\\b",
  f: "\\f",
  "\\": "\\\\",
  '"': '\\"',
  "\n": "",
};

/**
 * What the backslash at `i` means in a string of Python; null: not yet known. Python takes one in front of most letters as
 * data; `json`: JSON does not.
 */
export function stringEscape(text: string, i: number, ended: boolean, json: boolean): Escape | null {
  const letter = text[i + 1];
  if (letter === undefined) return ended ? { json: "\\\\", length: 1 } : null;
  const data = { json: "\\\\", length: 1, invalid: json || "uUxN".includes(letter) };
  if (json && letter === "/") return { json: "/", length: 2 };
  const same = SAME[letter];
  if (same !== undefined) return { json: same, length: 2 };
  if (letter === "u") return unicodeEscape(text, i, ended);
  if (letter >= "0" && letter <= "7") {
    if (!ended && i + 4 > text.length) return null;
    const octal = (/^[0-7]{1,3}/.exec(text.slice(i + 1, i + 4)) as RegExpExecArray)[0];
    return { json: character(Number.parseInt(octal, 8)), length: 1 + octal.length };
  }
  const found = pythonEscape(text, i);
  if (found === null) return ended ? data : null;
  return found.length > 0 ? found : data;
}

/** `\\u00e9` stays as it is: it means the same in JSON. */
function unicodeEscape(text: string, i: number, ended: boolean): Escape | null {
  for (let at = i + 2; at < i + 6; at++) {
    if (at === text.length && !ended) return null;
    if (at >= text.length || !isHex(text.charCodeAt(at))) return { json: "\\\\", length: 1, invalid: true };
  }
  return { json: text.slice(i, i + 6), length: 6 };
}

/** A character as it stands in a JSON string. */
function character(code: number): string {
  if (code < 0x20) return escapeControl(code);
  const char = String.fromCharCode(code);
  return char === '"' || char === "\\" ? `\\${char}` : char;
}
