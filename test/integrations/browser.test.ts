import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { build, type Rollup } from "vite";
import { expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { builtCli } from "../cli-build.ts";
import { root } from "../support/shared.ts";
import { everyFormat } from "./every-format.ts";

const chromium = findChromium();

/** `CHROMIUM`, or the first one in the path. */
function findChromium(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** Bundles what is built, as an application would, and runs it in a page that forbids eval. */
async function inChromium(script: string): Promise<unknown> {
  builtCli();
  const folder = mkdtempSync(join(tmpdir(), "tool-call-parser-browser-"));
  try {
    const entry = join(folder, "entry.js");
    writeFileSync(
      entry,
      `import * as library from ${JSON.stringify(`${root}dist/src/index.js`)};
      const say = (what) => { document.body.textContent = "«" + encodeURIComponent(JSON.stringify(what)) + "»"; };
      (${script})(library).then(say, (error) => say({ failed: String(error && error.stack) }));`,
    );
    const page = join(folder, "page.html");
    const code = (await bundle(folder, entry)).replaceAll("</script", "<\\/script");
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">`;
    writeFileSync(
      page,
      `<!doctype html><meta charset="utf-8">${policy}<body><script type="module">\n${code}\n</script></body>`,
    );
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${join(folder, "profile")}`];
    const dom = execFileSync(
      chromium as string,
      [...flags, "--virtual-time-budget=30000", "--dump-dom", `file://${page}`],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 28 },
    );
    const [, said] = /«(.*)»/.exec(dom) ?? [];
    if (said === undefined) throw new Error(`The page said nothing: ${dom.slice(0, 500)}`);
    return JSON.parse(decodeURIComponent(said));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(folder: string, entry: string): Promise<string> {
  const made = await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry, formats: ["es"], fileName: "bundle" } },
  });
  const [{ output }] = made as [Rollup.RollupOutput];
  return output[0].code;
}

test.skipIf(chromium === null)(
  "the page of these tests forbids eval [needs Chromium: CHROMIUM or the path]",
  async () => {
    const evaluate = "async () => { try { return (0, eval)('1'); } catch (error) { return error.name; } }";
    expect(await inChromium(evaluate)).toBe("EvalError");
  },
);

test.skipIf(chromium === null)(
  "every format reads in Chromium as in Node [needs Chromium: CHROMIUM or the path]",
  async () => {
    const found = await inChromium(everyFormat.toString());
    expect(found).toEqual(JSON.parse(JSON.stringify(await everyFormat(library))));
    expect(Object.keys(found as object)).toEqual([...library.formatNames()]);
  },
);
