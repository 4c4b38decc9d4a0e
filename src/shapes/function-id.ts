import { Call, type Calls } from "../calls.ts";
import type { Header } from "./header-json.ts";

const PREFIX = /^functions[._]?/;
const INDEX = /[.:_!]?\s*\d*$/;
/** An id as clients make them, and a mere counter: no name stands in it. */
const NAMELESS = /^(?:functions[._])?(?:\d+|call_\w+|toolu_\w+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * A header that is an id and holds the name: `functions.tide_level:0`, also without the first part. Where it is misspelt
 * (`functions_tide_level!0`, `functionstide_level0`) the name counts only if it is the one declared name that fits. An id
 * without a name (`call_3`, `0`) means the only tool there is.
 */
export function functionId(id: string, calls: Calls): Header {
  const indexed = id.replace(/:\d+$/, "");
  const plain = indexed.replace(/^functions\./, "");
  const exact = [plain, indexed, id].find((name) => calls.declares(name));
  if (exact !== undefined) return { name: exact, id };
  if (calls.rules.repair) {
    const cores = [id, id.replace(PREFIX, "")].flatMap((core) => [
      core,
      core.replace(INDEX, ""),
      core.replace(/[.:_!]\s*\d+$/, ""),
    ]);
    const fitting = new Set(
      cores.map((core) => Call.nameFor(calls, core.trim())).filter((name) => calls.declares(name)),
    );
    const [name] = fitting;
    if (name !== undefined && fitting.size === 1) return { name, id, nearMiss: true };
    const names = calls.rules.tools?.names ?? [];
    if (names.length === 1 && NAMELESS.test(id)) return { name: names[0] as string, id, nearMiss: true };
  }
  return { name: plain, id };
}
