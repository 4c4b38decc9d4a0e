import type { ParseResult, ParserEvent } from "../../events.ts";
import type { Format } from "../../format.ts";
import { type ParserOptions, StreamParser } from "../../parser.ts";
import { resolve } from "../../registry.ts";
import { isObject } from "../../schema/value.ts";
import type { CallOf, ToolsOption, ValidationOption } from "../../types.ts";
import { drive, type EventReader, Outbox } from "./drive.ts";
import type { ServerEvent, ServerStream } from "./sse.ts";

/** What the server says of a completion in its last event. */
export interface CompletionInfo {
  /** `eos`: an end-of-generation token. `word`: a stop string. `limit`: it was cut off. Null: it does not say. */
  stopType: "eos" | "word" | "limit" | null;
  /** The stop string that ended it. */
  stoppingWord: string | null;
  model: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  /** As the server sends them. */
  timings: Record<string, unknown> | null;
}

export interface ServerStreamOptions<T extends ToolsOption = ToolsOption, V extends ValidationOption = ValidationOption>
  extends ParserOptions<Format, T, V> {
  /** Aborting ends the reading as cut off: the remaining events come, and then a `LlamaServerError`, kind `aborted`. */
  signal?: AbortSignal | undefined;
  /** Is told what the server says at its end, before the event `finish` comes. */
  onEnd?: ((info: CompletionInfo) => void) | undefined;
}

/**
 * The events of an answer of `/completion`, streamed or not. `/v1/completions` has the same text in another form, and is
 * read as well. Of an answer with several completions the first is read.
 * @throws {LlamaServerError} where the server refuses, the connection is lost or the signal aborts, after what was certain.
 * @throws {RangeError} for an unknown format, {TypeError} for a malformed declaration of a tool: at once.
 * @example
 * ```ts
 * const response = await fetch(`${url}/completion`, { method: "POST", body: JSON.stringify({ prompt, stream: true }) });
 * for await (const event of readCompletionStream(response, { format: "hermes", tools })) console.log(event);
 * ```
 */
export function readCompletionStream<const T extends ToolsOption = ToolsOption, V extends ValidationOption = undefined>(
  source: ServerStream,
  options: ServerStreamOptions<T, V> = {},
): AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined> {
  const outbox = new Outbox();
  const reader = new CompletionReader(options as ServerStreamOptions, outbox.put);
  return drive(source, options.signal, reader, outbox) as AsyncGenerator<ParserEvent<CallOf<T, V>>, void, undefined>;
}

class CompletionReader implements EventReader {
  complete = false;
  private readonly parser: StreamParser;
  private readonly onEnd: ServerStreamOptions["onEnd"];
  private finished = false;

  constructor({ signal, onEnd, ...options }: ServerStreamOptions, onEvent: (event: ParserEvent) => void) {
    this.parser = new StreamParser({ ...options, onEvent }, resolve);
    this.onEnd = onEnd;
  }

  get over(): boolean {
    return this.complete || this.parser.stopped;
  }

  take(event: ServerEvent): void {
    const choice: unknown = Array.isArray(event.choices) ? event.choices[0] : undefined;
    const part = isObject(choice) ? choice : event;
    if ((part.index ?? 0) !== 0) return;
    const text = part.text ?? part.content;
    if (typeof text === "string") this.parser.feed(text);
    const ended = part === event ? event.stop === true : typeof part.finish_reason === "string";
    if (!ended || this.parser.stopped) return;
    const stopType = part === event ? stopTypeOf(event) : part.finish_reason === "stop" ? "eos" : "limit";
    this.complete = true;
    this.finished = stopType === "eos" || stopType === "word";
    this.onEnd?.(infoOf(event, stopType));
  }

  end(cut: boolean): ParseResult {
    return this.parser.end({ finished: this.finished && !cut });
  }
}

/** Servers before `stop_type` say it by three flags. */
function stopTypeOf(event: ServerEvent): CompletionInfo["stopType"] {
  const { stop_type: type } = event;
  if (type === "eos" || type === "word" || type === "limit") return type;
  if (event.stopped_limit === true) return "limit";
  if (event.stopped_word === true) return "word";
  return event.stopped_eos === true ? "eos" : null;
}

/** What the last event says. */
export function infoOf(event: ServerEvent, stopType: CompletionInfo["stopType"]): CompletionInfo {
  const usage = isObject(event.usage) ? event.usage : {};
  const count = (value: unknown): number | null => (typeof value === "number" ? value : null);
  const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
  return {
    stopType,
    stoppingWord: text(event.stopping_word),
    model: text(event.model),
    promptTokens: count(event.tokens_evaluated ?? usage.prompt_tokens),
    completionTokens: count(event.tokens_predicted ?? usage.completion_tokens),
    timings: isObject(event.timings) ? event.timings : null,
  };
}
