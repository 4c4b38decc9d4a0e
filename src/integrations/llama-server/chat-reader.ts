import type { Finish, ParseResult, ParserEvent } from "../../events.ts";
import { type ParserOptions, StreamParser } from "../../parser.ts";
import { resolve } from "../../registry.ts";
import { isObject } from "../../schema/value.ts";
import { idsFrom, NATURAL_ENDS } from "../reply/about.ts";
import { type CompletionInfo, infoOf, type ServerStreamOptions } from "./completion.ts";
import type { EventReader } from "./drive.ts";
import { LlamaServerError } from "./error.ts";
import { moved } from "./moved.ts";
import { header, serverCall } from "./server-call.ts";
import type { ServerEvent } from "./sse.ts";

/** A part of the reply that one parser reads: content, or one call of the server. */
interface Part {
  parser: StreamParser;
  /** What is read in it begins at this offset of the reply, with this call. */
  base: number;
  index: number;
  /** How much it was fed. */
  length: number;
  /** A call of the server. */
  call: { key: number; id: string; before: number; empty: boolean } | null;
}

/** Reads the first choice of a chat stream. */
export class ChatReader implements EventReader {
  complete = false;
  private readonly options: ParserOptions;
  private readonly onEnd: ServerStreamOptions["onEnd"];
  private readonly send: (event: ParserEvent) => void;
  private readonly result: ParseResult;
  private part: Part | null = null;
  private reason: string | null = null;
  private last: ServerEvent = {};
  private offset = 0;
  private count = 0;
  private used: number | undefined;

  constructor({ signal, onEnd, ...options }: ServerStreamOptions, send: (event: ParserEvent) => void) {
    this.options = options;
    this.onEnd = onEnd;
    this.send = send;
    // what is wrong with the options is said at once
    new StreamParser(options, resolve);
    const format = resolve(options.format).name;
    this.result = { content: "", reasoning: "", calls: [], rejected: [], finish: "stop", format };
  }

  /** The usage comes behind the finish reason, so that only a problem ends the reading. */
  get over(): boolean {
    return this.used !== undefined;
  }

  take(event: ServerEvent): void {
    const { last } = this;
    // in the stream of a repeated field the last one counts
    for (const name of ["model", "usage", "timings"]) if (event[name] != null) last[name] = event[name];
    const choices = Array.isArray(event.choices) ? (event.choices as unknown[]).filter(isObject) : [];
    for (const choice of choices) {
      if ((choice.index ?? 0) !== 0) continue;
      if (isObject(choice.delta)) this.takeDelta(choice.delta);
      else if (isObject(choice.message)) this.takeDelta(asDelta(choice.message));
      if (typeof choice.finish_reason === "string") this.reason = choice.finish_reason;
    }
    this.complete = this.reason !== null;
  }

  private takeDelta(delta: ServerEvent): void {
    const { reasoning_content: thought = delta.reasoning, content, tool_calls: calls } = delta;
    if (typeof thought === "string" && thought !== "") this.think(thought);
    if (typeof content === "string" && content !== "") this.answer(content);
    for (const call of Array.isArray(calls) ? calls.filter(isObject) : []) this.call(call);
  }

  private think(text: string): void {
    this.close(true);
    if (this.over) return;
    this.offset += text.length;
    this.result.reasoning += text;
    this.send({ type: "reasoning-delta", text });
  }

  private answer(text: string): void {
    if (this.part?.call !== null) this.close(true);
    if (this.over) return;
    // once something has come, the state in which the prompt ended is over
    const prefill = this.offset === 0 ? this.options.prefill : undefined;
    this.part ??= this.open({ ...this.options, prefill }, null);
    this.feed(text);
  }

  private call({ index, id, function: called }: ServerEvent): void {
    const { name, arguments: given } = isObject(called) ? called : {};
    const wireId = typeof id === "string" ? id : "";
    const named = typeof name === "string" && name !== "";
    let open = this.part?.call ?? null;
    const key = typeof index === "number" ? index : (open?.key ?? 0);
    // servers that leave the index out, or give every call the same, tell calls apart by their ids
    if (open === null || key !== open.key || (named && wireId !== "" && wireId !== open.id)) {
      if (!named) throw new LlamaServerError("malformed", `A piece of the call ${key} came when that call was over.`);
      this.close(true);
      if (this.over) return;
      const before = header(wireId, name).length;
      open = { key, id: wireId, before, empty: true };
      this.part = this.open({ ...this.options, format: serverCall, prefill: undefined }, open);
      this.feed(header(wireId, name));
    }
    const text = typeof given === "string" ? given : isObject(given) ? JSON.stringify(given) : "";
    if (text.trim() !== "") open.empty = false;
    this.feed(text);
  }

  private open(options: ParserOptions, call: Part["call"]): Part {
    const { generateId, limits } = options;
    const { count, offset } = this;
    const part: Part = { parser: null as unknown as StreamParser, base: offset, index: count, length: 0, call };
    part.parser = new StreamParser(
      {
        ...options,
        generateId: idsFrom(count, generateId),
        ...(limits?.calls !== undefined && { limits: { ...limits, calls: Math.max(0, limits.calls - count) } }),
        onEvent: (event) => this.event(part, event),
      },
      resolve,
    );
    return part;
  }

  private feed(text: string): void {
    const { part } = this;
    if (part === null || this.over) return;
    part.length += text.length;
    part.parser.feed(text);
  }

  /** The part is over. `whole`: at its natural end. */
  private close(whole: boolean): void {
    const { part } = this;
    if (part === null) return;
    // what is empty was not cut off
    if (part.call?.empty && whole) part.parser.feed("{}");
    part.parser.end({ finished: whole });
    this.part = null;
    this.offset = part.base + part.length - (part.call?.before ?? 0);
  }

  private event(part: Part, event: ParserEvent): void {
    const { result } = this;
    const header = part.call?.before ?? 0;
    const here = moved(event, part.index, (at) => part.base + Math.max(0, at - header));
    switch (here.type) {
      case "text-delta":
        result.content += here.text;
        break;
      case "reasoning-delta":
        result.reasoning += here.text;
        break;
      case "tool-call":
        this.count++;
        result.calls.push(here.call);
        break;
      case "tool-call-rejected":
        this.count++;
        if (header > 0) here.call.raw = here.call.raw.slice(header);
        result.rejected.push(here.call);
        break;
      case "finish":
        if (part.call === null && result.format === "auto") result.format = here.result.format;
        if (here.result.used !== undefined) this.used = here.result.used;
        return;
    }
    this.send(here);
  }

  end(cut: boolean): ParseResult {
    const { result, reason, last } = this;
    const whole = !cut && (this.over || (reason !== null && NATURAL_ENDS.has(reason)));
    this.close(whole);
    if (reason !== null) this.onEnd?.(infoOf(last, stopTypeOf(reason)));
    if (this.used !== undefined) result.used = this.used;
    const finish: Finish = whole ? (result.calls.length > 0 ? "tool-calls" : "stop") : "truncated";
    result.finish = finish;
    this.send({ type: "finish", finish, result });
    return result;
  }
}

/** In a message the calls have no index but their place. */
function asDelta(message: ServerEvent): ServerEvent {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call: object, index) => ({ ...call, index })) };
}

function stopTypeOf(reason: string): CompletionInfo["stopType"] {
  if (NATURAL_ENDS.has(reason)) return "eos";
  return reason === "length" ? "limit" : null;
}
