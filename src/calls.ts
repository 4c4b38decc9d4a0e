import type { ParserEvent, Problem, ProblemKind, RejectedCall, Repair, RepairKind, ToolCall } from "./events.ts";
import type { Input } from "./input.ts";
import { LiveValue } from "./json/live.ts";
import type { Ends, Sink } from "./json/reader.ts";
import type { LiveText } from "./schema/live/text.ts";
import { anything, type SchemaNode } from "./schema/node.ts";
import { findArguments, findValue, segments } from "./schema/places.ts";
import type { Tool, ToolSet } from "./schema/tools.ts";

/** What the assembler has to know. */
export interface Rules {
  /** Null: no tools were given, every call is taken as it is read. */
  tools: ToolSet | null;
  /** Values of JSON formats are coerced too. */
  coerces: boolean;
  repair: boolean;
  /** What ends a call from outside. */
  ends: Ends;
  depth: number;
  argumentsLength: number;
  calls: number;
  /** The first problem of a call ends the reading. */
  stopOnProblem: boolean;
  generateId: (index: number, name: string) => string;
}

/** Thrown through the readings when one problem is enough; the parser catches it. */
export class Stop extends Error {
  readonly call: Call;

  constructor(call: Call) {
    super("stopped");
    this.call = call;
  }
}

/** No offset: those of the prefill are negative. */
const NOWHERE = -0x3fffffff;

const NOTHING = 0;
const TEXT = 1;
const THOUGHT = 2;
const DELTA = 3;

/**
 * The assembler: takes what the readings report and makes events and results of it. Deltas of one kind are merged until
 * something else comes or the chunk has been read, so that there is one event object a chunk, not one a piece.
 */
export class Calls {
  readonly calls: ToolCall[] = [];
  readonly rejected: RejectedCall[] = [];
  content = "";
  reasoning = "";
  /** Events in order that were not dispatched yet. */
  queue: ParserEvent[] = [];
  /** The call that is being read. */
  open: Call | null = null;
  /** Calls that were named so far. */
  count = 0;
  /** Calls that came to their end with readable arguments. */
  completed = 0;
  /** What is wrong around the next call that is begun. */
  lost: Repair | null = null;

  readonly input: Input;
  readonly rules: Rules;
  /** A rehearsal: nothing comes out. */
  readonly muted: boolean;
  private pending = "";
  private kind = NOTHING;

  constructor(input: Input, rules: Rules, muted = false) {
    this.input = input;
    this.rules = rules;
    this.muted = muted;
  }

  /** A muted copy, to find out where a call ends that may be none. */
  dry(): Calls {
    return new Calls(this.input, this.rules, true);
  }

  /** Is a tool of this name offered? Without declarations every name is. */
  knows(name: string): boolean {
    return this.rules.tools === null || this.rules.tools.has(name);
  }

  /** Was a tool of this name declared? Without declarations none was. */
  declares(name: string): boolean {
    return this.rules.tools?.has(name) ?? false;
  }

  text(piece: string): void {
    this.add(TEXT, piece);
  }

  thought(piece: string): void {
    this.add(THOUGHT, piece);
  }

  delta(piece: string): void {
    if (this.kind === NOTHING) {
      this.kind = DELTA;
      this.pending = piece;
    } else {
      this.add(DELTA, piece);
    }
  }

  private add(kind: number, piece: string): void {
    if (this.kind === kind) {
      this.pending += piece;
    } else {
      if (this.kind !== NOTHING) this.flush();
      this.kind = kind;
      this.pending = piece;
    }
  }

  push(event: ParserEvent): void {
    if (this.kind !== NOTHING) this.flush();
    this.queue.push(event);
  }

  /** Makes an event of the deltas that were collected. */
  flush(): void {
    if (this.muted || this.kind === NOTHING) return;
    this.queue.push(this.kind === DELTA ? this.takeDelta() : this.takeText());
  }

  /** Nothing but a piece of arguments has come since the last event: the usual case, one delta a chunk. */
  get onlyDelta(): boolean {
    return this.kind === DELTA && this.queue.length === 0;
  }

  takeDelta(): ParserEvent {
    const { pending } = this;
    const { index, id } = this.open as Call;
    this.kind = NOTHING;
    this.pending = "";
    return { type: "tool-input-delta", index, id: id as string, delta: pending };
  }

  private takeText(): ParserEvent {
    const { kind, pending } = this;
    this.kind = NOTHING;
    this.pending = "";
    if (kind === TEXT) {
      this.content += pending;
      return { type: "text-delta", text: pending };
    }
    this.reasoning += pending;
    return { type: "reasoning-delta", text: pending };
  }

  /** Forgets all that came out but the call that is open: it came from the prompt. */
  forget(): void {
    this.flush();
    const { open } = this;
    this.queue = [];
    this.calls.length = 0;
    this.rejected.length = 0;
    this.content = "";
    this.reasoning = "";
    this.count = 0;
    this.completed = 0;
    open?.replay(this.count++);
  }

  /** Begins a call whose text starts at the offset `from`. Nothing is shown of it before it is named. */
  begin(from: number): Call {
    const call = new Call(this, from);
    if (this.lost !== null) {
      call.repair(this.lost.kind, this.lost.offset);
      this.lost = null;
    }
    return call;
  }

  /**
   * The output ends behind an opener, before any name: at a natural end the opener was text (false), at a cut it was
   * the beginning of a call (true).
   */
  cut(from: number): boolean {
    const { input } = this;
    if (!input.ended || input.finished) return false;
    // what is left is half a marker
    input.pos = input.text.length;
    const call = this.begin(from);
    call.fail("truncated", "The output was cut off before the name of the tool.", input.offset);
    call.end(input.offset);
    return true;
  }
}

/** One call on its way from its first character to its last event. */
export class Call implements Sink {
  /** -1 until it is named. */
  index = -1;
  id: string | null = null;
  name: string | null = null;
  tool: Tool | undefined;
  /**
   * The arguments that were sent: `text`, then the parts (text, or the two offsets of a range of the output), then
   * `literal`, or the range that is still growing.
   */
  private text = "";
  private parts: (string | number)[] = [];
  private literal = "";
  private rangeFrom = 0;
  private rangeTo = NOWHERE;
  private members = 0;
  readonly repairs: Repair[] = [];
  readonly problems: Problem[] = [];
  /** Its arguments cannot be trusted: what comes is not kept. */
  broken = false;

  private readonly calls: Calls;
  private readonly start: number;
  /** What is written goes out at once. */
  private streaming = false;
  private announced = false;
  private waiting = false;
  private quiet = false;
  /** Arguments that are not sent, or not yet. */
  private later = "";
  /** The arguments as read where they had to depart from what was sent. */
  private fork: string | null = null;
  private length = 0;
  private readonly limit: number;
  /** Where the arguments stand in the output, where readings say so. */
  private places: Map<string, { offset: number; asJson: boolean }> | null = null;
  private shown: LiveValue | null = null;
  /** Holds the arguments against the schema while they come. */
  private live: LiveText | null = null;
  /** The text that it reads, and how much of it was sent. */
  private piece = "";
  private done = 0;

  constructor(calls: Calls, start: number) {
    this.calls = calls;
    this.limit = calls.rules.argumentsLength;
    this.start = Math.max(0, start);
  }

  get node(): SchemaNode {
    return this.calls.rules.coerces ? (this.tool?.node ?? anything) : anything;
  }

  /** A name that differs from a declared one by the blanks around it is that name. */
  static nameFor(calls: Calls, name: string): string {
    const trimmed = name.trim();
    return calls.rules.repair && !calls.knows(name) && calls.knows(trimmed) ? trimmed : name;
  }

  /** The id on the wire. One that comes after the call was announced is ignored. */
  identify(id: string): void {
    if (!this.announced) this.id = id;
  }

  /** The name is known. With `waitForId` the call is announced at its id or its end. */
  named(name: string, waitForId = false): void {
    const { calls } = this;
    this.name = name;
    this.index = calls.count++;
    calls.open = this;
    const { rules } = calls;
    this.tool = rules.tools?.get(name);
    if (calls.muted) return;
    if (this.index >= rules.calls) {
      this.fail("limit-exceeded", `More than ${rules.calls} calls in one reply.`, this.start);
    } else if (rules.tools !== null && this.tool === undefined) {
      const names = rules.tools.names;
      const offered =
        names.length === 0
          ? "no tools are offered"
          : `the tools are ${names
              .slice(0, 20)
              .map((n) => JSON.stringify(n))
              .join(", ")}`;
      this.problem({
        kind: "unknown-tool",
        path: "",
        message: `There is no tool named ${JSON.stringify(name)}: ${offered}.`,
        expected: [...names],
        received: name,
        offset: this.start,
      });
    }
    if (!this.broken) this.live = this.tool?.live((problem, at) => this.found(problem, at)) ?? null;
    this.waiting = waitForId;
    if (!waitForId) this.announce();
  }

  /** From here on the arguments stream. */
  announce(): void {
    this.waiting = false;
    const { calls } = this;
    if (this.announced || this.name === null || calls.muted) return;
    this.id ??= calls.rules.generateId(this.index, this.name);
    if (this.problems.length !== 0) return;
    this.announced = true;
    calls.push({ type: "tool-input-start", index: this.index, id: this.id, name: this.name });
    if (this.quiet) return;
    this.sendLater();
    this.streaming = !this.broken;
  }

  /** Announces again what the prompt has opened. */
  replay(index: number): void {
    this.index = index;
    for (const problem of this.problems) this.calls.push({ type: "tool-problem", index, problem });
    if (!this.announced) return;
    this.announced = false;
    const text = this.sent;
    this.announce();
    if (text !== "") this.calls.delta(text);
  }

  private sendLater(): void {
    if (this.later === "") return;
    const { later } = this;
    this.later = "";
    this.closeRange();
    this.literal += later;
    this.calls.delta(later);
  }

  write(json: string): void {
    this.length += json.length;
    if (this.streaming && this.length <= this.limit) this.send(json);
    else this.keep(json);
  }

  /**
   * Arguments that stand in the output just as they are sent, at the offset `from`. The input keeps that text anyway, so
   * that only the range is noted: gathering it a second time costs as much as reading it.
   */
  verbatim(json: string, from: number): void {
    const length = this.length + json.length;
    if (!this.streaming || this.rangeTo !== from || length > this.limit) return this.openRange(json, from);
    this.deliver(json);
    this.length = length;
    this.rangeTo = from + json.length;
  }

  /** As `verbatim`: nothing in it needs to be looked at but by who watches the string. */
  run(json: string, from: number): void {
    const length = this.length + json.length;
    if (!this.streaming || this.rangeTo !== from || length > this.limit) return this.openRange(json, from);
    if (this.live?.watched) this.deliver(json);
    else this.calls.delta(json);
    this.length = length;
    this.rangeTo = from + json.length;
  }

  private openRange(json: string, from: number): void {
    this.length += json.length;
    if (!this.streaming || this.length > this.limit) return this.keep(json);
    this.deliver(json);
    this.closeRange();
    if (this.literal !== "") {
      this.parts.push(this.literal);
      this.literal = "";
    }
    this.rangeFrom = from;
    this.rangeTo = from + json.length;
  }

  private send(json: string): void {
    this.deliver(json);
    this.closeRange();
    this.literal += json;
  }

  /** Sends a piece. What is found in it comes out between what is before it and what is behind it. */
  private deliver(json: string): void {
    const { calls, live } = this;
    if (live === null) return calls.delta(json);
    this.piece = json;
    this.done = 0;
    live.feed(json);
    this.sendUpTo(json.length);
    this.piece = "";
    this.done = 0;
  }

  private sendUpTo(at: number): void {
    const { piece, done } = this;
    if (at <= done) return;
    this.done = at;
    this.calls.delta(at - done === piece.length ? piece : piece.slice(done, at));
  }

  private found(problem: Problem, at: number): void {
    if (this.streaming) this.sendUpTo(at);
    this.problem(problem);
  }

  private closeRange(): void {
    if (this.rangeTo === NOWHERE) return;
    this.parts.push(this.rangeFrom, this.rangeTo);
    this.rangeTo = NOWHERE;
  }

  /** What opens the next member of the arguments: `{"key":` or `,"key":`. */
  member(key: string, again = false): string {
    if (!again) this.members++;
    return `${this.members === 1 ? "{" : ","}${JSON.stringify(key)}:`;
  }

  /** The last member is written. */
  closeMembers(): void {
    if (this.members > 0) this.write("}");
  }

  /** The arguments that were sent. */
  get sent(): string {
    this.closeRange();
    const { parts, literal } = this;
    if (parts.length !== 0) {
      const first = parts.find((part) => typeof part === "number") ?? 0;
      const raw = this.calls.input.slice(first, this.calls.input.seen);
      for (let i = 0; i < parts.length; i++) {
        const part = parts[i] as string | number;
        this.text += typeof part === "string" ? part : raw.slice(part - first, (parts[++i] as number) - first);
      }
      this.parts = [];
    }
    if (literal !== "") {
      this.text += literal;
      this.literal = "";
    }
    return this.text;
  }

  /** What is not sent, or not yet. */
  private keep(json: string): void {
    if (this.broken || this.calls.muted) return;
    const { limit } = this;
    if (this.length > limit) {
      this.later = "";
      this.live = null;
      this.fail("limit-exceeded", `The arguments are longer than ${limit} characters.`, this.calls.input.offset);
    } else if (this.fork !== null) {
      this.fork += json;
    } else {
      this.later += json;
      this.live?.feed(json);
    }
  }

  hush(): void {
    this.quiet = true;
    this.streaming = false;
  }

  /** As `hush`, and `recast` may change everything: until the end nothing is certain. */
  hold(): void {
    this.hush();
    this.live = null;
  }

  repair(kind: RepairKind, offset: number): void {
    this.repairs.push({ kind, offset });
  }

  /** All that was written so far. */
  written(): string {
    this.calls.flush();
    return this.fork ?? this.sent + this.later;
  }

  /** Changes the arguments of a hushed call of which nothing was sent: what they mean is known only now. */
  recast(change: (json: string) => string): void {
    if (this.broken || this.later === "") return;
    this.later = change(this.later);
  }

  /** What was sent behind `before` turned out to be something else: the call will be rejected, with `json` in its place. */
  depart(before: string, json: string): void {
    this.calls.flush();
    this.hold();
    this.fork = before + json;
  }

  problem(problem: Problem): void {
    this.problems.push(problem);
    if (this.calls.muted) return;
    const { calls } = this;
    if (this.index < 0) this.index = calls.count++;
    problem.offset ??= this.placeOf(problem);
    calls.push({ type: "tool-problem", index: this.index, problem });
    if (calls.rules.stopOnProblem) throw new Stop(this);
  }

  /** The value of an argument begins at `offset`. `asJson`: as JSON text, in which others can be found. */
  place(key: string, offset: number, asJson = false): void {
    this.places ??= new Map();
    this.places.set(key, { offset, asJson });
  }

  /** Offset of the value of a problem, or of what is around it. */
  private placeOf({ kind, path }: Problem): number {
    const { start, places } = this;
    const { input } = this.calls;
    const keys = segments(path);
    if (kind === "missing-required") keys.pop();
    if (places === null) {
      const raw = input.slice(start, input.seen);
      const from = findArguments(raw);
      return start + (keys.length === 0 ? 0 : from + findValue(keys, raw.slice(from)));
    }
    const place = places.get(keys[0] ?? "");
    if (place === undefined) return start;
    return place.offset + (place.asJson ? findValue(keys.slice(1), input.slice(place.offset, input.seen)) : 0);
  }

  fail(kind: ProblemKind, message: string, offset: number): void {
    this.broken = true;
    this.streaming = false;
    this.problem({ kind, path: "", message, offset });
  }

  /** The arguments so far: a live view. */
  view(): { arguments: Record<string, unknown>; openPath: string } {
    this.shown ??= new LiveValue();
    return { arguments: this.shown.show(this.sent), openPath: this.shown.openPath };
  }

  /** The call is over; `to` is the offset behind its last character. */
  end(to: number): void {
    if (this.waiting) this.announce();
    if (!this.broken) this.judge();
    this.close(to);
  }

  /** One problem was enough. Answers the offset up to which the output was used. */
  stop(): number {
    const to = this.problems.at(-1)?.offset ?? this.start;
    if (this.streaming) {
      this.closeRange();
      this.literal += this.piece.slice(0, this.done);
    }
    this.close(to);
    return Math.max(0, to);
  }

  private close(to: number): void {
    const { calls } = this;
    calls.open = this;
    calls.flush();
    calls.open = null;
    if (calls.muted) return;
    const index = this.index;
    const range = { start: this.start, end: Math.max(0, to) };
    if (this.problems.length === 0) {
      const { id, name, repairs, sent, parsed } = this;
      const call = { index, id, name, arguments: parsed, argumentsText: sent, repairs, ...range } as ToolCall;
      calls.calls.push(call);
      calls.push({ type: "tool-call", call });
    } else {
      const { id, name, problems, parsed } = this;
      const argumentsText = this.announced ? this.sent : this.later;
      const raw = calls.input.slice(range.start, range.end);
      const call: RejectedCall = { index, id, name, arguments: parsed, argumentsText, raw, problems, ...range };
      calls.rejected.push(call);
      calls.push({ type: "tool-call-rejected", call });
    }
  }

  private parsed: Record<string, unknown> | null = null;

  /** Reads the finished arguments and holds them against the schema. */
  private judge(): void {
    const { calls } = this;
    calls.completed++;
    if (calls.muted) return;
    if (this.length === 0) this.write("{}");
    if (this.fork === null && this.announced) this.sendLater();
    const text = this.written();
    this.parsed = JSON.parse(text) as Record<string, unknown>;
    if (this.live?.isDecided) return;
    const known = [...this.problems];
    for (const problem of this.tool?.check(this.parsed, text) ?? []) {
      if (!known.some((one) => tells(one, problem))) this.problem(problem);
    }
  }
}

/** Was this said already? A union of which no branch fits, and what is wrong in the branch that is meant, are one thing. */
function tells(known: Problem, problem: Problem): boolean {
  if (known.path === problem.path) return true;
  if (known.kind === "no-branch") return problem.path.startsWith(`${known.path}/`);
  return problem.kind === "no-branch" && known.path.startsWith(`${problem.path}/`);
}
