import { isDeepStrictEqual } from "node:util";
import type { ParserEvent } from "../../src/index.ts";

/** Merges deltas that follow each other and belong together: the form in which the events of two runs are compared. */
export function mergeEvents(events: readonly ParserEvent[]): ParserEvent[] {
  const merged: ParserEvent[] = [];
  for (const event of events) {
    const before = merged.at(-1);
    const joined = before === undefined ? null : join(before, event);
    if (joined === null) {
      merged.push(event);
    } else {
      merged[merged.length - 1] = joined;
    }
  }
  return merged;
}

function join(before: ParserEvent, event: ParserEvent): ParserEvent | null {
  switch (event.type) {
    case "text-delta":
    case "reasoning-delta":
      return before.type === event.type ? { ...event, text: before.text + event.text } : null;
    case "tool-input-delta":
      return before.type === event.type && before.index === event.index && before.id === event.id
        ? { ...event, delta: before.delta + event.delta }
        : null;
    default:
      return null;
  }
}

/**
 * The first place at which the events of one reply break their grammar, or null:
 * `(text-delta | reasoning-delta | call)* finish`, where a call is
 * `tool-input-start? (tool-input-delta | tool-problem)* (tool-call | tool-call-rejected)`.
 * What the events say must also agree: indexes count from 0, ids stay, the deltas are the arguments,
 * a problem is never taken back, and the result is the sum of the events.
 */
export function eventFault(events: readonly ParserEvent[]): string | null {
  const reply = new Reply();
  for (const [at, event] of events.entries()) {
    const fault = reply.take(event);
    if (fault !== null) {
      return `event ${at} (${event.type}): ${fault}`;
    }
  }
  return reply.ended ? null : "no finish event at the end";
}

type Of<Type extends ParserEvent["type"]> = Extract<ParserEvent, { type: Type }>;

/** What the events of a reply have said so far. */
class Reply {
  ended = false;
  content = "";
  reasoning = "";
  calls: Of<"tool-call">["call"][] = [];
  rejected: Of<"tool-call-rejected">["call"][] = [];
  /** The call that has begun and not ended. */
  open: {
    started: { id: string; name: string } | null;
    deltas: string;
    problems: Of<"tool-problem">["problem"][];
  } | null = null;

  take(event: ParserEvent): string | null {
    if (this.ended) {
      return "an event behind finish";
    }
    switch (event.type) {
      case "text-delta":
        this.content += event.text;
        return this.betweenCalls();
      case "reasoning-delta":
        this.reasoning += event.text;
        return this.betweenCalls();
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-problem":
        return this.counted(event.index) ?? this.part(event);
      case "tool-call":
      case "tool-call-rejected":
        return this.counted(event.call.index) ?? this.end(event);
      case "finish":
        this.ended = true;
        return this.betweenCalls() ?? this.sum(event);
    }
  }

  betweenCalls(): string | null {
    return this.open === null ? null : "inside a call";
  }

  counted(index: number): string | null {
    const expected = this.calls.length + this.rejected.length;
    return index === expected ? null : `index ${index}, expected ${expected}`;
  }

  part(event: Of<"tool-input-start"> | Of<"tool-input-delta"> | Of<"tool-problem">): string | null {
    if (event.type === "tool-input-start") {
      if (this.open !== null) {
        return "a start inside a call";
      }
      this.open = { started: { id: event.id, name: event.name }, deltas: "", problems: [] };
      return null;
    }
    this.open ??= { started: null, deltas: "", problems: [] };
    if (event.type === "tool-problem") {
      this.open.problems.push(event.problem);
      return null;
    }
    this.open.deltas += event.delta;
    if (this.open.started === null) {
      return "a delta without a start";
    }
    return this.open.started.id === event.id ? null : `id ${event.id}, started as ${this.open.started.id}`;
  }

  end(event: Of<"tool-call"> | Of<"tool-call-rejected">): string | null {
    const open = this.open ?? { started: null, deltas: "", problems: [] };
    this.open = null;
    const { call } = event;
    if (open.started !== null && (open.started.id !== call.id || open.started.name !== call.name)) {
      return `id ${call.id} and name ${call.name}, started as ${open.started.id} and ${open.started.name}`;
    }
    if (event.type === "tool-call-rejected") {
      this.rejected.push(event.call);
      return rejectionFault(event.call, open);
    }
    this.calls.push(event.call);
    return callFault(event.call, open);
  }

  sum({ finish, result }: Of<"finish">): string | null {
    const { content, reasoning, calls, rejected } = this;
    const received = {
      content: result.content,
      reasoning: result.reasoning,
      calls: result.calls,
      rejected: result.rejected,
      finish: result.finish,
    };
    return isDeepStrictEqual(received, { content, reasoning, calls, rejected, finish })
      ? null
      : "the result is not what the events said";
  }
}

function callFault(call: Of<"tool-call">["call"], open: NonNullable<Reply["open"]>): string | null {
  if (open.started === null) {
    return "a call without a start";
  }
  if (open.problems.length > 0) {
    return `a valid call with the problem ${open.problems[0]!.kind}`;
  }
  if (open.deltas !== call.argumentsText) {
    return `argumentsText is ${JSON.stringify(call.argumentsText)}, the deltas are ${JSON.stringify(open.deltas)}`;
  }
  return isDeepStrictEqual(call.arguments, JSON.parse(call.argumentsText)) ? null : "arguments is not argumentsText";
}

function rejectionFault(call: Of<"tool-call-rejected">["call"], open: NonNullable<Reply["open"]>): string | null {
  if (call.problems.length === 0) {
    return "a rejection without a problem";
  }
  const lost = open.problems.find((early) => !call.problems.some((problem) => isDeepStrictEqual(problem, early)));
  if (lost !== undefined) {
    return `the problem ${lost.kind} was taken back`;
  }
  return call.argumentsText.startsWith(open.deltas)
    ? null
    : `argumentsText is ${JSON.stringify(call.argumentsText)}, the deltas are ${JSON.stringify(open.deltas)}`;
}
