import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/shared.ts";

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { dependencies: Record<string, string> };

function sources(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`);
}

/** What a file imports or exports from elsewhere, types aside: they are gone when it runs. */
function importsOf(source: string): string[] {
  const statements = [
    ...source.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;"]*?\bfrom\s+)?"([^"]+)"/gm),
    ...source.matchAll(/\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g),
  ];
  return statements.map(([, from]) => from as string);
}

/** Every import that these files bring about, by the file in which it stands. */
function reach(entries: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const todo = [...entries];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (found.has(file)) continue;
    const imports = importsOf(readFileSync(root + file, "utf8"));
    found.set(file, imports);
    for (const from of imports.filter((name) => name.startsWith("."))) {
      todo.push(relative(root, join(root, dirname(file), from)));
    }
  }
  return found;
}

test("the test sees imports in all their forms", () => {
  const source = `import a from "node:fs";\nimport {\n  b,\n} from "./b.ts";\nexport * from "./c.ts";\nimport "./d.ts";
import type { E } from "node:e";\nexport { type F, f } from "./f.ts";\nconst g = await import("node:g");\n * import h from "h";`;
  expect(importsOf(source).sort()).toEqual(["./b.ts", "./c.ts", "./d.ts", "./f.ts", "node:fs", "node:g"]);
});

test("nothing that is reached from the library, the formats or the integrations imports anything of Node", () => {
  const entries = ["src/index.ts", "src/core.ts", "src/ajv.ts", ...sources("formats")];
  if (existsSync(`${root}src/integrations`)) entries.push(...sources("src/integrations"));
  const reached = reach(entries);
  expect(reached.size).toBeGreaterThan(100);

  const packages = Object.keys(manifest.dependencies);
  const strange = [...reached].flatMap(([file, imports]) =>
    imports
      .filter((from) => !from.startsWith(".") && !packages.some((name) => from === name || from.startsWith(`${name}/`)))
      .map((from) => `${file} imports ${from}`),
  );
  expect(strange).toEqual([]);
});
