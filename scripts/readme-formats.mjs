/** Writes the README's table of formats from the registry: `npm run readme`. A test compares it with what stands there. */
import { readFileSync, writeFileSync } from "node:fs";
import { formatsTable, replaceTable } from "./formats-table.mjs";

const registry = await import("../dist/src/index.js");
const file = new URL("../README.md", import.meta.url);
writeFileSync(file, replaceTable(readFileSync(file, "utf8"), formatsTable(registry)));
