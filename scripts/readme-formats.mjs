/**
 * Writes the README's table of formats from the registry, and who uses which shape into docs/architecture.md:
 * `npm run readme`. A test compares both with what stands there.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { formatsTable, replaceTable } from "./formats-table.mjs";
import { replaceUsers } from "./shapes-table.mjs";

const root = new URL("../", import.meta.url);
const registry = await import("../dist/src/index.js");
rewrite("README.md", (text) => replaceTable(text, formatsTable(registry)));

const files = readdirSync(new URL("formats/", root)).filter((name) => name !== "index.ts");
const sources = files.map((name) => [name.slice(0, -".ts".length), read(`formats/${name}`)]);
rewrite("docs/architecture.md", (text) => replaceUsers(text, Object.fromEntries(sources)));

function read(path) {
  return readFileSync(new URL(path, root), "utf8");
}

function rewrite(path, change) {
  writeFileSync(new URL(path, root), change(read(path)));
}
