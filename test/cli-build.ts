import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./support/shared.ts";

const main = `${root}dist/src/cli/main.js`;
const lock = join(tmpdir(), `tool-call-parser-build-${createHash("sha1").update(root).digest("hex")}`);

/**
 * The path of the built command line. `npm install` builds it; where the sources are newer it is built again, by one test
 * file while the others wait.
 */
export function builtCli(): string {
  for (let waited = 0; isStale(); waited += 100) {
    try {
      mkdirSync(lock);
    } catch {
      // A lock that an interrupted run has left behind must not stop all later ones.
      if (waited > 60_000) rmdirSync(lock);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      continue;
    }
    try {
      if (isStale()) build();
      break;
    } finally {
      rmdirSync(lock);
    }
  }
  return main;
}

function build(): void {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  for (const config of ["tsconfig.json", "tsconfig.cli.json"]) {
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", config], { cwd: root, encoding: "utf8" });
    // Type errors are for `npm run typecheck` to report; what was written can be tried all the same.
    if (status !== 0 && !existsSync(main)) throw new Error(`The build failed:\n${stdout}`);
  }
}

function isStale(): boolean {
  if (!existsSync(main)) return true;
  const built = statSync(main).mtimeMs;
  return ["src", "formats"].some((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .some((path) => statSync(join(root, folder, path)).mtimeMs > built),
  );
}
