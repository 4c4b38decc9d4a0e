import { describe, expect, it } from "vitest";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import { readRemotes, readSuite, suitesExist } from "./suites.ts";

/** Failing tests of the official suites, and why. docs/json-schema.md has the same list in words. */
const KNOWN: Record<string, string[]> = {
  draft7: [
    "definitions.json / validate definition against metaschema / valid definition schema",
    "ref.json / remote ref, containing refs itself / remote ref valid",
  ],
  "draft2020-12": [
    "defs.json / validate definition against metaschema / valid definition schema",
    "ref.json / remote ref, containing refs itself / remote ref valid",
    "vocabulary.json / schema that uses custom metaschema with with no validation vocabulary / no validation: invalid number, but it still validates",
  ],
};

describe.skipIf(!suitesExist)("the official JSON Schema suites (skipped where ../shared/suites is not there)", () => {
  for (const [draft, known] of Object.entries(KNOWN)) {
    it(`${draft}: strict decides all required tests as they ask, but for a known list`, () => {
      const schemas = readRemotes();
      const tests = readSuite(draft);
      const failed = tests.filter(({ schema, data, valid }) => {
        // In a suite of draft-07 a schema without $schema is one of draft-07.
        const marked =
          draft === "draft7" && typeof schema === "object"
            ? { $schema: "http://json-schema.org/draft-07/schema#", ...schema }
            : schema;
        return validateArguments(data, marked as object, { profile: "strict", schemas }).ok !== valid;
      });
      expect(failed.map(({ name }) => name)).toEqual(known);
      expect(1 - failed.length / tests.length).toBeGreaterThanOrEqual(draft === "draft7" ? 0.99 : 0.98);
    });

    it(`${draft}: nothing throws under coerce, optional tests and unresolved references included`, () => {
      for (const { schema, data } of [...readSuite(draft), ...readSuite(`${draft}/optional`)]) {
        for (const profile of ["strict", "coerce"] as const) validateArguments(data, schema as object, { profile });
      }
    });

    it(`${draft}: what is valid under strict is valid and unchanged under coerce`, () => {
      for (const { name, schema, data } of readSuite(draft)) {
        if (!validateArguments(data, schema as object, { profile: "strict" }).ok) continue;
        expect([name, validateArguments(data, schema as object)]).toEqual([
          name,
          { ok: true, value: data, warnings: [] },
        ]);
      }
    });
  }
});
