import type { ParseResult, ParserEvent, RejectedCall } from "../events.ts";
import { type ChatRequest, type ChatResult, createLlamaServer } from "../integrations/llama-server.ts";
import { chatChunkMapper, toChatCompletion } from "../integrations/openai.ts";
import { isObject } from "../schema/value.ts";
import { type Attempt, answered, withRetries } from "./attempt.ts";
import { llamaFields, templateMessages } from "./llama-request.ts";
import { merge } from "./merge.ts";
import { type ChatTask, handling } from "./task.ts";
import type { ChatMessageLike, ChunkLike } from "./types.ts";

/** The chunks of a reply that is read from the raw output of a llama.cpp server. */
export async function* streamRaw(task: ChatTask): AsyncGenerator<ChunkLike, void, undefined> {
  const { body, settings, exchange, id, created, model } = task;
  const usage = new Usage();
  const choices = Array.from({ length: body.n }, (_, choice) => {
    const request = requestOf(task, choice);
    const ask = (messages: readonly ChatMessageLike[]): Attempt => attempt(task, request, choice, messages, usage);
    return withRetries(ask, body.messages, settings.retry, exchange);
  });
  yield* merge(choices);
  exchange.promptTokens = usage.prompt;
  exchange.completionTokens = usage.completion;
  if (body.includeUsage)
    yield { id, object: "chat.completion.chunk", created, model, choices: [], usage: usage.total() };
}

/** The same as one object. */
export async function completeRaw(task: ChatTask): Promise<object> {
  const { body, exchange } = task;
  const usage = new Usage();
  const completions = await Promise.all(
    Array.from({ length: body.n }, (_, choice) => completeOne(task, choice, usage)),
  );
  exchange.promptTokens = usage.prompt;
  exchange.completionTokens = usage.completion;
  const { choices: _, ...first } = completions[0] as (typeof completions)[number];
  return {
    ...first,
    choices: completions.flatMap(({ choices }) => choices),
    usage: usage.total(),
    ...(body.n === 1 && usage.timings !== null ? { timings: usage.timings } : {}),
  };
}

type Request = Omit<ChatRequest, "messages">;

function requestOf(task: ChatTask, choice: number): Request {
  const { settings, body, format, signal } = task;
  const { fields, tools, toolChoice } = llamaFields(body, choice);
  return {
    ...fields,
    ...{ format, tools, toolChoice, model: body.model, signal },
    ...{ validation: settings.validation, repair: settings.repair },
    ...(body.single ? { limits: { calls: 1 } } : {}),
  };
}

function ask(task: ChatTask, request: Request, messages: readonly ChatMessageLike[]) {
  const { settings, headers, fetch } = task;
  const server = createLlamaServer({ baseUrl: settings.upstream, headers, fetch });
  return server.chat({ ...request, messages: templateMessages(messages) } as ChatRequest);
}

function attempt(
  task: ChatTask,
  request: Request,
  choice: number,
  messages: readonly ChatMessageLike[],
  usage: Usage,
): Attempt {
  const { model, id, created } = task;
  const rejected: RejectedCall[] = [];
  let last: ChatResult | null = null;
  async function* chunks(): AsyncGenerator<ChunkLike, void, undefined> {
    const map = chatChunkMapper({ model, id, created, choice, onRejected: handling(task, rejected) });
    let finish: ParserEvent | null = null;
    for await (const event of ask(task, request, messages)) {
      if (event.type === "finish") {
        // an error may follow: then it was not the end of the reply, and no client must take it for one
        finish = event;
        continue;
      }
      yield* map(event) as unknown as ChunkLike[];
    }
    if (finish?.type !== "finish") return;
    last = finish.result as ChatResult;
    usage.add(last);
    if (task.format === "auto") task.exchange.details.format = last.format;
    const ending = map(finish) as unknown as ChunkLike[];
    const final = ending.at(-1);
    if (final !== undefined && usage.timings !== null && task.body.n === 1) final.timings = usage.timings;
    yield* ending;
  }
  return { chunks: chunks(), rejected, result: () => ({ ...(last as unknown as ParseResult), rejected }) };
}

function completeOne(task: ChatTask, choice: number, usage: Usage) {
  const { settings, body, exchange, model, id, created } = task;
  const request = requestOf(task, choice);
  const reply = async (messages: readonly ChatMessageLike[]) => {
    const result = await ask(task, request, messages).result();
    if (result.error !== null) throw result.error;
    usage.add(result);
    if (task.format === "auto") exchange.details.format = result.format;
    const rejected: RejectedCall[] = [];
    const answer = toChatCompletion(result, { model, id, created, choice, onRejected: handling(task, rejected) });
    return { result: { ...result, rejected }, answer };
  };
  return answered(reply, body.messages, settings.retry, exchange);
}

/** What the replies to one request cost, those that were asked for again included. */
class Usage {
  prompt = 0;
  completion = 0;
  /** Of the last reply. */
  timings: Record<string, unknown> | null = null;
  private cached = 0;

  add({ completion }: ChatResult): void {
    this.prompt += completion?.promptTokens ?? 0;
    this.completion += completion?.completionTokens ?? 0;
    this.timings = completion?.timings ?? null;
    const cached = isObject(this.timings) ? this.timings.cache_n : 0;
    this.cached += typeof cached === "number" ? cached : 0;
  }

  total(): object {
    const { prompt, completion, cached } = this;
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: cached },
    };
  }
}
