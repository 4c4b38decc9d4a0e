import type { ParserEvent } from "../../events.ts";
import { type ParserOptions, StreamParser } from "../../parser.ts";
import { resolve } from "../../registry.ts";
import { idsFrom, NATURAL_ENDS } from "../reply/about.ts";
import type { CallHandling } from "../reply/rejected.ts";
import { Steps } from "../reply/steps.ts";
import { chatDelta } from "./chat-chunks.ts";
import { seamsOf } from "./seams.ts";
import { ServerCalls } from "./server-calls.ts";

/** Options of a repair: those of a parser, and what becomes of calls. Give it the tools of the request. */
export interface RepairOptions extends ParserOptions, CallHandling {}

/** A delta, or a message, of any server. */
export interface DeltaLike {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

/** A delta on its way out. */
export type Delta = Record<string, unknown>;

const THOUGHTS = ["reasoning_content", "reasoning"] as const;

/**
 * Reads one choice again. What the server has split into thoughts and content is put together as the model wrote it, so that
 * the format decides what a call in a thought means: for most it is a draft if an answer follows, and a call if nothing does.
 */
export class ChoiceRepair {
  /** The server has given its reason: nothing more comes. */
  over = false;
  private readonly options: RepairOptions;
  private readonly steps: Steps;
  private readonly serverCalls: ServerCalls;
  private deltas: Delta[] = [];
  private begun = false;
  private parser: StreamParser | null = null;
  /** The text that is read belongs to a thought that the server took out. */
  private inThought = false;
  private outputs = 0;
  /** How many calls the parsers before this one have read. */
  private before = 0;
  private seen = 0;
  /** Under which names this server sends thoughts. */
  private readonly names = new Set<string>();

  constructor(options: RepairOptions) {
    const { onRejected, holdCalls } = options;
    this.options = options;
    // an unknown format is refused at once, not when the first text comes
    resolve(options.format);
    this.steps = new Steps({ onRejected, holdCalls }, (step) => {
      const delta = chatDelta(step);
      if (step.type === "reasoning") this.deltas.push(this.thought(step.text));
      else if (delta !== null) this.deltas.push({ ...delta });
    });
    this.serverCalls = new ServerCalls(this.steps);
  }

  /** The deltas that this one makes, all that is not text kept in the first one. */
  take(delta: DeltaLike): Delta[] {
    this.deltas = [];
    const left: Delta = { ...delta };
    const content = takeText(left, "content");
    const thoughts = THOUGHTS.map((name) => ({ name, text: takeText(left, name) })).filter(({ text }) => text !== "");
    if (thoughts.length > 0) this.think(thoughts);
    if (content !== "") this.answer(content);
    if (Array.isArray(left.tool_calls) && left.tool_calls.length > 0) {
      this.endThought();
      this.steps.passBlanks();
      this.deltas.push({ tool_calls: this.serverCalls.placed(left.tool_calls) });
      delete left.tool_calls;
    }
    const [first, ...more] = this.deltas;
    if (first === undefined && this.begun && !Object.entries(left).some(saysMore)) return [];
    this.begun = true;
    return [{ ...left, ...first }, ...more];
  }

  /** The output is over; the deltas that were held. */
  end(reason: string | null): Delta[] {
    this.deltas = [];
    this.over = true;
    this.parser?.end({ finished: reason !== null && NATURAL_ENDS.has(reason) });
    this.steps.finish();
    return this.deltas;
  }

  /** The reason as it should have been. A reply that was cut off stays one. */
  reason(given: string): string {
    if (!NATURAL_ENDS.has(given) || given === "function_call") return given;
    if (this.steps.offered + this.serverCalls.count > 0) return "tool_calls";
    return given === "tool_calls" ? "stop" : given;
  }

  private think(thoughts: readonly { name: string; text: string }[]): void {
    for (const { name } of thoughts) this.names.add(name);
    // a server that sends a thought under two names sends it twice
    const text = (thoughts[0] as { text: string }).text;
    const seams = seamsOf(this.options.format);
    if (seams === null) {
      this.deltas.push(this.thought(text));
      return;
    }
    if (!this.inThought) {
      this.parser?.end();
      this.parser = this.output(seams.open);
      this.inThought = true;
    }
    this.parser?.feed(text);
  }

  private answer(text: string): void {
    this.endThought();
    this.parser ??= this.output(this.outputs === 0 ? this.options.prefill : undefined);
    this.parser.feed(text);
  }

  private endThought(): void {
    if (this.inThought) this.parser?.feed(seamsOf(this.options.format)?.close ?? "");
    this.inThought = false;
  }

  private thought(text: string): Delta {
    const names = this.names.size === 0 ? ["reasoning_content"] : [...this.names];
    return Object.fromEntries(names.map((name) => [name, text]));
  }

  private output(prefill: string | undefined): StreamParser {
    const { onRejected, holdCalls, generateId, ...options } = this.options;
    this.outputs++;
    this.before = this.seen;
    return new StreamParser(
      {
        ...options,
        prefill,
        generateId: idsFrom(this.before, generateId),
        onEvent: (event) => this.event(event),
      },
      resolve,
    );
  }

  private event(event: ParserEvent): void {
    if (event.type === "finish") return;
    if (event.type === "tool-call" || event.type === "tool-call-rejected") this.seen++;
    this.steps.take(event);
  }
}

/** Some servers write the role, and empty fields, into every delta. */
function saysMore([name, value]: [string, unknown]): boolean {
  return name !== "role" && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** Takes text out of a delta; what is empty, or no text, stays. */
function takeText(delta: Delta, name: string): string {
  const text = delta[name];
  if (typeof text !== "string" || text === "") return "";
  delete delta[name];
  return text;
}
