import type { ParserEvent, RejectedCall } from "../../events.ts";
import { type ParserOptions, StreamParser } from "../../parser.ts";
import { resolve } from "../../registry.ts";
import { freeId } from "../reply/about.ts";
import { RejectedCallError, type RejectedHandling, refusedCall } from "./rejected.ts";
import type { FinishReason, MadePart, TextBlock } from "./types.ts";

/** What a reply needs to know of its request. */
export interface Request {
  options: ParserOptions;
  onRejected: ((call: RejectedCall) => RejectedHandling | undefined) | undefined;
  /** The names of the tools that the AI SDK knows. */
  known: ReadonlySet<string>;
  /** The ids of calls that are taken: those of the history at first. */
  ids: Set<string>;
}

/**
 * One reply of a provider. Each text block of it is an output of its own to the parser; what is in it goes out as blocks that
 * end before the next one begins.
 */
export class Reply {
  /** How many calls the AI SDK was told of. */
  calls = 0;
  private readonly request: Request;
  private readonly emit: (part: MadePart) => void;
  private parser: StreamParser | null = null;
  private source: TextBlock = { id: "0" };
  /** The provider has ended its text block; ours stays open until it is known whether the output was cut off. */
  private over = false;
  private block: { kind: "text" | "reasoning"; id: string } | null = null;
  /** Blanks that come before anything else in a block. */
  private blanks = { kind: "", text: "" };
  private blocks = 0;
  private outputs = 0;
  /** The id of the call that is being written. */
  private callId: string | null = null;

  constructor(request: Request, emit: (part: MadePart) => void) {
    this.request = request;
    this.emit = emit;
  }

  /** The provider begins a text. */
  begin(source: TextBlock): void {
    this.finish(true);
    this.source = source;
  }

  feed(text: string): void {
    this.parser ??= this.output();
    this.parser.feed(text);
  }

  /** The provider has ended its text, with what it says about it. */
  end(about: object): void {
    this.source = { ...this.source, ...about };
    this.over = true;
  }

  /** The provider puts something else in between. */
  interrupt(): void {
    if (this.over) this.finish(true);
    else this.endBlock();
  }

  /** The text is complete, or was cut off. */
  finish(finished: boolean): void {
    this.parser?.end({ finished });
    this.parser = null;
    this.over = false;
  }

  /** A text-only provider does not know that it called a tool. A cut reply stays one: the AI SDK runs nothing of it. */
  reason({ unified, raw }: FinishReason): FinishReason {
    const ended = unified === "stop" || unified === "other";
    return { unified: ended && this.calls > 0 ? "tool-calls" : unified, raw };
  }

  private output(): StreamParser {
    // only the first text goes on from the prompt
    const prefill = this.outputs++ === 0 ? this.request.options.prefill : undefined;
    return new StreamParser({ ...this.request.options, prefill, onEvent: (event) => this.take(event) }, resolve);
  }

  private take(event: ParserEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.write("text", event.text);
      case "reasoning-delta":
        return this.write("reasoning", event.text);
      case "tool-input-start":
        this.endBlock();
        this.callId = this.freeId(event.id);
        return this.emit({ type: "tool-input-start", id: this.callId, toolName: event.name });
      case "tool-input-delta":
        return this.emit({ type: "tool-input-delta", id: this.callId ?? event.id, delta: event.delta });
      case "tool-call": {
        const { id, name, argumentsText } = event.call;
        const toolCallId = this.endInput() ?? this.freeId(id);
        this.calls++;
        return this.emit({ type: "tool-call", toolCallId, toolName: name, input: argumentsText });
      }
      case "tool-call-rejected":
        return this.reject(event.call);
      case "finish":
        return this.endBlock();
      case "tool-problem":
        return;
    }
  }

  private reject(call: RejectedCall): void {
    const started = this.endInput();
    let how = this.request.onRejected?.(call) ?? "tool-call";
    if (how === "tool-call" && call.name === null) how = "text";
    if (how === "text") return this.write("text", call.raw);
    this.endBlock();
    if (how === "error") this.emit({ type: "error", error: new RejectedCallError(call) });
    if (how !== "tool-call") return;
    this.calls++;
    this.emit(refusedCall(call, started ?? this.freeId(call.id ?? `call-${call.index}`), this.request.known));
  }

  private endInput(): string | null {
    const id = this.callId;
    this.callId = null;
    if (id !== null) this.emit({ type: "tool-input-end", id });
    return id;
  }

  /** Line breaks between two calls, or an empty thought, are no block: nobody wants to be shown one. */
  private write(kind: "text" | "reasoning", delta: string): void {
    let text = delta;
    if (this.block?.kind !== kind) {
      if (this.blanks.kind === kind) text = this.blanks.text + delta;
      this.blanks = { kind, text };
      if (text.trim() === "") return;
      this.endBlock();
      const id = this.blocks === 0 ? this.source.id : `${this.source.id}:${this.blocks}`;
      this.blocks++;
      this.block = { kind, id };
      this.emit({ ...this.source, type: `${kind}-start`, id });
    }
    if (this.block !== null) this.emit({ type: `${kind}-delta`, id: this.block.id, delta: text });
  }

  private endBlock(): void {
    this.blanks = { kind: "", text: "" };
    if (this.block === null) return;
    const { kind, id } = this.block;
    this.block = null;
    this.emit({ ...(this.over && kind === "text" ? this.source : {}), type: `${kind}-end`, id });
  }

  /** The AI SDK finds calls by their ids, in the whole conversation; models repeat theirs. */
  private freeId(id: string): string {
    return freeId(id, this.request.ids);
  }
}
