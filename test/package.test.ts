import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { root } from "./support/shared.ts";

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  bin: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
};

describe("the package", () => {
  test("the lock file names no registry", () => {
    const lock = readFileSync(`${root}package-lock.json`, "utf8");
    expect(lock).not.toMatch(/"resolved"/);
    expect(lock).not.toMatch(/https?:\/\/(registry|npm)\b/);
  });

  test.skipIf(trackedFiles() === null)("no file holds a path of the machine that it was written on", () => {
    const machinePath = new RegExp(`(^|[^a-zA-Z0-9_.])/(${["work", "farm", "root"].join("|")})/`, "m");
    const found = trackedFiles()!.filter((path) => machinePath.test(readFileSync(root + path, "utf8")));
    expect(found).toEqual([]);
  });

  test("every format is a file of less than 100 lines", () => {
    const long = readdirSync(`${root}formats`)
      .filter((file) => file.endsWith(".ts"))
      .map((file) => ({ file, lines: readFileSync(`${root}formats/${file}`, "utf8").split("\n").length - 1 }))
      .filter(({ lines }) => lines >= 100);
    expect(long).toEqual([]);
  });

  test("everything that it exports is built from a source file", () => {
    const targets = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry))),
    ];
    expect(targets.map(sourceOf).filter((source) => !existsSync(root + source))).toEqual([]);
  });
});

/** The file that a target in package.json is compiled from; for a pattern the folder. */
function sourceOf(target: string): string {
  return target
    .replace(/^(\.\/)?dist\//, "")
    .replace(/\*.*$/, "")
    .replace(/(\.d\.ts|\.js)$/, ".ts");
}

/** The files that are, or are about to be, under version control; null outside a Git working tree. */
function trackedFiles(): string[] | null {
  try {
    const listing = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return listing.split("\0").filter((path) => path !== "" && existsSync(root + path));
  } catch {
    return null;
  }
}
