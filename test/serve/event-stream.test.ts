import { expect, test } from "vitest";
import { eventStream } from "../../src/serve/event-stream.ts";

function streamOf(source: AsyncGenerator<object>, ends: string[]): ReadableStream<Uint8Array> {
  return eventStream(source, source.next() as Promise<IteratorResult<object>>, {
    keepAlive: 60_000,
    onError: (error) => ({ error: (error as Error).message }),
    onEnd: () => ends.push("end"),
    onCancel: () => ends.push("cancel"),
  });
}

test("what came before an error comes before it, also where both came at once", async () => {
  async function* source(): AsyncGenerator<object> {
    yield { at: 1 };
    yield { at: 2 };
    throw new Error("no");
  }
  const ends: string[] = [];
  const text = await new Response(streamOf(source(), ends)).text();
  expect(text).toBe('data: {"at":1}\n\ndata: {"at":2}\n\ndata: {"error":"no"}\n\n');
  expect(ends).toEqual([]);
});

test("what comes at once goes out at once, with the end", async () => {
  async function* source(): AsyncGenerator<object> {
    for (let at = 0; at < 3; at++) yield { at };
  }
  const ends: string[] = [];
  const reader = streamOf(source(), ends).getReader();
  const { value } = await reader.read();
  expect(Buffer.from(value!).toString()).toBe('data: {"at":0}\n\ndata: {"at":1}\n\ndata: {"at":2}\n\ndata: [DONE]\n\n');
  expect((await reader.read()).done).toBe(true);
  expect(ends).toEqual(["end"]);
});

test("nobody reads: the source is made to wait, and nothing is lost", async () => {
  let made = 0;
  async function* source(): AsyncGenerator<object> {
    for (; made < 200; made++) yield { at: made, text: "x".repeat(10_000) };
  }
  const stream = streamOf(source(), []);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(made).toBeLessThan(50);
  const text = await new Response(stream).text();
  const seen = [...text.matchAll(/"at":(\d+)/g)].map((match) => Number(match[1]));
  expect(seen).toEqual(Array.from({ length: 200 }, (_, at) => at));
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("a client that goes is told of once", async () => {
  async function* source(): AsyncGenerator<object> {
    yield { at: 1 };
    await new Promise(() => {});
  }
  const ends: string[] = [];
  const reader = streamOf(source(), ends).getReader();
  await reader.read();
  await reader.cancel();
  expect(ends).toEqual(["cancel"]);
});
