import type { ParseResult, RejectedCall, ToolCall } from "../events.ts";
import { Connection } from "../integrations/llama-server/connection.ts";
import { readEvents } from "../integrations/llama-server/sse.ts";
import { LlamaServerError } from "../integrations/llama-server.ts";
import {
  type ChatChunkLike,
  type RepairOptions,
  repairChatCompletion,
  repairChatStream,
} from "../integrations/openai.ts";
import { isJson } from "../integrations/reply/rejected.ts";
import { isObject } from "../schema/value.ts";
import { type Attempt, answered, withRetries } from "./attempt.ts";
import { type ChatTask, handling } from "./task.ts";
import type { ChatMessageLike, ChunkLike } from "./types.ts";

const PATH = "/v1/chat/completions";

/** The chunks of the upstream's own chat stream, put right. */
export function streamRepaired(task: ChatTask): AsyncGenerator<ChunkLike, void, undefined> {
  const { body, settings, exchange } = task;
  const ask = (messages: readonly ChatMessageLike[]): Attempt => attempt(task, messages);
  return withRetries(ask, body.messages, body.n === 1 ? settings.retry : 0, exchange);
}

/** The upstream's own chat completion, put right. */
export async function completeRepaired(task: ChatTask): Promise<object> {
  const { body, settings, exchange, signal } = task;
  const reply = async (messages: readonly ChatMessageLike[]) => {
    const rejected: RejectedCall[] = [];
    const given = await connectionOf(task).json(PATH, { ...body.fields, messages }, signal);
    const answer = repairChatCompletion(given, optionsOf(task, rejected));
    const seen = new Seen(rejected);
    for (const { index, message, finish_reason } of (answer.choices ?? []) as Record<string, unknown>[]) {
      seen.take({ index, delta: message, finish_reason } as never);
    }
    return { result: seen.result(), answer };
  };
  const completion = await answered(reply, body.messages, body.n === 1 ? settings.retry : 0, exchange);
  noteUsage(task, completion);
  return completion;
}

function connectionOf({ settings, headers, fetch }: ChatTask): Connection {
  return new Connection({ baseUrl: settings.upstream, headers, fetch });
}

function optionsOf(task: ChatTask, rejected: RejectedCall[]): RepairOptions {
  const { settings, body, format } = task;
  return {
    ...{ format, tools: body.tools, validation: settings.validation, repair: settings.repair },
    ...(body.single ? { limits: { calls: 1 } } : {}),
    onRejected: handling(task, rejected),
  };
}

function attempt(task: ChatTask, messages: readonly ChatMessageLike[]): Attempt {
  const rejected: RejectedCall[] = [];
  const seen = new Seen(rejected);
  async function* chunks(): AsyncGenerator<ChunkLike, void, undefined> {
    const response = await connectionOf(task).send(PATH, { ...task.body.fields, messages }, task.signal);
    const given = whole(readEvents(response, task.signal)) as AsyncIterable<ChatChunkLike>;
    const repaired = repairChatStream(given, optionsOf(task, rejected)) as AsyncIterable<unknown>;
    for await (const chunk of repaired as AsyncIterable<ChunkLike>) {
      for (const choice of chunk.choices ?? []) seen.take(choice);
      noteUsage(task, chunk);
      yield chunk;
    }
  }
  return { chunks: chunks(), rejected, result: () => seen.result() };
}

/** A stream in which a choice has no reason was cut off: nobody must take it for the whole. */
async function* whole(events: AsyncIterable<Record<string, unknown>>): AsyncGenerator<Record<string, unknown>> {
  const begun = new Set<unknown>([0]);
  const ended = new Set<unknown>();
  for await (const event of events) {
    for (const choice of Array.isArray(event.choices) ? event.choices.filter(isObject) : []) {
      begun.add(choice.index ?? 0);
      if (choice.finish_reason) ended.add(choice.index ?? 0);
    }
    yield event;
  }
  if (ended.size < begun.size) throw new LlamaServerError("incomplete", "The stream ended before its last event.");
}

function noteUsage({ exchange }: ChatTask, { usage }: ChunkLike): void {
  if (!isObject(usage)) return;
  if (typeof usage.prompt_tokens === "number") exchange.promptTokens = usage.prompt_tokens;
  if (typeof usage.completion_tokens === "number") exchange.completionTokens = usage.completion_tokens;
}

interface SeenCall {
  id: string;
  name: string;
  text: string;
}

/** Puts together what goes out, to know what the reply was. */
class Seen {
  private readonly rejected: RejectedCall[];
  private readonly calls = new Map<string, SeenCall>();
  private content = "";
  private reasoning = "";
  private isCut = false;

  constructor(rejected: RejectedCall[]) {
    this.rejected = rejected;
  }

  take({ index = 0, delta, finish_reason: reason }: NonNullable<ChunkLike["choices"]>[number]): void {
    if (reason === "length") this.isCut = true;
    if (!isObject(delta)) return;
    if (typeof delta.content === "string") this.content += delta.content;
    const thought = delta.reasoning_content ?? delta.reasoning;
    if (typeof thought === "string") this.reasoning += thought;
    for (const [at, call] of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).entries()) {
      this.call(`${index}:${call?.index ?? at}`, call);
    }
  }

  private call(key: string, call: unknown): void {
    if (!isObject(call)) return;
    const { name, arguments: text } = isObject(call.function) ? call.function : {};
    const known = this.calls.get(key) ?? { id: String(call.id ?? ""), name: String(name ?? ""), text: "" };
    if (typeof text === "string") known.text += text;
    this.calls.set(key, known);
  }

  result(): ParseResult {
    const { rejected, content, reasoning } = this;
    const refused = new Set(rejected.map(({ id }) => id));
    const calls = [...this.calls.values()]
      .map((call, index): ToolCall => ({ ...whereabouts, ...call, index, arguments: {}, argumentsText: call.text }))
      .filter(({ id, argumentsText }) => !refused.has(id) && isJson(argumentsText));
    const finish = this.isCut ? "truncated" : calls.length > 0 ? "tool-calls" : "stop";
    return { content, reasoning, calls, rejected, finish, format: "" };
  }
}

const whereabouts = { repairs: [], start: 0, end: 0 };
