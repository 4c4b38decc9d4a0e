import { describe, expect, test } from "vitest";
import type { ParserEvent } from "../../src/index.ts";
import { LlamaServerError, readChatStream, readCompletionStream } from "../../src/integrations/llama-server.ts";
import { callsOf, captured, inChunks, merged, readAll, responseOf, tools } from "./llama-server-captures.ts";

const generateId = (index: number): string => `id${index}`;
const options = { format: "hermes", tools, generateId };

function sse(...events: unknown[]): string {
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}

function body(...pieces: (string | Uint8Array)[]): AsyncIterable<string | Uint8Array> {
  return (async function* () {
    yield* pieces;
  })();
}

/** Events and error of a stream. */
async function outcome(
  source: AsyncIterable<ParserEvent>,
): Promise<{ events: ParserEvent[]; error: LlamaServerError | null }> {
  const events: ParserEvent[] = [];
  try {
    for await (const event of source) events.push(event);
    return { events, error: null };
  } catch (error) {
    if (!(error instanceof LlamaServerError)) throw error;
    return { events, error };
  }
}

const delta = (fields: object, more: object = {}): object => ({ choices: [{ index: 0, delta: fields, ...more }] });
const call = (index: number, id: string, name: string, args: unknown = ""): object =>
  delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });
const piece = (index: number, args: string): object =>
  delta({ tool_calls: [{ index, function: { arguments: args } }] });
const finish = (reason: string): object => delta({}, { finish_reason: reason });

describe("a stream that is cut into pieces", () => {
  const files = {
    "completion-stream-hermes.sse.txt": readCompletionStream,
    "chat-stream-notools.sse.txt": readChatStream,
    "vocab-qwen2-Qwen-Qwen2.5-7B-Instruct-one.chat.sse.txt": readChatStream,
  };

  test.each(Object.entries(files))("%s: at every byte", async (file, read) => {
    const bytes = captured(file);
    const whole = merged((await readAll(read(body(bytes), options))).events);
    expect(whole.length).toBeGreaterThan(1);
    expect(bytes.length).toBeGreaterThan(bytes.toString().length);
    for (let at = 1; at < bytes.length; at++) {
      const { events } = await readAll(read(body(bytes.subarray(0, at), bytes.subarray(at)), options));
      if (JSON.stringify(merged(events)) !== JSON.stringify(whole)) expect([at, merged(events)]).toEqual([at, whole]);
    }
    for (const size of [1, 2, 3, 5, 1000]) {
      expect(merged((await readAll(read(inChunks(bytes, size), options))).events)).toEqual(whole);
    }
    expect(merged((await readAll(read(body(...bytes.toString()), options))).events)).toEqual(whole);
    const text = new ReadableStream<string>({
      start(controller) {
        controller.enqueue(bytes.toString());
        controller.close();
      },
    });
    expect(merged((await readAll(read(text, options))).events)).toEqual(whole);
    // other line ends, comments to keep the connection alive, a mark at the beginning
    const crlf = `\uFEFF: hello\n\n${bytes.toString()}`.replaceAll("\n\n", "\n\n:\n\n").replaceAll("\n", "\r\n");
    const strange = new TextEncoder().encode(crlf);
    for (const size of [1, 64]) {
      expect(merged((await readAll(read(inChunks(strange, size), options))).events)).toEqual(whole);
    }
  });

  test("ended at every byte: nothing that came is lost, and nothing is made up", async () => {
    const bytes = captured("completion-stream-hermes.sse.txt");
    const whole = merged((await readAll(readCompletionStream(body(bytes), options))).events);
    for (let at = 0; at < bytes.length; at += 7) {
      const { events, error } = await outcome(readCompletionStream(body(bytes.subarray(0, at)), options));
      if (error === null) {
        // only the line break behind the last event is missing
        expect(bytes.length - at).toBeLessThan(3);
        continue;
      }
      expect(error.kind).toBe("incomplete");
      const last = events.at(-1);
      if (last === undefined) {
        expect(error.result).toBeNull();
        continue;
      }
      expect(last).toMatchObject({ type: "finish", finish: "truncated" });
      expect(error.result).toBe((last as { result: unknown }).result);
      // deltas and calls are a beginning of those of the whole stream
      const calls = events.filter(({ type }) => type === "tool-call");
      expect(whole.filter(({ type }) => type === "tool-call").slice(0, calls.length)).toEqual(calls);
      const text = (all: ParserEvent[]): string => all.map((one) => ("delta" in one ? one.delta : "")).join("");
      expect(text(whole).startsWith(text(events))).toBe(true);
    }
  });

  test("an answer whose last event has no line break behind it", async () => {
    const text = captured("completion-stream-hermes.sse.txt").toString().trimEnd();
    expect((await readAll(readCompletionStream(body(text), options))).result.finish).toBe("tool-calls");
  });
});

describe("how a completion ends", () => {
  const text = { content: '<tool_call>{"name": "search", "arguments": {"query": "a"}}', stop: false };
  test.each([
    [{ stop_type: "eos" }, "tool-calls"],
    [{ stop_type: "word", stopping_word: "</tool_call>" }, "tool-calls"],
    [{ stop_type: "limit" }, "truncated"],
    [{ stop_type: "none" }, "truncated"],
    [{ stopped_eos: true }, "tool-calls"],
    [{ stopped_word: true }, "tool-calls"],
    [{ stopped_limit: true }, "truncated"],
    [{}, "truncated"],
  ])("%o", async (last, expected) => {
    const events = sse(text, { content: "", stop: true, ...last });
    let info: unknown;
    const { result } = await readAll(readCompletionStream(body(events), { ...options, onEnd: (end) => (info = end) }));
    expect(result.finish).toBe(expected);
    expect(info).toMatchObject({ stoppingWord: (last as { stopping_word?: string }).stopping_word ?? null });
  });

  test("what the last event says", async () => {
    let info: unknown;
    await readAll(
      readCompletionStream(responseOf("completion-stream-hermes.sse.txt"), { onEnd: (end) => (info = end) }),
    );
    expect(info).toMatchObject({ stopType: "eos", model: "tiny", promptTokens: 11, completionTokens: 55 });
    await readAll(readCompletionStream(responseOf("v1-completions-stream.sse.txt"), { onEnd: (end) => (info = end) }));
    expect(info).toMatchObject({ stopType: "eos", model: "tiny", promptTokens: 11, completionTokens: 55 });
    await readAll(readChatStream(responseOf("chat-stream-required-usage.sse.txt"), { onEnd: (end) => (info = end) }));
    expect(info).toMatchObject({ stopType: "eos", model: "tiny", timings: expect.any(Object) });
  });

  test("the first of several completions", async () => {
    const events = sse(
      { index: 1, content: "no", stop: false },
      { index: 0, content: "yes", stop: false },
      { index: 1, content: "", stop: true, stop_type: "limit" },
      { index: 0, content: "", stop: true, stop_type: "eos" },
    );
    expect((await readAll(readCompletionStream(body(events)))).result).toMatchObject({
      content: "yes",
      finish: "stop",
    });
  });

  test("nothing is waited for behind the last event, and the body is released", async () => {
    let released = false;
    const events = sse({ content: "yes", stop: false }, { content: "", stop: true, stop_type: "eos" });
    const hanging = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(events)),
      cancel() {
        released = true;
      },
    });
    expect((await readAll(readCompletionStream(hanging))).result.finish).toBe("stop");
    expect(released).toBe(true);
  });

  test("who stops reading releases the body, and so does a problem with stopOnProblem", async () => {
    let released = 0;
    const hanging = (text: string): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        cancel() {
          released++;
        },
      });
    for await (const _ of readCompletionStream(hanging(sse({ content: "yes" })), options)) break;
    expect(released).toBe(1);
    const wrong = sse({ content: '<tool_call>{"name": "search", "arguments": {"query": [' });
    const stopped = await readAll(readCompletionStream(hanging(wrong), { ...options, stopOnProblem: true }));
    expect(stopped.result).toMatchObject({ finish: "stop", rejected: [{ name: "search" }], used: expect.any(Number) });
    expect(released).toBe(2);
    const chat = sse(delta({ content: "I see. " }), call(0, "a", "search", '{"query": ['));
    const { result } = await readAll(readChatStream(hanging(chat), { ...options, stopOnProblem: true }));
    expect(result).toMatchObject({ finish: "stop", rejected: [{ name: "search", index: 0, start: 7 }], used: 17 });
    expect(released).toBe(3);
  });
});

describe("errors", () => {
  test("in the middle of a stream, in each of their forms", async () => {
    const error = { code: 500, message: "the model is gone", type: "server_error" };
    const forms = [
      `data: ${JSON.stringify({ error })}\n\n`,
      `error: ${JSON.stringify(error)}\n\n`,
      `event: error\ndata: ${JSON.stringify(error)}\n\n`,
    ];
    for (const form of forms) {
      const { events, error } = await outcome(readCompletionStream(body(sse({ content: "Half a" }) + form), options));
      expect(error).toMatchObject({ kind: "refused", status: 500, message: "the model is gone", type: "server_error" });
      expect(events.at(-1)).toMatchObject({ type: "finish", finish: "truncated", result: { content: "Half a" } });
      expect(error?.result?.content).toBe("Half a");
    }
    const line = "event: error\ndata: out of memory\n\n";
    const { error: plain } = await outcome(readCompletionStream(body(sse({ content: "Half a" }) + line)));
    expect(plain).toMatchObject({ kind: "refused", message: expect.stringContaining("out of memory") });
  });

  test("JSON with status 200, a page, a body of nothing, an event that is no JSON", async () => {
    const json = JSON.stringify({ error: { code: 503, message: "Loading model", type: "unavailable_error" } });
    const read = async (text: string): Promise<unknown> => (await outcome(readCompletionStream(body(text)))).error;
    expect(await read(json)).toMatchObject({ kind: "refused", status: 503, message: "Loading model" });
    const page = "<!doctype html><title>Oh</title><style>p{}</style><p>No tide today</p>";
    expect(await read(page)).toMatchObject({ kind: "malformed", message: expect.stringContaining("Oh No tide today") });
    expect(await read("")).toMatchObject({ kind: "incomplete" });
    expect(await read("data: {half\n\ndata: {}\n\n")).toMatchObject({ kind: "malformed" });
    expect(await read("data: 5\n\n")).toMatchObject({ kind: "malformed" });
    const empty = new Response(null, { status: 200 });
    expect((await outcome(readCompletionStream(empty))).error).toMatchObject({ kind: "malformed", status: 200 });
  });

  test("a page with an error's status", async () => {
    const page = new Response("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", {
      status: 502,
      statusText: "Bad Gateway",
    });
    const { events, error } = await outcome(readChatStream(page));
    expect(events).toEqual([]);
    expect(error).toMatchObject({
      kind: "refused",
      status: 502,
      message: "The server answered 502 Bad Gateway: 502 Bad Gateway nginx",
    });
    const { error: silent } = await outcome(readChatStream(new Response("", { status: 500 })));
    expect(silent).toMatchObject({ status: 500, message: "The server answered 500." });
  });

  test("a connection that breaks", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield sse({ content: '<tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call>' });
      yield sse({ content: '<tool_call>{"name": "search", "arguments": {"que' });
      throw new TypeError("terminated");
    }
    const { events, error } = await outcome(readCompletionStream(broken(), options));
    expect(error).toMatchObject({ kind: "incomplete", message: "The connection was lost: terminated" });
    expect(error?.cause).toBeInstanceOf(TypeError);
    expect(events.at(-1)).toMatchObject({
      finish: "truncated",
      result: { calls: [{ name: "search" }], rejected: [{ problems: [{ kind: "truncated" }] }] },
    });
  });

  test("programming errors are no errors of the server, and come at once", () => {
    expect(() => readCompletionStream(body(), { format: "no such format" })).toThrow(RangeError);
    expect(() => readChatStream(body(), { format: "no such format" })).toThrow(RangeError);
    expect(() => readChatStream(body(), { tools: [{} as never] })).toThrow(TypeError);
  });
});

describe("abort", () => {
  test.each([
    ["readCompletionStream", readCompletionStream, sse({ content: "Half a" })],
    ["readChatStream", readChatStream, sse(delta({ content: "Half a" }))],
  ])("%s: a stream that stalls", async (_, read, text) => {
    let released = false;
    const stalled = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      cancel() {
        released = true;
      },
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 10);
    const { events, error } = await outcome(read(stalled, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: "aborted", message: "The request was aborted: enough" });
    expect(error?.cause).toBe(controller.signal.reason);
    expect(events).toMatchObject([
      { type: "text-delta", text: "Half a" },
      { type: "finish", finish: "truncated" },
    ]);
    expect(released).toBe(true);
  });

  test("before anything", async () => {
    const { events, error } = await outcome(
      readCompletionStream(body(sse({ content: "a" })), { signal: AbortSignal.abort() }),
    );
    expect(events).toEqual([]);
    expect(error).toMatchObject({ kind: "aborted", result: null });
  });
});

describe("the calls of a chat server", () => {
  async function chat(...events: unknown[]): Promise<{ events: ParserEvent[]; result: any }> {
    return readAll(readChatStream(body(sse(...events, "[DONE]")), options));
  }

  test("thoughts, text, calls and text again, in their order", async () => {
    const { events, result } = await chat(
      delta({ role: "assistant", content: null }),
      delta({ reasoning_content: "Which " }),
      delta({ reasoning_content: "city?" }),
      delta({ content: "I look." }),
      call(0, "a", "get_weather", "{"),
      piece(0, '"city": "Oban", '),
      piece(0, '"days": "3"}'),
      call(1, "b", "search", { query: "tide" }),
      delta({ content: "Done. <tool_call>{" }),
      finish("tool_calls"),
    );
    expect(merged(events).map((event) => ("text" in event ? event.text : event.type))).toEqual([
      "Which city?",
      "I look.",
      ...["tool-input-start", "tool-input-delta", "tool-call"],
      ...["tool-input-start", "tool-input-delta", "tool-call"],
      "Done. <tool_call>{",
      "finish",
    ]);
    expect(result).toMatchObject({
      content: "I look.Done. <tool_call>{",
      reasoning: "Which city?",
      calls: [
        { id: "a", index: 0, arguments: { city: "Oban", days: 3 }, start: 18, end: 47 },
        { id: "b", index: 1, arguments: { query: "tide" }, start: 47, end: 63 },
      ],
      finish: "tool-calls",
      format: "hermes",
    });
  });

  test("a call in the content counts with the others", async () => {
    const stuck = '<tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call>';
    const { result } = await chat(
      delta({ content: stuck }),
      call(0, "b", "get_weather", '{"city": "Oban"}'),
      finish("stop"),
    );
    expect(result.calls.map(({ index, id }: any) => [index, id])).toEqual([
      [0, "id0"],
      [1, "b"],
    ]);
  });

  test("no arguments, null, and arguments that were encoded twice", async () => {
    const twice = JSON.stringify(JSON.stringify({ query: "x" }));
    const events = [call(0, "a", "list"), call(1, "b", "list", "null"), call(2, "c", "list", twice), finish("stop")];
    const { result } = await readAll(readChatStream(body(sse(...events))));
    expect(result.calls.map((one) => one.arguments)).toEqual([{}, {}, { query: "x" }]);
    expect(result.calls.map(({ repairs }) => repairs.length)).toEqual([0, 0, 1]);
  });

  test("what is wrong with a call is told like everywhere", async () => {
    const { result, events } = await chat(
      call(0, "a", "sail", '{"x": 1}'),
      call(1, "b", "search", '{"query": {}}'),
      call(2, "c", "search", '{"query": "a"} and more'),
      call(3, "d", "search", "query"),
      call(4, "e", "search", "[1]"),
      call(5, "f", "get_weather", '{"city": "Oban"'),
      finish("tool_calls"),
    );
    expect(result.rejected.map(({ id, problems }: any) => [id, problems[0].kind])).toEqual([
      ["a", "unknown-tool"],
      ["b", "wrong-type"],
      ["c", "invalid-arguments"],
      ["d", "invalid-arguments"],
      ["e", "not-an-object"],
    ]);
    expect(result.rejected[2].raw).toBe('{"query": "a"} and more');
    expect(result.calls).toMatchObject([{ id: "f", repairs: [{ kind: "missing-bracket" }], index: 5 }]);
    expect(result.finish).toBe("tool-calls");
    const early = events.findIndex(({ type }) => type === "tool-problem");
    expect(events[early + 1]).toMatchObject({ type: "tool-call-rejected", call: { id: "a" } });
  });

  test("a limit, and an end without a reason, cut off the open call", async () => {
    const cut = [call(0, "a", "search", '{"query": "a"}'), call(1, "b", "search", '{"query": ')];
    const { result } = await chat(...cut, finish("length"));
    expect(result).toMatchObject({ calls: [{ id: "a" }], rejected: [{ id: "b" }], finish: "truncated" });
    const { events, error } = await outcome(readChatStream(body(sse(...cut, "[DONE]")), options));
    expect(error).toMatchObject({ kind: "incomplete", result: { calls: [{ id: "a" }], rejected: [{ id: "b" }] } });
    expect(events.at(-1)).toMatchObject({ type: "finish", finish: "truncated" });
  });

  test("servers that leave the index out, or give every call the same", async () => {
    const bare = (id: string, args: string): object =>
      delta({ tool_calls: [{ id, function: { name: "search", arguments: args } }] });
    const { result } = await chat(
      bare("a", '{"query": '),
      delta({ tool_calls: [{ function: { arguments: '"x"}' } }] }),
      bare("b", '{"query": "y"}'),
      finish("stop"),
    );
    expect(callsOf(result)).toEqual([
      ["search", { query: "x" }],
      ["search", { query: "y" }],
    ]);
    const same = await chat(
      call(0, "a", "search", '{"query": "x"}'),
      call(0, "b", "search", '{"query": "y"}'),
      finish("stop"),
    );
    expect(same.result.calls.map(({ id }: any) => id)).toEqual(["a", "b"]);
  });

  test("a piece of a call that is over is no call of anything", async () => {
    const late = sse(call(0, "a", "search", '{"query": "x"}'), delta({ content: "So." }), piece(0, "!"));
    const { error } = await outcome(readChatStream(body(late), options));
    expect(error).toMatchObject({ kind: "malformed", result: { calls: [{ id: "a" }], content: "So." } });
  });

  test("calls are counted over the whole reply", async () => {
    const stream = sse(
      delta({ content: "a" }),
      call(0, "a", "search", '{"query": "x"}'),
      call(1, "b", "search", '{"query": "x"}'),
      finish("stop"),
    );
    const { result } = await readAll(readChatStream(body(stream), { ...options, limits: { calls: 1 } }));
    expect(result.calls.length).toBe(1);
    expect(result.rejected).toMatchObject([{ index: 1, problems: [{ kind: "limit-exceeded" }] }]);
  });

  test("the state in which the prompt ended, for a server that splits nothing", async () => {
    const stream = sse(delta({ content: "Hm.</think>Yes." }), finish("stop"));
    const { result } = await readAll(readChatStream(body(stream), { format: "qwen3", prefill: "<think>\n" }));
    expect(result).toMatchObject({ reasoning: "Hm.", content: "Yes.", format: "qwen3" });
  });
});
