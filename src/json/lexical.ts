import { BLANKS, isBlank } from "../input.ts";

export const QUOTE = 0x22;
export const APOSTROPHE = 0x27;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON_SIGN = 0x3a;
export const SLASH = 0x2f;
export const HASH = 0x23;
export const STAR = 0x2a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;

/** Answers of a look-ahead: it is so, it is not, more text is needed, it can be read in two ways. */
export const YES = 1;
export const NO = 0;
export const UNKNOWN = -1;
export const NEITHER = -2;

/** A number that is not too large. */
const DECIMAL = /^-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]+)?$/;
const NUMBER_SYNTAX = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Is this a number as JSON writes it, and one that can be written again: `1e999` is infinite? */
export function isNumber(word: string): boolean {
  return isInteger(word) || DECIMAL.test(word) || (NUMBER_SYNTAX.test(word) && Number.isFinite(Number(word)));
}

/** `"|C:\\` and `"|\\server` are held to their end: models forget to double such backslashes. */
export function looksLikePath(text: string, i: number, ended: boolean): number {
  const code = text.charCodeAt(i);
  const length = text.length - i;
  if (code === BACKSLASH) {
    if (length > 1 && text.charCodeAt(i + 1) !== BACKSLASH) return NO;
    if (length > 2) return isLetter(text.charCodeAt(i + 2)) ? YES : NO;
  } else if (isLetter(code)) {
    if (length > 1 && text.charCodeAt(i + 1) !== COLON_SIGN) return NO;
    if (length > 2) return text.charCodeAt(i + 2) === BACKSLASH ? YES : NO;
  } else {
    return NO;
  }
  return ended ? NO : UNKNOWN;
}

/** `"|\n}`: two characters, backslash and n, between tokens. */
export function strayThenStructure(text: string, from: number, ended: boolean): number {
  let i = from;
  for (;;) {
    i = skipBlanks(text, i);
    if (i >= text.length) return ended ? NO : UNKNOWN;
    if (text.charCodeAt(i) !== BACKSLASH) break;
    if (i + 1 === text.length) return ended ? NO : UNKNOWN;
    const letter = text.charCodeAt(i + 1);
    if (letter !== 0x6e && letter !== 0x72 && letter !== 0x74) return NO;
    i += 2;
  }
  const code = text.charCodeAt(i);
  return code === CLOSE_OBJECT || code === CLOSE_LIST || code === COMMA ? YES : NO;
}

/** The usual number, without asking the regular expression engine. */
function isInteger(word: string): boolean {
  const first = word.charCodeAt(0);
  if (word.length > 15 || (first === 0x30 && word.length > 1)) return false;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

const ESCAPES = '"\\/bfnrt';

/** Length of the valid escape at `i`; 0: it is none, -1: the text ends inside it. The escaped halves of a surrogate pair are one. */
export function escapeLength(text: string, i: number, ended: boolean): number {
  if (i + 1 >= text.length) return -1;
  if (text.charCodeAt(i + 1) !== 0x75) return ESCAPES.includes(text[i + 1] as string) ? 2 : 0;
  for (let at = i + 2; at < i + 6; at++) {
    if (at >= text.length) return -1;
    if (!isHex(text.charCodeAt(at))) return 0;
  }
  if (!isHighSurrogate(Number.parseInt(text.slice(i + 2, i + 6), 16))) return 6;
  for (let at = i + 6; at < i + 12; at++) {
    if (at >= text.length) return ended ? 6 : -1;
    const code = text.charCodeAt(at);
    if (at === i + 6 ? code !== BACKSLASH : at === i + 7 ? code !== 0x75 : !isHex(code)) return 6;
  }
  return 12;
}

/** What an escape at `i` that only Python knows is in JSON, and how long it is; length 0: it is none, null: the text ends inside it. */
export function pythonEscape(text: string, i: number): { length: number; json: string } | null {
  const letter = text[i + 1] as string;
  const short = PYTHON_ESCAPES[letter];
  if (short !== undefined) return { length: 2, json: short };
  const length = letter === "x" ? 4 : letter === "U" ? 10 : 0;
  for (let at = i + 2; at < i + length; at++) {
    if (at >= text.length) return null;
    if (!isHex(text.charCodeAt(at))) return { length: 0, json: "" };
  }
  const code = Number.parseInt(text.slice(i + 2, i + length), 16);
  if (length === 0 || code > 0x10ffff) return { length: 0, json: "" };
  return { length, json: JSON.stringify(String.fromCodePoint(code)).slice(1, -1) };
}

const PYTHON_ESCAPES: Readonly<Record<string, string>> = { "'": "'", a: "\\u0007", v: "\\u000b" };

export function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

export function isNumberPart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d || code === 0x65 || code === 0x45
  );
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function skipBlanks(text: string, from: number): number {
  let i = from;
  const end = Math.min(text.length, from + BLANKS);
  while (i < end && isBlank(text.charCodeAt(i))) i++;
  return i;
}

/** Is this a whole word that can begin a value? */
export function wordAhead(text: string, i: number, ended: boolean): number {
  for (const word of ["true", "false", "null", "True", "False", "None"]) {
    const length = Math.min(word.length, text.length - i);
    if (text.startsWith(word.slice(0, length), i)) {
      if (length === word.length) return YES;
      return ended ? NO : UNKNOWN;
    }
  }
  return NO;
}

/** `"value" |"key":`: was the comma forgotten? A key of at most 64 characters and no quotes, then a colon. */
export function keyAhead(text: string, from: number, ended: boolean): number {
  let i = from + 1;
  const end = Math.min(text.length, i + BLANKS);
  while (i < end && text.charCodeAt(i) !== QUOTE && text.charCodeAt(i) !== BACKSLASH && text.charCodeAt(i) >= 0x20) i++;
  if (i === text.length) return ended ? NO : UNKNOWN;
  if (text.charCodeAt(i) !== QUOTE) return NO;
  i = skipBlanks(text, i + 1);
  if (i === text.length) return ended ? NO : UNKNOWN;
  return text.charCodeAt(i) === 0x3a ? YES : NO;
}
