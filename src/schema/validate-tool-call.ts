import type { Problem } from "../events.ts";
import { type KernelSchema, readKernel } from "./declare.ts";
import { readJsonText } from "./json-text.ts";
import { declaredArguments, kernelProblems } from "./kernel.ts";
import { isObject, short, typeName } from "./value.ts";

/** A call that passed the kernel: the parsed object itself, further keys included. */
export interface KernelCall {
  name: string;
  args?: Record<string, unknown>;
  [key: string]: unknown;
}

/** What `validateToolCall` throws for a call that is not valid. */
export class ToolCallError extends Error {
  override readonly name: string = "ToolCallError";
  /** All that is wrong, in the order of the schema; at least one. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join(" "));
    this.problems = problems;
  }
}

/**
 * The strict kernel: the whole text must be one JSON object `{ "name": ..., "args": { ... } }` that fits the schema.
 * Nothing is repaired, coerced or dropped. `2.0` is no `int`: how a number is written counts. Undeclared arguments pass.
 * @param text What the model wrote; `offset` in a problem is a UTF-16 offset in it.
 * @returns the parsed object.
 * @throws ToolCallError with all problems, for a call that is not valid.
 * @throws TypeError for a schema that is none.
 * @example
 * validateToolCall('{"name":"wait","args":{"days":3}}', { name: "wait", args: [{ name: "days", type: "int", required: true }] })
 * // { name: "wait", args: { days: 3 } }
 */
export function validateToolCall(text: string, schema: KernelSchema): KernelCall {
  const kernel = readKernel(schema);
  const read = readJsonText(text);
  if (!("members" in read)) {
    const { offset, message } = read.fault;
    fail({ kind: "malformed-json", path: "", message: `The call is not valid JSON: ${message}.`, offset });
  }
  const call: unknown = JSON.parse(text);
  if (!isObject(call)) fail(notAnObject("The call", call));
  const name = Object.hasOwn(call, "name") ? call.name : undefined;
  if (name !== kernel.name) {
    const message = `The call must name ${JSON.stringify(kernel.name)}, but ${name === undefined ? "no name" : short(name)} was given.`;
    fail({
      kind: "wrong-name",
      path: "",
      message,
      expected: [kernel.name],
      received: name === undefined ? "nothing" : short(name),
    });
  }
  const args = Object.hasOwn(call, "args") ? call.args : {};
  if (!isObject(args)) fail(notAnObject("The arguments", args));
  const problems = kernelProblems(declaredArguments(kernel), args, read.members.get("args") ?? "{}");
  if (problems.length > 0) throw new ToolCallError(problems);
  return call as KernelCall;
}

function notAnObject(what: string, value: unknown): Problem {
  const received = typeName(value);
  return {
    kind: "not-an-object",
    path: "",
    message: `${what} must be an object, but ${short(value)} was given.`,
    expected: ["object"],
    received,
  };
}

function fail(problem: Problem): never {
  throw new ToolCallError([problem]);
}
