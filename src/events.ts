/**
 * The vocabulary of everything else: what comes out of a parser.
 * All offsets are UTF-16 code units (JavaScript string positions), never bytes, and count from the start of the
 * model's output: the prefill has no offsets.
 */

/** What is wrong with a call. README.md says what each kind means and what to do about it. */
export type ProblemKind =
  | "truncated"
  | "invalid-arguments"
  | "malformed-json"
  | "not-an-object"
  | "unknown-tool"
  | "wrong-name"
  | "missing-required"
  | "wrong-type"
  | "extra-property"
  | "not-in-enum"
  | "not-const"
  | "out-of-range"
  | "bad-length"
  | "bad-pattern"
  | "no-branch"
  | "forbidden"
  | "bad-schema"
  | "limit-exceeded";

/** One thing that is wrong with a call, worded for a model to act on. */
export interface Problem {
  kind: ProblemKind;
  /** JSON Pointer (RFC 6901) inside the arguments; `""` is the arguments as a whole. */
  path: string;
  /** Which argument, what was expected, what came. */
  message: string;
  /** What would have been accepted: type names, enum members, tool names. */
  expected?: string[];
  /** What came: a type name for `wrong-type`, else the value as short JSON or text. */
  received?: string;
  /** UTF-16 offset in the output at which the problem was certain or the offending text begins. */
  offset?: number;
}

/** What was put right while reading. Each kind has exactly one possible reading; nothing is ever invented. */
export type RepairKind =
  // inside JSON
  | "single-quotes"
  | "python-word"
  | "control-character"
  | "invalid-escape"
  | "inner-quote"
  | "escaped-quotes"
  | "stray-escape"
  | "trailing-comma"
  | "missing-comma"
  | "comment"
  | "missing-bracket"
  // around the arguments
  | "encoded-arguments"
  | "flattened-arguments"
  | "near-miss-name"
  | "missing-opener"
  | "missing-closer"
  | "near-miss-tag"
  | "surplus-tag";

/** One repair, and where. */
export interface Repair {
  kind: RepairKind;
  /** UTF-16 offset in the output. */
  offset: number;
}

/**
 * A complete call with valid arguments: safe to dispatch. `CallOf<typeof tools>` is the union of these for some tools.
 */
export interface ToolCall<Name extends string = string, Arguments = Record<string, unknown>> {
  /** Position among the calls of this reply, rejected ones included, from 0. Key by this: models repeat ids. */
  index: number;
  /** The id on the wire where the model wrote one, else a generated one. */
  id: string;
  name: Name;
  /** `JSON.parse(argumentsText)`. */
  arguments: Arguments;
  /** The concatenation of the call's `tool-input-delta`s. Integers past 2^53 keep their digits here. */
  argumentsText: string;
  repairs: Repair[];
  /** UTF-16 offset in the output where the call begins, its opening marker included. */
  start: number;
  /** UTF-16 offset in the output behind the call. */
  end: number;
}

/** Something that is certainly a call but must not be dispatched. */
export interface RejectedCall {
  index: number;
  /** Null where no name could be read. */
  id: string | null;
  name: string | null;
  /** The arguments where they could be read as an object, else null. */
  arguments: Record<string, unknown> | null;
  /** As much of the arguments' JSON text as was certain. */
  argumentsText: string;
  /** The text of the output between `start` and `end`, as the model wrote it. */
  raw: string;
  /** At least one. */
  problems: Problem[];
  start: number;
  end: number;
}

/** The call that is being written at this moment. */
export interface OpenCall {
  index: number;
  id: string | null;
  name: string | null;
  argumentsText: string;
  /** A live view that goes on changing, open strings as far as they have come: read it, do not keep it. */
  arguments: Record<string, unknown>;
  /**
   * JSON Pointer of the innermost value that is still open; `""`: the arguments object, between two members. A value is
   * complete unless its path is the beginning of this one.
   */
  openPath: string;
}

/** `tool-calls`: `calls` is not empty. `truncated`: the output was cut off. `stop`: everything else. */
export type Finish = "stop" | "tool-calls" | "truncated";

export interface ParseResult<Call extends ToolCall = ToolCall> {
  /** The answer: all text outside the calls and the reasoning, verbatim. */
  content: string;
  /** The thoughts, verbatim. */
  reasoning: string;
  /** Complete and valid calls, in order: safe to dispatch. */
  calls: Call[];
  /** Recognised as calls but not safe to dispatch, each with its problems. */
  rejected: RejectedCall[];
  finish: Finish;
  /** The name of the format; under `"auto"` the format whose marker came first, or `"auto"` if none did. */
  format: string;
  /** Only where `stopOnProblem` has ended the reading: UTF-16 offset up to which the output was used. */
  used?: number;
}

/** What is known so far. */
export type Snapshot<Call extends ToolCall = ToolCall> = Omit<ParseResult<Call>, "finish" | "used"> & {
  open: OpenCall | null;
};

/**
 * Events come in the order `(text-delta | reasoning-delta | call)* finish`, where a call is
 * `tool-input-start? (tool-input-delta | tool-problem)* (tool-call | tool-call-rejected)`.
 * Calls do not interleave and no text comes inside a call.
 */
export type ParserEvent<Call extends ToolCall = ToolCall> =
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  /** A call of a declared tool has begun. Its id never changes afterwards. */
  | { type: "tool-input-start"; index: number; id: string; name: Call["name"] }
  /** The next piece of the arguments' JSON text, append only. */
  | { type: "tool-input-delta"; index: number; id: string; delta: string }
  /** As early as it is certain; the call will end in `tool-call-rejected`. */
  | { type: "tool-problem"; index: number; problem: Problem }
  | { type: "tool-call"; call: Call }
  | { type: "tool-call-rejected"; call: RejectedCall }
  | { type: "finish"; finish: Finish; result: ParseResult<Call> };
