import { Calls, type Rules } from "./calls.ts";
import type { Finish, ParseResult, ParserEvent, Snapshot } from "./events.ts";
import type { Format, ReasoningTags } from "./format.ts";
import { type Grammar, grammarOf } from "./grammar.ts";
import { Input, type Waiting } from "./input.ts";
import { Outline } from "./outline.ts";
import { replay } from "./prefill.ts";
import type { ToolDeclaration } from "./schema/declare.ts";
import type { Validation } from "./schema/profiles.ts";
import { ToolSet } from "./schema/tools.ts";

export interface Limits {
  /** Deepest nesting of arguments (default 256). A call that passes a limit is rejected as `limit-exceeded`. */
  depth?: number | undefined;
  /** Longest arguments of one call, in UTF-16 units of their JSON text. */
  argumentsLength?: number | undefined;
  /** Most calls in one reply. */
  calls?: number | undefined;
}

/** Options of a parser. Every option also accepts `undefined`. */
export interface ParserOptions<F = Format> {
  /** The format that the model writes: a name, a format, or `"auto"` (default): the first opener decides. */
  format?: string | F | undefined;
  /**
   * The tools that were offered, in any of the usual forms. Without them every call is taken as it is read; with an
   * empty list nothing is offered.
   */
  tools?: readonly ToolDeclaration[] | undefined;
  /** How arguments are held against the schema (default `"coerce"`). `"none"`: only names are checked. */
  validation?: Validation | undefined;
  /** The end of the prompt, as much of it as you like, such as `"<think>\n"`: the state in which the output starts. */
  prefill?: string | undefined;
  /** Put right what has one reading (default true). False: the format's own grammar and nothing else. */
  repair?: boolean | undefined;
  /** Makes the id of a call that has none on the wire (default: nine random letters and digits). */
  generateId?: ((index: number, name: string) => string) | undefined;
  limits?: Limits | undefined;
}

export interface EndOptions {
  /** False: the output was cut off (token limit, dropped connection). Default true. */
  finished?: boolean | undefined;
}

/** Reads one reply of a model, chunk by chunk. */
export interface Parser {
  /**
   * Reads on. Events are dispatched before it returns; an exception that `onEvent` throws comes out here, and the parser
   * stays usable.
   * @throws {Error} after `end`, and inside `onEvent`.
   */
  feed(chunk: string): void;
  /** The output is over. A second `end` returns the same result. */
  end(options?: EndOptions): ParseResult;
  /** Forgets everything, to read another reply with the same options. */
  reset(): void;
  /** What is known so far; costs no re-parsing. */
  snapshot(): Snapshot;
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
    this.reading.next();
    if (tail !== "") this.calls.forget();
    this.state = IDLE;
  }

  feed(chunk: string): void {
    if (this.state !== IDLE) this.refuse("feed");
    if (chunk === "") return;
    const { input } = this;
    input.append(chunk);
    const { pump } = input;
    if (pump === null || pump.step(input)) {
      input.pump = null;
      this.reading.next();
    }
    if (this.onEvent !== undefined && this.calls.onlyDelta) this.send(this.calls.takeDelta());
    else this.dispatch();
  }

  end(options: EndOptions = {}): ParseResult {
    if (this.state === BUSY) this.refuse("end");
    if (this.result === null) {
      const { input, calls } = this;
      input.ended = true;
      input.finished = options.finished !== false;
      if (input.advance()) this.drain();
      calls.flush();
      const finish: Finish = !input.finished ? "truncated" : calls.calls.length > 0 ? "tool-calls" : "stop";
      this.result = { ...this.known(), finish };
      calls.push({ type: "finish", finish, result: this.result });
      this.state = ENDED;
    }
    this.dispatch();
    return this.result;
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
        arguments: open.view(),
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
    generateId: options.generateId ?? randomId,
  };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Nine letters and digits: Mistral's chat template refuses other ids. */
function randomId(): string {
  let id = "";
  for (let i = 0; i < 9; i++) id += ALPHABET[Math.floor(Math.random() * ALPHABET.length)];
  return id;
}

export type { ReasoningTags };
