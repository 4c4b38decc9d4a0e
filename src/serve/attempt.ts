import type { ParseResult, RejectedCall } from "../events.ts";
import { type Message, messagesOf } from "../integrations/llama-server.ts";
import { describeProblems } from "../schema/describe-problems.ts";
import type { Exchange } from "./exchange.ts";
import type { ChatMessageLike, ChunkLike } from "./types.ts";

/** One reply of the model, as the chunks that a client would get. */
export interface Attempt {
  chunks: AsyncIterable<ChunkLike>;
  /** The calls that were rejected so far. */
  rejected: readonly RejectedCall[];
  /** What it was, when the chunks are over. */
  result(): ParseResult;
}

/** Asks the model. */
export type Ask = (messages: readonly ChatMessageLike[]) => Attempt;

const NOT_RUN = "This call was not run, since another one of the same reply was wrong. Write it again as well.";

/** What a reply with rejected calls adds to the conversation, so that the model writes all its calls again. */
function correctionOf(result: ParseResult): Message[] {
  const [said, ...results] = messagesOf(result) as [Message, ...Message[]];
  const nameless = result.rejected.filter(({ name }) => name === null);
  const content = [said.content as string, ...nameless.map(({ raw }) => raw)].filter((text) => text !== "").join("\n");
  return [
    { ...said, content },
    ...results,
    ...result.calls.map(({ id, name }) => ({ role: "tool", tool_call_id: id, name, content: NOT_RUN })),
    ...nameless.map((call) => ({ role: "user", content: describeProblems(call) })),
  ];
}

/** A reply that its client, or the model's limit, has cut off would be cut off again. */
function mayRetry({ rejected, finish }: ParseResult): boolean {
  return rejected.length > 0 && finish !== "truncated";
}

/**
 * Asks the model, and asks it again as long as a call is rejected and there are retries. From the first call on, the chunks
 * of a reply that may still be taken back are held. Once content or a call has gone out, nothing is asked again: what a
 * client has seen stays. Thoughts go out at once; those of a further reply follow them.
 */
export async function* withRetries(
  ask: Ask,
  messages: readonly ChatMessageLike[],
  retries: number,
  exchange: Exchange,
): AsyncGenerator<ChunkLike, void, undefined> {
  let conversation = messages;
  let saidAnything = false;
  for (let left = retries; ; left--) {
    const attempt = ask(conversation);
    let mayHold = left > 0;
    const held: ChunkLike[] = [];
    for await (const given of attempt.chunks) {
      const chunk = saidAnything ? withoutRole(given) : given;
      if (chunk === null) continue;
      if (mayHold && (held.length > 0 || attempt.rejected.length > 0 || isFinal(chunk))) {
        held.push(chunk);
        continue;
      }
      if (hasContent(chunk)) mayHold = false;
      saidAnything = true;
      if (!exchange.hasBegun && saysSomething(chunk)) exchange.sees();
      yield chunk;
    }
    const result = attempt.result();
    if (!mayHold || !mayRetry(result)) {
      exchange.calls += result.calls.length;
      if (held.some(saysSomething)) exchange.sees();
      yield* held;
      return;
    }
    exchange.retry();
    conversation = [...conversation, ...correctionOf(result)];
  }
}

/** One reply as a whole: what it was, and what the client would get. */
export interface Reply<T> {
  result: ParseResult;
  answer: T;
}

/** The same for a reply that is not streamed: asked for again as long as a call is rejected and there are retries. */
export async function answered<T>(
  ask: (messages: readonly ChatMessageLike[]) => Promise<Reply<T>>,
  messages: readonly ChatMessageLike[],
  retries: number,
  exchange: Exchange,
): Promise<T> {
  let conversation = messages;
  for (let left = retries; ; left--) {
    const { result, answer } = await ask(conversation);
    if (left === 0 || !mayRetry(result)) {
      exchange.calls += result.calls.length;
      return answer;
    }
    exchange.retry();
    conversation = [...conversation, ...correctionOf(result)];
  }
}

/** Behind it nothing could be taken back: a call, or the reason of the end. */
function isFinal({ choices = [] }: ChunkLike): boolean {
  return choices.some(({ delta, finish_reason: reason }) => Array.isArray(delta?.tool_calls) || Boolean(reason));
}

function hasContent({ choices = [] }: ChunkLike): boolean {
  return choices.some(({ delta }) => typeof delta?.content === "string" && delta.content !== "");
}

function saysSomething({ choices = [] }: ChunkLike): boolean {
  return choices.some(({ delta }) =>
    Object.entries(delta ?? {}).some(([name, value]) => name !== "role" && value !== null && value !== ""),
  );
}

/** A stream names its role once. Null: that was all. */
function withoutRole(chunk: ChunkLike): ChunkLike | null {
  const [choice, ...more] = chunk.choices ?? [];
  if (choice?.delta?.role === undefined || more.length > 0) return chunk;
  const { role, ...delta } = choice.delta;
  const isEmpty = Object.values(delta).every((value) => value === null || value === "");
  if (isEmpty && !choice.finish_reason) return null;
  return { ...chunk, choices: [{ ...choice, delta }] };
}
