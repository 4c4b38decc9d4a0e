import type { Finish, ParserEvent, RejectedCall } from "../../events.ts";
import { freeId } from "./about.ts";
import { type CallHandling, handlingOf, refusedArguments } from "./rejected.ts";

/** What a client is told: the parser's events, with all that can no longer be taken back held until it is certain. */
export type Step =
  | { type: "text" | "reasoning"; text: string }
  /** `position` counts the calls that the client is told of, so that it sees no hole. */
  | { type: "call"; position: number; id: string; name: string }
  | { type: "arguments"; position: number; text: string }
  | { type: "call-end"; position: number; arguments: string; outcome: Outcome };

/** `withdrawn`: it was rejected after it had begun, and is not meant to be answered. `refused`: it was sent all the same. */
export type Outcome = "valid" | "refused" | "withdrawn";

export interface StepOptions extends CallHandling {
  /** Text and thoughts come in blocks, each of which needs something to show. Else there is one of each in a reply. */
  blocks?: boolean | undefined;
}

type Kind = "text" | "reasoning";

/** The call that is being written. */
interface OpenCall {
  position: number;
  /** How much of the arguments is out. */
  sent: number;
  /** A closing brace that may be the last one. */
  held: string;
}

/**
 * Makes steps of events. The last brace of a call's arguments stays back until the call is valid: clients run what reads as
 * JSON, some as soon as it does. Blanks alone, such as the line break between two calls, begin no text.
 */
export class Steps {
  /** How many calls the client was told of. */
  told = 0;
  /** How many of them it is meant to answer. */
  offered = 0;
  private readonly options: StepOptions;
  private readonly emit: (step: Step) => void;
  private readonly ids = new Set<string>();
  private open: OpenCall | null = null;
  private kind: Kind | null = null;
  private begun = { text: false, reasoning: false };
  private blanks = { text: "", reasoning: "" };

  constructor(options: StepOptions, emit: (step: Step) => void) {
    this.options = options;
    this.emit = emit;
  }

  take(event: ParserEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.write("text", event.text);
      case "reasoning-delta":
        return this.write("reasoning", event.text);
      case "tool-input-start":
        if (this.options.holdCalls !== true) this.open = this.begin(event.id, event.name);
        return;
      case "tool-input-delta":
        return this.open === null ? undefined : this.send(this.open, event.delta);
      case "tool-call": {
        const { id, name, argumentsText } = event.call;
        this.offered++;
        return this.end(this.open ?? this.begin(id, name), argumentsText, "valid");
      }
      case "tool-call-rejected":
        return this.reject(event.call);
      case "finish":
        return this.finish();
      case "tool-problem":
        return;
    }
  }

  /** A call that comes from elsewhere: its place, and an id that no other call has. */
  reserve(id: string): { position: number; id: string } {
    return { position: this.told++, id: this.freeId(id) };
  }

  /** What the client hears as the reason. */
  reason(finish: Finish): "tool_calls" | "stop" | "length" {
    if (finish === "truncated") return "length";
    return this.offered > 0 ? "tool_calls" : "stop";
  }

  /** Blanks are the answer where nothing else is. */
  finish(): void {
    if (this.told === 0 && this.options.blocks !== true) this.passBlanks();
  }

  /** The blanks that are held are not ours to leave out. */
  passBlanks(): void {
    const text = this.blanks.text;
    this.blanks.text = "";
    if (text !== "") this.emit({ type: "text", text });
  }

  private begin(wireId: string, name: string): OpenCall {
    if (this.options.blocks === true) this.endRun(null);
    const { position, id } = this.reserve(wireId);
    this.emit({ type: "call", position, id, name });
    return { position, sent: 0, held: "" };
  }

  private send(call: OpenCall, delta: string): void {
    let text = call.held + delta;
    call.held = text.endsWith("}") ? "}" : "";
    text = text.slice(0, text.length - call.held.length);
    call.sent += text.length;
    if (text !== "") this.emit({ type: "arguments", position: call.position, text });
  }

  private end(call: OpenCall, text: string, outcome: Outcome): void {
    this.open = null;
    const { position } = call;
    if (text.length > call.sent) this.emit({ type: "arguments", position, text: text.slice(call.sent) });
    this.emit({ type: "call-end", position, arguments: text, outcome });
  }

  private reject(call: RejectedCall): void {
    const { open } = this;
    const how = handlingOf(call, this.options);
    if (how === "send") {
      this.offered++;
      const told = open ?? this.begin(call.id ?? `call_${call.index}`, call.name ?? "");
      return this.end(told, refusedArguments(call.argumentsText, call), "refused");
    }
    if (open !== null) this.end(open, refusedArguments(call.argumentsText.slice(0, open.sent), call), "withdrawn");
    else if (call.id !== null) this.freeId(call.id);
    if (how === "text") this.write("text", call.raw);
  }

  private write(kind: Kind, piece: string): void {
    if (this.options.blocks === true && this.kind !== kind) this.endRun(kind);
    let text = piece;
    if (!this.begun[kind]) {
      this.blanks[kind] += piece;
      if (piece.trim() === "") return;
      text = this.blanks[kind];
      this.blanks[kind] = "";
      this.begun[kind] = true;
    }
    this.emit({ type: kind, text });
  }

  private endRun(kind: Kind | null): void {
    this.kind = kind;
    this.begun = { text: false, reasoning: false };
    this.blanks = { text: "", reasoning: "" };
  }

  /** Clients find the call to a result by its id; models repeat theirs. */
  private freeId(id: string): string {
    return freeId(id, this.ids);
  }
}
