import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface SuiteTest {
  /** `file / group / test` */
  name: string;
  schema: unknown;
  data: unknown;
  valid: boolean;
}

const root = fileURLToPath(new URL("../../../shared/suites/json-schema/", import.meta.url));

/** Where the official suites lie; they are read there and never copied. */
export const suitesExist: boolean = existsSync(root);

/** The required tests of a draft. */
export function readSuite(draft: string): SuiteTest[] {
  return readdirSync(root + draft)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) =>
      JSON.parse(readFileSync(`${root}${draft}/${file}`, "utf8")).flatMap((group: any) =>
        group.tests.map((test: any) => ({
          name: `${file} / ${group.description} / ${test.description}`,
          schema: group.schema,
          data: test.data,
          valid: test.valid,
        })),
      ),
    );
}

/** The documents that the suites serve at http://localhost:1234/, by URI. */
export function readRemotes(folder = ""): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const entry of readdirSync(`${root}remotes/${folder}`, { withFileTypes: true })) {
    const path = folder + entry.name;
    if (entry.isDirectory()) Object.assign(found, readRemotes(`${path}/`));
    else if (path.endsWith(".json")) {
      found[`http://localhost:1234/${path}`] = JSON.parse(readFileSync(`${root}remotes/${path}`, "utf8"));
    }
  }
  return found;
}
