import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createParser, parse, parseStream } from "../../src/index.ts";
import {
  type ChatChunk,
  type ChatCompletion,
  chatChunkMapper,
  toChatChunks,
  toChatCompletion,
  toChatMessage,
} from "../../src/integrations/openai.ts";
import { runs, writtenScenes } from "../support/arbitraries.ts";
import { chunksOf, randomChunks } from "../support/chunks.ts";
import { accumulate, clientOf, collect, eventsOf, hermes, sse, tools } from "./openai-client.ts";

const about = { model: "gull-7b", id: "chatcmpl-1", created: 1_800_000_000 };
const request = { model: "gull-7b", messages: [{ role: "user" as const, content: "How high is the tide?" }], tools };
const options = { format: "hermes", tools, generateId: (index: number) => `call${index}` };

const two = `<think>\nTwo ports.\n</think>\nI will look.\n${hermes("tide_level", { port: "Oban", days: "3" })}\n${hermes("log", {})}`;
const wrong = `Well.${hermes("tide_level", { port: "Oban", days: 0 })}`;

async function chunksFor(text: string, more: object = {}, size = 3, finished = true): Promise<ChatChunk[]> {
  return collect(toChatChunks(eventsOf(chunksOf(text, size), { ...options, finished }), { ...about, ...more }));
}

/** What the official client makes of chunks. */
async function clientMessage(chunks: ChatChunk[]): Promise<any> {
  const stream = clientOf(await sse(chunks)).chat.completions.stream(request);
  const completion = await stream.finalChatCompletion();
  const { parsed: _, ...message } = completion.choices[0]!.message as any;
  return { message, finish_reason: completion.choices[0]!.finish_reason, usage: completion.usage };
}

describe("chunks", () => {
  test("have what clients rely on, piece by piece", async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    const chunks = await chunksFor(`Hi.${hermes("tide_level", { port: "Oban" })}`, { usage: () => usage }, 74);
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_800_000_000,
      model: "gull-7b",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const call = (index: number, rest: object) => ({ tool_calls: [{ index, ...rest }] });
    expect(chunks).toEqual([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Hi." }),
      chunk(call(0, { id: "call0", type: "function", function: { name: "tide_level", arguments: "" } })),
      chunk(call(0, { function: { arguments: '{"port":"Oban"' } })),
      chunk(call(0, { function: { arguments: "}" } })),
      chunk({}, "tool_calls"),
      { ...chunk({}), choices: [], usage },
    ]);
    expect(JSON.stringify(chunks[0])).toBe(
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1800000000,"model":"gull-7b",' +
        '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
    );
  });

  test("are those of the package's own types", () => {
    const chunk = {} as ChatChunk satisfies OpenAI.ChatCompletionChunk;
    const completion = {} as ChatCompletion satisfies OpenAI.ChatCompletion;
    expect([chunk, completion]).toHaveLength(2);
  });

  test("can be made one event at a time", async () => {
    const chunks: ChatChunk[] = [];
    const map = chatChunkMapper(about);
    const parser = createParser({ ...options, onEvent: (event) => chunks.push(...map(event)) });
    for (const chunk of chunksOf(two, 3)) parser.feed(chunk);
    parser.end();
    expect(chunks).toEqual(await chunksFor(two));
  });

  test("have a random id and the time of now where none are given", async () => {
    const [first, second] = await collect(toChatChunks(eventsOf(["Hi."]), { model: "m" }));
    expect(first!.id).toMatch(/^chatcmpl-\w{24}$/);
    expect(second!.id).toBe(first!.id);
    expect(Math.abs(first!.created - Date.now() / 1000)).toBeLessThan(10);
  });

  test("come before the error of a source", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield `Hi.${hermes("log", {})}<tool_call>{"name": "tide_level", "arguments": {"port": "Ob`;
      throw new Error("gone");
    }
    const chunks: ChatChunk[] = [];
    const reading = (async () => {
      for await (const chunk of toChatChunks(parseStream(broken(), options), about)) chunks.push(chunk);
    })();
    await expect(reading).rejects.toThrow("gone");
    expect(accumulate(chunks)).toMatchObject({
      message: { content: "Hi.", tool_calls: [{ id: "call0" }, { id: "call1" }] },
      finish_reason: "length",
    });
  });
});

describe("the official client", () => {
  test("gets text, thoughts and two calls, streamed and not", async () => {
    const expected = {
      role: "assistant",
      content: "I will look.\n\n",
      refusal: null,
      reasoning_content: "\nTwo ports.\n",
      tool_calls: [
        { id: "call0", type: "function", function: { name: "tide_level", arguments: '{"port":"Oban","days":3}' } },
        { id: "call1", type: "function", function: { name: "log", arguments: "{}" } },
      ],
    };
    const result = parse(two, options);
    expect(toChatMessage(result)).toEqual({
      ...expected,
      content: result.content,
      reasoning_content: result.reasoning,
    });

    for (const size of [1, 2, 3, 7, 20, two.length]) {
      const streamed = await clientMessage(await chunksFor(two, {}, size));
      // the client keeps only the last piece of a field that it does not know
      expect(streamed.message).toEqual({
        ...toChatMessage(result),
        reasoning_content: expect.any(String),
      });
      expect(streamed.finish_reason).toBe("tool_calls");
    }
    const whole = await clientOf(toChatCompletion(result, about)).chat.completions.create(request);
    expect(whole.choices[0]).toMatchObject({ message: toChatMessage(result), finish_reason: "tool_calls" });
  });

  test("hears of each call's arguments as they come", async () => {
    const stream = clientOf(await sse(await chunksFor(two))).chat.completions.stream(request);
    const heard: string[] = [];
    stream.on("tool_calls.function.arguments.delta", ({ index, arguments_delta }) => {
      heard[index] = (heard[index] ?? "") + arguments_delta;
    });
    const done: unknown[] = [];
    stream.on("tool_calls.function.arguments.done", ({ name, arguments: text }) => done.push([name, text]));
    await stream.done();
    expect(heard).toEqual(['{"port":"Oban","days":3}', "{}"]);
    expect(done).toEqual([
      ["tide_level", '{"port":"Oban","days":3}'],
      ["log", "{}"],
    ]);
  });

  test("gets text without calls, with its usage", async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const got = await clientMessage(await chunksFor("The tide is falling.", { usage }));
    expect(got).toEqual({
      message: { role: "assistant", content: "The tide is falling.", refusal: null },
      finish_reason: "stop",
      usage,
    });
  });

  test("gets calls alone with null for content, also where blanks stand between them", async () => {
    const text = `\n${hermes("log", {})}\n${hermes("log", {})}\n`;
    const got = await clientMessage(await chunksFor(text));
    expect(got.message).toEqual(toChatMessage(parse(text, options)));
    expect(got.message.content).toBeNull();
    expect(got.message.tool_calls).toHaveLength(2);
  });

  test("gets blanks where there is nothing else, and an empty reply", async () => {
    expect((await clientMessage(await chunksFor(" \n"))).message.content).toBe(" \n");
    expect(toChatMessage(parse(" \n", options)).content).toBe(" \n");
    expect(await clientMessage(await chunksFor(""))).toMatchObject({
      message: { content: null },
      finish_reason: "stop",
    });
    expect(toChatMessage(parse("", options)).content).toBe("");
  });

  test("is told of a limit as by any server: the call that was cut is no JSON, the one before it stands", async () => {
    const whole = `${hermes("log", {})}\n${hermes("tide_level", { port: "Oban", days: 3 })}`;
    for (let length = 0; length < whole.length - "\n</tool_call>".length; length++) {
      const { message, finish_reason } = await clientMessage(await chunksFor(whole.slice(0, length), {}, 4, false));
      expect(finish_reason).toBe("length");
      const valid = (message.tool_calls ?? []).filter((call: any) => isJson(call.function.arguments));
      const { calls } = parse(whole.slice(0, length), { ...options, finished: false });
      expect(valid.map((call: any) => call.function.name)).toEqual(calls.map(({ name }) => name));
    }
  });

  test("throws its own error at a limit where a tool is strict", async () => {
    const strict = tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }));
    const chunks = await chunksFor(hermes("tide_level", { port: "Oban" }).slice(0, -25), {}, 3, false);
    const stream = clientOf(await sse(chunks)).chat.completions.stream({ ...request, tools: strict });
    await expect(stream.finalChatCompletion()).rejects.toThrow(/length limit/);
  });
});

describe("a rejected call", () => {
  test("leaves nothing that reads as JSON, nor as JSON that was cut off", async () => {
    for (const size of [1, 4, 1000]) {
      const { message, finish_reason } = accumulate(await chunksFor(wrong, {}, size));
      expect(message).toEqual({
        role: "assistant",
        content: "Well.",
        tool_calls: [
          {
            id: "call0",
            type: "function",
            function: {
              name: "tide_level",
              arguments:
                '{"port":"Oban","days":0\n// The call to "tide_level" was not run: - "days" must be at least 1, but 0 was ' +
                "given. Correct this and write the whole call again.",
            },
          },
        ],
      });
      expect(finish_reason).toBe("stop");
    }
  });

  test("that breaks in the middle of a string closes it first", async () => {
    const text = `<tool_call>{"name": "tide_level", "arguments": {"port": "Ob\\"an`;
    const { message, finish_reason } = accumulate(await chunksFor(text, {}, 1));
    expect(message.tool_calls[0].function.arguments).toMatch(/^\{"port":"Ob\\"an"\n\/\/ The call .* was not run/);
    expect(finish_reason).toBe("stop");
  });

  test("was never announced: nothing of it is seen", async () => {
    const text = `Well.${hermes("weather", { days: 0 })}`;
    expect(accumulate(await chunksFor(text))).toEqual({
      message: { role: "assistant", content: "Well." },
      finish_reason: "stop",
    });
    const { message, finish_reason } = toChatCompletion(parse(text, options), about).choices[0]!;
    expect(message.tool_calls).toBeUndefined();
    expect(finish_reason).toBe("stop");
  });

  test("leaves no hole among the calls behind it", async () => {
    const text = `${hermes("weather", {})}${hermes("log", {})}${hermes("sun", {})}${hermes("tide_level", { port: "Oban" })}`;
    const { message, finish_reason } = accumulate(await chunksFor(text));
    expect(message.tool_calls.map((call: any) => [call.id, call.function.name])).toEqual([
      ["call1", "log"],
      ["call3", "tide_level"],
    ]);
    expect(finish_reason).toBe("tool_calls");
  });

  test("is held back with holdCalls", async () => {
    for (const size of [1, 5, 500]) {
      const chunks = await chunksFor(`${wrong}${hermes("log", {})}`, { holdCalls: true }, size);
      const { message } = accumulate(chunks);
      expect(message).toEqual({
        role: "assistant",
        content: "Well.",
        tool_calls: [{ id: "call1", type: "function", function: { name: "log", arguments: "{}" } }],
      });
    }
  });

  test("can go out as text", async () => {
    const raw = hermes("tide_level", { days: 0 });
    const held = accumulate(await chunksFor(`Well.${raw} So.`, { onRejected: "text", holdCalls: true }));
    expect(held).toEqual({
      message: { role: "assistant", content: `Well.${raw.slice(0, raw.lastIndexOf("\n"))} So.` },
      finish_reason: "stop",
    });
    const message = toChatMessage(parse(wrong, options), { onRejected: "text" });
    expect(message.content).toContain('Well.<tool_call>\n{"name":"tide_level"');
  });

  test("can go out as a call that no client runs", async () => {
    const text = `${hermes("weather", { at: "sea" })}${hermes("tide_level", { days: 0 })}`;
    const { message, finish_reason } = accumulate(await chunksFor(text, { onRejected: "send" }));
    expect(finish_reason).toBe("tool_calls");
    const sent = message.tool_calls.map((call: any) => call.function);
    // a tool that was not offered is refused by its name
    expect(sent[0]).toEqual({ name: "weather", arguments: '{"at":"sea"}' });
    expect(sent[1].name).toBe("tide_level");
    expect(isJson(sent[1].arguments)).toBe(false);
    expect(toChatMessage(parse(text, options), { onRejected: "send" }).tool_calls).toEqual(message.tool_calls);
  });

  test("that was cut is not sent as a whole one, even if its arguments are", async () => {
    const cut = `<tool_call>{"name": "tide_level", "arguments": {"port": "Oban"}`;
    for (const onRejected of ["drop", "send"] as const) {
      const { message, finish_reason } = accumulate(await chunksFor(cut, { onRejected }, 5, false));
      expect(message.tool_calls[0].function.arguments).toBe('{"port":"Oban"');
      expect(finish_reason).toBe("length");
    }
  });

  test("makes the client's tool runner tell the model, and run nothing", async () => {
    const bodies: any[] = [];
    const replies = [await chunksFor(wrong), await chunksFor("I am sorry.")];
    const client = new OpenAI({
      apiKey: "none",
      maxRetries: 0,
      fetch: async (_url, init) => {
        bodies.push(JSON.parse(init!.body as string));
        return new Response(await sse(replies.shift()!), { headers: { "content-type": "text/event-stream" } });
      },
    });
    let ran = 0;
    const runner = client.chat.completions.runTools({
      ...request,
      stream: true,
      tools: [
        {
          type: "function",
          function: { name: "tide_level", parameters: {}, parse: JSON.parse, function: () => `${++ran}` },
        },
      ],
    } as any);
    expect(await (runner as any).finalContent()).toBe("I am sorry.");
    expect(ran).toBe(0);
    expect(bodies[1].messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call0" });
    expect(bodies[1].messages.at(-1).content).toMatch(/JSON/);
  });

  test("is heard of", async () => {
    const heard: unknown[] = [];
    const onRejected = (call: { problems: { kind: string }[] }) =>
      void heard.push(call.problems.map(({ kind }) => kind));
    await chunksFor(wrong, { onRejected });
    expect(heard).toEqual([["out-of-range"]]);
  });
});

test("an id that a model repeats is made its own", async () => {
  const repeating = { ...options, generateId: () => "same" };
  const text = hermes("log", {}) + hermes("log", {}) + hermes("weather", {}) + hermes("log", {});
  const chunks = await collect(toChatChunks(eventsOf([text], repeating), about));
  const ids = accumulate(chunks).message.tool_calls.map((call: any) => call.id);
  expect(ids).toEqual(["same", "same-2", "same-4"]);
  expect(toChatMessage(parse(text, repeating)).tool_calls!.map(({ id }) => id)).toEqual(ids);
});

describe("for every chunking", () => {
  for (const format of ["hermes", "mistral", "qwen3-coder", "raw-json", "harmony"]) {
    test(`${format}: a stream put together is the message of the whole`, async () => {
      await fc.assert(
        fc.asyncProperty(
          writtenScenes(format),
          fc.nat(),
          fc.nat({ max: 400 }),
          fc.boolean(),
          fc.boolean(),
          fc.constantFrom("drop" as const, "send" as const),
          async ({ text, tools }, seed, cut, finished, offered, onRejected) => {
            const whole = finished ? text : text.slice(0, cut);
            // half of the tools are not offered, so that some calls are rejected
            const given = offered ? tools : tools.slice(1);
            const read = { format, tools: given, finished, generateId: (index: number) => `call${index}` };
            const result = parse(whole, read);
            const expected = toChatCompletion(result, { ...about, onRejected }).choices[0]!;
            const held = onRejected === "drop";
            const events = eventsOf(randomChunks(whole, seed), read);
            const streamed = accumulate(await collect(toChatChunks(events, { ...about, onRejected, holdCalls: held })));
            expect(normal(streamed.message)).toEqual(normal(expected.message));
            expect(streamed.finish_reason).toBe(expected.finish_reason);

            // without holding calls back, what reads as JSON is still nothing but the valid calls
            const open = accumulate(
              await collect(toChatChunks(eventsOf(randomChunks(whole, seed + 1), read), about)),
            ).message;
            const readable = (open.tool_calls ?? []).filter((call: any) => isJson(call.function.arguments));
            expect(readable.map((call: any) => call.function.arguments)).toEqual(
              result.calls.map(({ argumentsText }) => argumentsText),
            );
          },
        ),
        runs(150),
      );
    });
  }
});

/** A client cannot tell an empty content from none. */
function normal({ refusal: _, ...message }: any): any {
  return { ...message, content: message.content || null };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
