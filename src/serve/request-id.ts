import { newId } from "../integrations/reply/about.ts";

/** The id that a client has given its request, where it can stand in a header and a log, or else a new one. */
export function requestId(given: string | undefined): string {
  return given !== undefined && /^[\w.:/+=-]{1,128}$/.test(given) ? given : newId("req_");
}
