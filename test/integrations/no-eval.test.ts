import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { builtCli } from "../cli-build.ts";
import { root } from "../support/shared.ts";
import { everyFormat } from "./every-format.ts";

/** What is built, in a Node that makes no code of strings, without the globals that only Node has. */
function inBareNode(script: string): string {
  builtCli();
  const index = pathToFileURL(`${root}dist/src/index.js`).href;
  const source = `
    const log = console.log;
    for (const name of ["process", "Buffer", "setImmediate", "clearImmediate", "global"]) delete globalThis[name];
    const library = await import(${JSON.stringify(index)});
    log(JSON.stringify(await (${script})(library)));`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", source];
  return execFileSync(process.execPath, flags, { encoding: "utf8" });
}

test("the test would notice eval and Node's globals", () => {
  expect(inBareNode("() => { try { return new Function('return 1')(); } catch (error) { return error.name; } }")).toBe(
    '"EvalError"\n',
  );
  expect(inBareNode("() => [typeof process, typeof Buffer]")).toBe('["undefined","undefined"]\n');
});

test("every format reads without eval and without Node's globals, with the same result", async () => {
  const found = JSON.parse(inBareNode(everyFormat.toString()));
  expect(found).toEqual(JSON.parse(JSON.stringify(await everyFormat(library))));
  for (const name of library.formatNames()) {
    expect(found[name], name).toMatchObject({ whole: { calls: [{ name: "tide_level" }], rejected: [] } });
    expect(found[name].streamed, name).toEqual(found[name].whole);
    expect(found[name].strict, name).toEqual(found[name].whole);
    expect(found[name].problems.length, name).toBeGreaterThan(0);
  }
});
