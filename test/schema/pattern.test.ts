import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matcher } from "../../src/schema/pattern.ts";
import { linearMatcher } from "../../src/schema/pattern-linear.ts";
import { parsePattern } from "../../src/schema/pattern-parse.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";

describe("patterns", () => {
  it.each([
    ["(a+)+$", `${"a".repeat(5000)}!`],
    ["^(a|a)*$", `${"a".repeat(5000)}!`],
    ["^(\\w+\\s?)*$", `${"word ".repeat(2000)}!`],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(3000)],
    [".*.*.*.*=x", "a".repeat(5000)],
    ["a?".repeat(30) + "a".repeat(30) + "$", `${"a".repeat(29)}b`],
  ])("%s does not hang on a long text that does not match", (pattern, text) => {
    expect(matcher(pattern)?.test(text)).toBe(false);
  });

  it("refuses what cannot be answered in bounded time, as a problem of the schema", () => {
    for (const pattern of ["^(?=(a+)+$)b", "^(a+)+\\1$", "(", "[z-a]", "^(a{1,4000}){1,4000}$"]) {
      const result = validateArguments({ v: "a".repeat(40) }, { properties: { v: { type: "string", pattern } } });
      expect(result.ok ? [] : result.problems.map(({ kind }) => kind), pattern).toEqual(["bad-schema"]);
    }
  });

  it("answers for look-around and back-references where the text is short enough", () => {
    expect(matcher("^(?=.*[A-Z])(?=.*\\d).{8,}$")?.test("Passw0rd!")).toBe(true);
    expect(matcher("^(.)\\1$")?.test("aa")).toBe(true);
    expect(matcher("^(?!-)[a-z-]+$")?.test("-a")).toBe(false);
  });

  it("takes what only the old syntax knows, and refuses Python's", () => {
    expect(matcher("^[\\w\\-\\.]+$")?.test("a-b")).toBe(true);
    expect(matcher("^\\_$")?.test("_")).toBe(true);
    expect(matcher("(?P<year>\\d+)")).toBeNull();
  });

  it("counts characters, not UTF-16 units", () => {
    expect(matcher("^.$")?.test("🚀")).toBe(true);
    expect(linear("^(.)*x$")("🚀🚀x")).toBe(true);
  });

  const pieces = [
    "a",
    "b",
    ".",
    "\\d",
    "\\w",
    "[a-c]",
    "[^a\\]]",
    "\\.",
    "^",
    "$",
    "\\b",
    "\\u0061",
    "\\p{L}",
    "é",
    "\\n",
  ];
  const pattern: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom(...pieces),
      fc.tuple(tie("any"), tie("any")).map((parts) => parts.join("")),
      fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(
          fc.constantFrom("(?:", "(", "(?<n>"),
          tie("any"),
          fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", ""),
        )
        .map(([open, a, q]) => `${open}${a})${q}`),
    ),
  })).any;

  it("gives, state by state, the answer of the engine's own regular expressions", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom("a", "b", "c", "1", ".", " ", "\n", "é", "🚀"), maxLength: 6 }),
        (source, text) => {
          let native: RegExp | undefined;
          try {
            native = new RegExp(source, "u");
          } catch {
            fc.pre(false);
          }
          expect(linear(source)(text)).toBe(native?.test(text));
        },
      ),
      { numRuns: 5000 },
    );
  });
});

function linear(source: string): (text: string) => boolean | null {
  const part = parsePattern(source);
  const found = part && linearMatcher(part, true);
  if (!found) throw new Error(`no matcher for ${source}`);
  return found;
}
