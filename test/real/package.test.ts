import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const manifest = read("package.json");
const lock = read("package-lock.json");

describe("what the tests with llama.cpp install", () => {
  test("versions are pinned, and the lock file has the same", () => {
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({
        version,
        integrity: expect.stringMatching(/^sha512-/),
      });
    }
  });

  test("the lock file names no registry", () => {
    expect(JSON.stringify(lock)).not.toMatch(/resolved|https?:/);
  });
});

function read(file: string) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
}
