import { describe, expect, test } from "vitest";
import * as core from "../src/core.ts";
import { getFormat, type ParserEvent, parseStream, ToolCallStream } from "../src/index.ts";
import { chunksOf, run } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";
import { eventFault, mergeEvents } from "./support/merge.ts";

const tools = [{ name: "tide", parameters: { type: "object", properties: { port: { type: "string" } } } }];
const text = '<think>a</think>b <tool_call>\n{"name": "tide", "arguments": {"port": "Oban"}}\n</tool_call> c';
const chunks = chunksOf(text, 5);
const options = { format: "hermes", tools, generateId } as const;
const expected = run(chunks, { ...options, finished: true }).events;
const cut = chunks.slice(0, 10);

async function* source(pieces: readonly string[], end: () => void = () => {}): AsyncGenerator<string> {
  try {
    for (const piece of pieces) yield piece;
  } finally {
    end();
  }
}

async function all(stream: AsyncIterable<ParserEvent>): Promise<ParserEvent[]> {
  const events: ParserEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("parseStream", () => {
  test("gives the events of feed and end", async () => {
    expect(await all(parseStream(source(chunks), options))).toEqual(expected);
  });

  test("reads a ReadableStream", async () => {
    const stream = new ReadableStream<string>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    expect(await all(parseStream(stream, options))).toEqual(expected);
  });

  test("reads a ReadableStream that cannot be iterated", async () => {
    const stream = new ReadableStream<string>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const old = { getReader: () => stream.getReader() } as unknown as ReadableStream<string>;
    expect(await all(parseStream(old, options))).toEqual(expected);
  });

  test("works without options", async () => {
    const events = await all(parseStream(source(chunks)));
    expect(events.at(-1)).toMatchObject({ type: "finish", finish: "tool-calls" });
  });

  test("every option accepts undefined", async () => {
    const nothing = { format: undefined, tools: undefined, finished: undefined, signal: undefined, limits: undefined };
    expect((await all(parseStream(source(chunks), nothing))).at(-1)).toMatchObject({ finish: "tool-calls" });
  });

  test("events come as the chunks do", async () => {
    let pulled = 0;
    const counting = async function* (): AsyncGenerator<string> {
      for (const chunk of ["hello ", "world ", "again"]) {
        pulled++;
        yield chunk;
      }
    };
    const iterator = parseStream(counting(), options)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: "text-delta", text: "hello " });
    expect(pulled).toBe(1);
    await iterator.return(undefined);
  });

  test("finished says whether the output came to its end", async () => {
    const finishOf = async (finished: boolean | (() => boolean) | undefined): Promise<unknown> =>
      (await all(parseStream(source(cut), { ...options, finished }))).at(-1);
    expect(await finishOf(false)).toMatchObject({
      finish: "truncated",
      result: { rejected: [{ problems: [{ kind: "truncated" }] }] },
    });
    expect(await finishOf(true)).toMatchObject({
      finish: "stop",
      result: { rejected: [{ problems: [{ kind: "invalid-arguments" }] }] },
    });
    expect(await finishOf(undefined)).toMatchObject({ finish: "stop" });
  });

  test("finished as a function is asked when the source is exhausted", async () => {
    let finishReason = "";
    const late = async function* (): AsyncGenerator<string> {
      yield* cut;
      finishReason = "length";
    };
    const events = await all(parseStream(late(), { ...options, finished: () => finishReason === "stop" }));
    expect(finishReason).toBe("length");
    expect(events.at(-1)).toMatchObject({ type: "finish", finish: "truncated" });
  });

  test("a source that throws: the reply ends as cut off, the remaining events come, and then the error", async () => {
    const failure = new Error("connection lost");
    const failing = async function* (): AsyncGenerator<string> {
      yield* cut;
      throw failure;
    };
    const events: ParserEvent[] = [];
    let thrown: unknown;
    try {
      for await (const event of parseStream(failing(), { ...options, finished: true })) events.push(event);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(failure);
    expect(mergeEvents(events)).toEqual(mergeEvents(run(cut, { ...options, finished: false }).events));
    expect(eventFault(events)).toBeNull();
  });

  test("stopping early releases the source", async () => {
    let released = false;
    for await (const _ of parseStream(
      source(chunks, () => {
        released = true;
      }),
      options,
    )) {
      break;
    }
    expect(released).toBe(true);
  });

  test("a signal that aborts ends the iteration with its reason, even while the source hangs", async () => {
    const controller = new AbortController();
    const hanging = async function* (): AsyncGenerator<string> {
      yield "hello there ";
      await new Promise(() => {});
    };
    const events: ParserEvent[] = [];
    const reason = new Error("enough");
    const reading = (async () => {
      for await (const event of parseStream(hanging(), { ...options, signal: controller.signal })) {
        events.push(event);
        setTimeout(() => controller.abort(reason));
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(events[0]).toEqual({ type: "text-delta", text: "hello there " });
  });

  test("a signal that has aborted before reads nothing", async () => {
    let pulled = false;
    const watched = async function* (): AsyncGenerator<string> {
      pulled = true;
      yield "a";
    };
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(all(parseStream(watched(), { ...options, signal }))).rejects.toThrow("too late");
    expect(pulled).toBe(false);
  });

  test("an unknown format throws", async () => {
    await expect(all(parseStream(source(chunks), { format: "herms" }))).rejects.toThrow(RangeError);
  });

  test("the core's takes formats as values", async () => {
    expect(await all(core.parseStream(source(chunks), { ...options, format: getFormat("hermes") }))).toEqual(expected);
    await expect(all(core.parseStream(source(chunks), options))).rejects.toThrow(TypeError);
  });
});

describe("ToolCallStream", () => {
  const piped = (stream: TransformStream<string, ParserEvent>): Promise<ParserEvent[]> =>
    all(
      new ReadableStream<string>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      }).pipeThrough(stream) as unknown as AsyncIterable<ParserEvent>,
    );

  test("is a TransformStream of chunks into events", async () => {
    const stream = new ToolCallStream(options);
    expect(stream).toBeInstanceOf(TransformStream);
    expect(await piped(stream)).toEqual(expected);
  });

  test("works without options, and in the core with a format", async () => {
    expect((await piped(new ToolCallStream())).at(-1)).toMatchObject({ finish: "tool-calls" });
    expect(await piped(new core.ToolCallStream({ ...options, format: getFormat("hermes") }))).toEqual(expected);
  });

  test("an unknown format throws when it is made", () => {
    expect(() => new ToolCallStream({ format: "herms" })).toThrow(RangeError);
  });

  test("passes an error of its source on", async () => {
    const failing = new ReadableStream<string>({
      start(controller) {
        controller.error(new Error("connection lost"));
      },
    });
    await expect(all(failing.pipeThrough(new ToolCallStream(options)) as never)).rejects.toThrow("connection lost");
  });
});
