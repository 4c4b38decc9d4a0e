import { linearMatcher } from "./pattern-linear.ts";
import { type Part, parsePattern } from "./pattern-parse.ts";

/** Tests text against the `pattern` of a schema, in bounded time. */
export interface Matcher {
  /** Null where the answer cannot be had in bounded time. */
  test(text: string): boolean | null;
  /** False for a pattern on which the engine's own regular expressions may take exponential time. */
  readonly tame: boolean;
}

/** Steps that the engine's own regular expressions may take at worst: well under a second. */
const STEPS = 1e8;

/**
 * A matcher for a pattern; null for one that is no regular expression, or too large.
 *
 * Backtracking takes exponential time on patterns like `^(a+)+$`, and polynomial time on several `.*`. Schemas come from
 * strangers (MCP servers) and texts from models, so that must not happen: where the worst case is too much, the text
 * is held against all states of the pattern at once, which takes linear time. Only look-around and back-references
 * cannot be done that way; there, what could take too long is refused.
 */
export function matcher(source: string): Matcher | null {
  const native = compile(source);
  const part = native && parsePattern(source);
  if (!native || !part) return null;
  const { free, wild } = cost(part);
  const exponent = free + (source.startsWith("^") && part.kind !== "any" ? 0 : 1);
  let linear: ((text: string) => boolean | null) | null | undefined;
  return {
    tame: !wild,
    test(text) {
      if (!wild && (exponent < 2 || (text.length + 1) ** exponent <= STEPS)) return native.test(text);
      linear ??= linearMatcher(part, native.unicode) ?? null;
      return linear?.(text) ?? null;
    },
  };
}

function compile(source: string): RegExp | null {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      // JSON Schema asks for Unicode patterns; real schemas have escapes that only the old syntax knows.
    }
  }
  return null;
}

/** How many repetitions may be of any length, and whether one of them repeats something that can itself be read in several ways. */
function cost(part: Part): { free: number; wild: boolean; several: boolean } {
  switch (part.kind) {
    case "repeat": {
      const inner = cost(part.part);
      const variable = part.least !== part.most;
      return {
        free: inner.free + (variable ? 1 : 0),
        wild: inner.wild || (part.most > 1 && inner.several),
        several: variable || inner.several,
      };
    }
    case "all":
    case "any":
    case "look": {
      const parts = part.parts.map(cost);
      return {
        free: parts.reduce((sum, { free }) => sum + free, 0),
        wild: parts.some(({ wild }) => wild),
        several: part.kind === "any" || parts.some(({ several }) => several),
      };
    }
    default:
      return { free: 0, wild: false, several: false };
  }
}
