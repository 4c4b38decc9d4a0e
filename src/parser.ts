import { Calls, type Rules, Stop } from "./calls.ts";
import type { Finish, ParseResult, ParserEvent, Snapshot, ToolCall } from "./events.ts";
import type { Format, ReasoningTags } from "./format.ts";
import { type Grammar, grammarOf } from "./grammar.ts";
import { Input, type Waiting } from "./input.ts";
import { Outline } from "./outline.ts";
import { replay } from "./prefill.ts";
import { randomText } from "./random.ts";
import { ToolSet } from "./schema/tools.ts";
import type { ToolsOption, ValidationOption } from "./types.ts";

export interface Limits {
  /** Deepest nesting of arguments (default 256). A call that passes a limit is rejected as `limit-exceeded`. */
  depth?: number | undefined;
  /** Longest arguments of one call, in UTF-16 units of their JSON text. */
  argumentsLength?: number | undefined;
  /** Most calls in one reply. */
  calls?: number | undefined;
}

/** Options of a parser. Every option also accepts `undefined`. */
export interface ParserOptions<
  F = Format,
  T extends ToolsOption = ToolsOption,
  V extends ValidationOption = ValidationOption,
> {
  /** The format that the model writes: a name, a format, or `"auto"` (default): the first opener decides. */
  format?: string | F | undefined;
  /**
   * The tools that were offered, in any of the usual forms. Without them every call is taken as it is read; with an
   * empty list nothing is offered. Calls have the types of what is declared as a literal: see `CallOf`.
   */
  tools?: T;
  /** How arguments are held against the schema (default `"coerce"`). `"none"`: only names are checked. */
  validation?: V;
  /** The end of the prompt, as much of it as you like, such as `"<think>\n"`: the state in which the output starts. */
  prefill?: string | undefined;
  /** Put right what has one reading (default true). False: the format's own grammar and nothing else. */
  repair?: boolean | undefined;
  /** Makes the id of a call that has none on the wire (default: nine random letters and digits). */
  generateId?: ((index: number, name: string) => string) | undefined;
  /**
   * The first problem of a call ends the reading (default false): the call is rejected, `finish` follows, `used` says how
   * much of the output was read, and what is fed after that is ignored. Stop the model then.
   */
  stopOnProblem?: boolean | undefined;
  limits?: Limits | undefined;
}

export interface EndOptions {
  /** False: the output was cut off (token limit, dropped connection). Default true. */
  finished?: boolean | undefined;
}

/** Reads one reply of a model, chunk by chunk. */
export interface Parser<Call extends ToolCall = ToolCall> {
  /**
   * Reads on. Events are dispatched before it returns; an exception that `onEvent` throws comes out here, and the parser
   * stays usable.
   * @throws {Error} after `end`, and inside `onEvent`.
   */
  feed(chunk: string): void;
  /** The output is over. A second `end` returns the same result. */
  end(options?: EndOptions): ParseResult<Call>;
  /** Forgets everything, to read another reply with the same options. */
  reset(): void;
  /** What is known so far; costs no re-parsing. */
  snapshot(): Snapshot<Call>;
  /** A problem has ended the reading (`stopOnProblem`). */
  readonly stopped: boolean;
}

/** Finds the grammar for the `format` option: the registry's part, so that the core needs no registry. */
export type Resolve = (format: string | Format | undefined) => Grammar;

/** The core's part: formats are values. */
export const onlyValues: Resolve = (format) => {
  if (typeof format === "object") return grammarOf(format);
  throw new TypeError(`tool-call-parser/core takes a format as a value, not ${JSON.stringify(format ?? "auto")}.`);
};

/** Longer than any string, and still a small integer to the engine. */
const UNLIMITED = 0x3fffffff;

const IDLE = 0;
const BUSY = 1;
const ENDED = 2;

export class StreamParser implements Parser {
  private readonly grammar: Grammar;
  private readonly rules: Rules;
  private readonly prefill: string;
  private readonly onEvent: ((event: ParserEvent) => void) | undefined;

  private input = new Input();
  private calls!: Calls;
  private outline!: Outline;
  private reading!: Waiting<void>;
  private state = IDLE;
  private result: ParseResult | null = null;

  constructor(options: ParserOptions & { onEvent?: ((event: ParserEvent) => void) | undefined }, resolve: Resolve) {
    this.grammar = resolve(options.format);
    this.rules = rulesOf(options, this.grammar);
    this.prefill = options.prefill ?? "";
    this.onEvent = options.onEvent;
    this.start();
  }

  private start(): void {
    this.input = new Input();
    this.calls = new Calls(this.input, this.rules);
    this.outline = new Outline(this.input, this.calls, this.grammar);
    this.result = null;
    const { thought, tail } = replay(this.prefill, this.grammar);
    this.reading = this.outline.read(thought);
    this.input.base = 0 - tail.length;
    this.input.append(tail);
    this.state = IDLE;
    this.untilProblem(() => void this.reading.next());
    if (tail !== "" && !this.stopped) this.calls.forget();
  }

  feed(chunk: string): void {
    if (this.state !== IDLE) {
      if (this.stopped) return this.dispatch();
      this.refuse("feed");
    }
    if (chunk === "") return;
    this.input.append(chunk);
    if (this.rules.stopOnProblem) this.untilProblem(() => this.read());
    else this.read();
    if (this.onEvent !== undefined && this.calls.onlyDelta) this.send(this.calls.takeDelta());
    else this.dispatch();
  }

  private read(): void {
    const { input } = this;
    const { pump } = input;
    if (pump === null || pump.step(input)) {
      input.pump = null;
      this.reading.next();
    }
  }

  private untilProblem(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      this.finish("stop", { used: error.call.stop() });
    }
  }

  get stopped(): boolean {
    return this.result?.used !== undefined;
  }

  end(options: EndOptions = {}): ParseResult {
    if (this.state === BUSY) this.refuse("end");
    if (this.result === null) {
      const { input } = this;
      input.ended = true;
      input.finished = options.finished !== false;
      this.untilProblem(() => {
        if (input.advance()) this.drain();
      });
      if (this.result === null) this.finish(input.finished ? "stop" : "truncated");
    }
    this.dispatch();
    return this.result as ParseResult;
  }

  private finish(end: "stop" | "truncated", more?: { used: number }): void {
    const { calls } = this;
    calls.flush();
    const finish: Finish = end === "stop" && calls.calls.length > 0 ? "tool-calls" : end;
    this.result = { ...this.known(), finish, ...more };
    calls.push({ type: "finish", finish, result: this.result });
    this.state = ENDED;
  }

  private drain(): void {
    while (!this.reading.next().done) {
      if (!this.input.advance()) break;
    }
  }

  reset(): void {
    if (this.state === BUSY) this.refuse("reset");
    this.start();
  }

  snapshot(): Snapshot {
    this.calls.flush();
    const { open } = this.calls;
    const { content, reasoning, calls, rejected, format } = this.known();
    return {
      content,
      reasoning,
      calls: [...calls],
      rejected: [...rejected],
      format,
      open: open && {
        index: open.index,
        id: open.id,
        name: open.name,
        argumentsText: open.sent,
        ...open.view(),
      },
    };
  }

  private known(): Omit<ParseResult, "finish"> {
    const { content, reasoning, calls, rejected } = this.calls;
    const format = this.grammar.name === "auto" ? (this.outline.format ?? "auto") : this.grammar.name;
    return { content, reasoning, calls, rejected, format };
  }

  /** Hands out what was read. What `onEvent` did not get to see because it threw comes with the next chunk. */
  private dispatch(): void {
    const { calls } = this;
    calls.flush();
    const { queue } = calls;
    if (queue.length === 0) return;
    calls.queue = [];
    if (this.onEvent === undefined) return;
    let sent = 0;
    try {
      while (sent < queue.length) this.send(queue[sent++] as ParserEvent);
    } finally {
      if (sent < queue.length) calls.queue = queue.slice(sent);
    }
  }

  private send(event: ParserEvent): void {
    const after = this.state;
    this.state = BUSY;
    try {
      this.onEvent?.(event);
    } finally {
      this.state = after;
    }
  }

  private refuse(method: string): never {
    throw new Error(
      this.state === BUSY
        ? `${method}() must not be called inside onEvent.`
        : `${method}() after end(): call reset() first.`,
    );
  }
}

function rulesOf(options: ParserOptions, grammar: Grammar): Rules {
  const validation = options.validation ?? "coerce";
  const limits = options.limits ?? {};
  return {
    tools: options.tools === undefined ? null : new ToolSet(options.tools, validation),
    coerces: validation === "coerce",
    repair: options.repair !== false,
    ends: grammar.ends,
    depth: limits.depth ?? 256,
    argumentsLength: limits.argumentsLength ?? UNLIMITED,
    calls: limits.calls ?? UNLIMITED,
    stopOnProblem: options.stopOnProblem === true,
    generateId: options.generateId ?? randomId,
  };
}

/** Nine letters and digits: Mistral's chat template refuses other ids. */
function randomId(): string {
  return randomText(9);
}

export type { ReasoningTags };
