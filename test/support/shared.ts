import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of this repository, with a separator at its end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

const beside = fileURLToPath(new URL("../../../shared/", import.meta.url));

/**
 * The folder `../shared` beside the repository, with a separator at its end, or null where there is none.
 * It holds what is too large, or not ours, to keep in the repository. A test that needs it skips visibly:
 * `test.skipIf(shared === null)(...)`.
 */
export const shared: string | null = existsSync(beside) ? beside : null;

/** The path of a file in `../shared`, or null where it is absent. */
export function sharedFile(name: string): string | null {
  return shared !== null && existsSync(shared + name) ? shared + name : null;
}
