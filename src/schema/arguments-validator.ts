import type { Problem } from "../events.ts";
import { Input } from "../input.ts";
import { LiveValue } from "../json/live.ts";
import { QuickReader } from "../json/quick-reader.ts";
import type { JsonReader, Sink } from "../json/reader.ts";
import { type Declared, type ParametersSchema, readDeclaration } from "./declare.ts";
import { LiveCheck } from "./live/check.ts";
import { type Node, prepareSchema } from "./node.ts";
import { finalProblems } from "./profiles.ts";
import type { Validated } from "./validate-arguments.ts";

/** Deepest nesting of arguments. */
const DEPTH = 256;

export interface ArgumentsValidatorOptions {
  /** `coerce` (default): what models write for a type is read as that type. `strict`: JSON Schema, nothing changes. */
  profile?: "coerce" | "strict" | undefined;
}

/** Holds JSON text against a schema while it comes. */
export interface ArgumentsValidator {
  /**
   * Reads on.
   * @returns the problems that are certain since this chunk; none: so far all is well.
   * @throws {Error} after `end`.
   */
  feed(chunk: string): Problem[];
  /** The text is over: the value, or all problems. A second `end` returns the same. */
  end(): Validated;
  /** All problems so far. */
  readonly problems: readonly Problem[];
  /**
   * The object or list so far, open strings as far as they have come; undefined before its first character. A live view
   * that goes on changing: read it, do not keep it.
   */
  readonly partial: unknown;
  /** JSON Pointer of the innermost value that is open: every value that does not lead there is complete. */
  readonly openPath: string;
}

/**
 * Validates one JSON value chunk by chunk, for structured output without tool calls: a problem is known at the first
 * character at which it is certain, and `end` gives what `validateArguments` gives. Offsets are UTF-16 units of the text.
 * @param schema A JSON Schema (2020-12 or draft-07) or a Standard Schema.
 * @throws TypeError for a Standard Schema that answers with a promise; nothing else throws.
 * @example
 * const validator = createArgumentsValidator({ properties: { unit: { enum: ["C", "F"] } } });
 * validator.feed('{"unit": "Ke'); // [{ kind: "not-in-enum", path: "/unit", ... }]
 */
export function createArgumentsValidator(
  schema: ParametersSchema,
  options: ArgumentsValidatorOptions = {},
): ArgumentsValidator {
  return new StreamingValidator(schema, options.profile !== "strict");
}

class StreamingValidator implements ArgumentsValidator, Sink {
  readonly problems: Problem[] = [];
  private readonly declared: Declared;
  private readonly node: Node;
  private readonly relaxed: boolean;
  private readonly check: LiveCheck | null;
  private readonly input = new Input();
  private readonly reader: JsonReader;
  private text = "";
  /** It is no JSON value. */
  private unreadable = false;
  private shown: LiveValue | null = null;
  private result: Validated | null = null;

  constructor(schema: ParametersSchema, relaxed: boolean) {
    this.declared = readDeclaration({ name: "the value", parameters: schema });
    this.node = prepareSchema(this.declared.schema);
    this.relaxed = relaxed;
    const root = this.node.seeds[0];
    const report = (problem: Problem): void => void this.problems.push(problem);
    this.check = root === undefined ? null : new LiveCheck(root, relaxed, report, this.declared.standard === undefined);
    this.reader = new QuickReader({ sink: this, node: relaxed ? this.node : undefined, repair: false, depth: DEPTH });
  }

  feed(chunk: string): Problem[] {
    if (this.result !== null) throw new Error("feed() after end().");
    const told = this.problems.length;
    this.read(chunk);
    return this.problems.slice(told);
  }

  private read(chunk: string): void {
    const { input, reader } = this;
    if (chunk !== "") input.append(chunk);
    if (!reader.done && reader.fault === null) reader.step(input);
    const { fault } = reader;
    const behind = reader.done ? input.text.slice(input.pos).search(/[^ \t\r\n]/) : -1;
    if (this.unreadable) return;
    if (fault !== null) this.fail(fault.kind, fault.message, fault.offset);
    else if (behind >= 0) this.fail("invalid-arguments", "Text behind the JSON value.", input.offset + behind);
    else if (reader.done) input.pos = input.text.length;
  }

  private fail(kind: Problem["kind"], message: string, offset: number): void {
    this.unreadable = true;
    this.problems.push({ kind, path: "", message, offset });
  }

  end(): Validated {
    if (this.result !== null) return this.result;
    this.input.ended = true;
    this.read("");
    if (this.reader.unclosed) this.fail("truncated", "The text ends inside a list or an object.", this.input.offset);
    this.result = this.reader.done && !this.unreadable ? this.judged() : { ok: false, problems: this.problems };
    return this.result;
  }

  private judged(): Validated {
    const value: unknown = JSON.parse(this.text);
    const { declared, node, check, relaxed } = this;
    const rest = check?.isDecided ? [] : finalProblems(declared, node.seeds[0], value, relaxed);
    for (const problem of rest) {
      if (!this.problems.some(({ kind, path }) => kind === problem.kind && path === problem.path))
        this.problems.push(problem);
    }
    if (this.problems.length > 0) return { ok: false, problems: this.problems };
    return { ok: true, value: value as Record<string, unknown>, warnings: [] };
  }

  get partial(): unknown {
    return this.text === "" ? undefined : this.live.show(this.text);
  }

  get openPath(): string {
    this.live.show(this.text);
    return this.live.openPath;
  }

  private get live(): LiveValue {
    this.shown ??= new LiveValue();
    return this.shown;
  }

  // --- what the JSON reader writes

  write(json: string): void {
    this.text += json;
    this.check?.feed(json);
  }

  verbatim(json: string): void {
    this.write(json);
  }

  run(json: string): void {
    if (this.check?.watched) return this.write(json);
    this.text += json;
  }

  hush(): void {}
  repair(): void {}
}
