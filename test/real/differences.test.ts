import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { root } from "../support/shared.ts";
import { readDifferences } from "./differences.ts";
import { reasons, reasonsOf, tableOf } from "./reasons.ts";
import { templates, templatesAreHere } from "./scripts.ts";

const differences = readDifferences();
const found = Object.entries(differences).flatMap(([template, outcomes]) =>
  Object.keys(outcomes).map((script) => [template, script] as const),
);

describe("the table of differences to llama.cpp", () => {
  test.each(found)("%s, %s: has one reason", (template, script) => {
    expect(reasonsOf(template, script).map(({ kind }) => kind)).toHaveLength(1);
  });

  test("no reason covers what does not differ", () => {
    const unneeded = reasons.flatMap(({ covers }) =>
      Object.entries(covers).flatMap(([template, scripts]) => {
        const differing = Object.keys(differences[template] ?? {});
        if (scripts === "all") return differing.length > 0 ? [] : [template];
        return scripts.filter((script) => !differing.includes(script)).map((script) => `${template}, ${script}`);
      }),
    );
    expect(unneeded).toEqual([]);
  });

  test("docs/llama-cpp.md has the same table", () => {
    expect(readFileSync(`${root}docs/llama-cpp.md`, "utf8")).toContain(tableOf(differences));
  });

  const where = templatesAreHere ? "" : " (skipped: there is no ../shared)";

  describe.skipIf(!templatesAreHere)(`with the chat templates of real models${where}`, () => {
    const tried = templates().flatMap(({ name, plays }) =>
      plays.flatMap(({ scripts }) => scripts.map(({ id }) => `${name}, ${id}`)),
    );

    test("there are 70, and each has a text", () => {
      expect(new Set(tried.map((name) => name.replace(/, .*/, ""))).size).toBe(71);
    });

    test("no two texts of a template have the same name", () => {
      expect(new Set(tried).size).toBe(tried.length);
    });

    test("it names only texts that are tried", () => {
      const known = new Set(tried);
      expect(found.map(([template, script]) => `${template}, ${script}`).filter((name) => !known.has(name))).toEqual(
        [],
      );
    });

    test("docs/llama-cpp.md says how many there are", () => {
      const text = readFileSync(`${root}docs/llama-cpp.md`, "utf8");
      expect(text).toContain(`Of ${tried.length} texts ${found.length} differ.`);
    });
  });
});
