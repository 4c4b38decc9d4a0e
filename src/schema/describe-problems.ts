import type { Problem, ProblemKind } from "../events.ts";

const MOST = 10;
/** Of these the reader itself was stopped, not a check of what it read. */
const UNREADABLE: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  "truncated",
  "invalid-arguments",
  "malformed-json",
  "not-an-object",
  "unknown-tool",
  "wrong-name",
  "limit-exceeded",
]);

/**
 * The text to send back to the model as the result of a call that was rejected: what is wrong with it, and what to do.
 * @param call A rejected call, or the name and problems of one.
 * @example
 * describeProblems({ name: "wait", problems: [{ kind: "missing-required", path: "/days", message: '"days" is required, but it was not given.' }] })
 * // The call to "wait" was not run:
 * // - "days" is required, but it was not given.
 * // Correct this and write the whole call again.
 */
export function describeProblems(call: {
  readonly name?: string | null | undefined;
  readonly problems: readonly Problem[];
  /** Null where the call was stopped, or cut off, before its arguments were read to their end. */
  readonly arguments?: unknown;
}): string {
  const { name, problems } = call;
  const lines = [name ? `The call to ${JSON.stringify(name)} was not run:` : "The call was not run:"];
  for (const problem of problems.slice(0, MOST)) lines.push(`- ${sentence(problem)}`);
  if (problems.length > MOST) lines.push(`- (${problems.length - MOST} more)`);
  const cut = problems.some(({ kind }) => kind === "truncated");
  const unread = call.arguments === null && problems.every(({ kind }) => !UNREADABLE.has(kind));
  if (unread) lines.push("The rest of the arguments was not read: there may be more that is wrong.");
  lines.push(
    cut
      ? "The output was cut off before the call was complete. Write the whole call again, shorter."
      : "Correct this and write the whole call again.",
  );
  return lines.join("\n");
}

function sentence({ message, expected = [] }: Problem): string {
  const shown = expected.slice(0, 50).filter((value) => value !== "");
  // Our own messages name what was expected; those of other validators may not.
  if (shown.length === 0 || shown.some((value) => message.includes(value))) return message;
  return `${message} Expected: ${shown.join(", ")}.`;
}
