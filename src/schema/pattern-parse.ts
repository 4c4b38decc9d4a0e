/** A regular expression, taken apart as far as repetition matters; what one character may be stays text. */
export type Part =
  | { kind: "character"; source: string }
  | { kind: "assertion"; source: string }
  | { kind: "repeat"; part: Part; least: number; most: number }
  /** In a row. */
  | { kind: "all"; parts: Part[] }
  /** Alternatives. */
  | { kind: "any"; parts: Part[] }
  /** Look-around (with what is in it), or a back-reference. */
  | { kind: "look"; parts: Part[] };

const ASSERTION = /\^|\$|\\[bB]/y;
const REFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/y;
const CHARACTER =
  /\[(?:[^\\\]]|\\[\s\S])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[\s\S])|[^\\()|]/uy;
const OPEN = /\((\?(?::|<?[=!]|<[^>]*>))?/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;

/** Takes a pattern apart that `RegExp` has accepted; null for one with more brackets than the stack can hold. */
export function parsePattern(source: string): Part | null {
  let at = 0;
  let depth = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };

  const alternatives = (): Part[] => {
    const parts = [sequence()];
    while (source[at] === "|") {
      at++;
      parts.push(sequence());
    }
    return parts;
  };

  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(quantified(atom()));
    return { kind: "all", parts };
  };

  const atom = (): Part => {
    const assertion = match(ASSERTION);
    if (assertion) return { kind: "assertion", source: assertion[0] };
    if (match(REFERENCE)) return { kind: "look", parts: [] };
    const open = match(OPEN);
    if (!open) return { kind: "character", source: match(CHARACTER)?.[0] ?? source[at++] ?? "" };
    if (++depth > 200) throw new RangeError("too many brackets");
    const parts = alternatives();
    depth--;
    at++;
    const look = /^\?<?[=!]/.test(open[1] ?? "");
    return { kind: look ? "look" : "any", parts: parts.length === 1 && !look && parts[0] ? [parts[0]] : parts };
  };

  const quantified = (part: Part): Part => {
    const found = match(QUANTIFIER);
    if (!found) return part;
    const [text, from, comma, to] = found;
    if (from === undefined) {
      return {
        kind: "repeat",
        part,
        least: text[0] === "+" ? 1 : 0,
        most: text[0] === "?" ? 1 : Number.POSITIVE_INFINITY,
      };
    }
    const most = to ? Number(to) : comma ? Number.POSITIVE_INFINITY : Number(from);
    return { kind: "repeat", part, least: Number(from), most };
  };

  const unwrap = (part: Part): Part =>
    part.kind === "any" && part.parts.length === 1 && part.parts[0] ? part.parts[0] : part;

  try {
    return unwrap({ kind: "any", parts: alternatives() });
  } catch {
    return null;
  }
}
