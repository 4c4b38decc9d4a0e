import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { getFormat, parse } from "../../src/index.ts";
import {
  type RepairOptions,
  repairChatCompletion,
  repairChatMessage,
  repairChatStream,
} from "../../src/integrations/openai.ts";
import { chunksOf } from "../support/chunks.ts";
import { accumulate, captured, clientOf, collect, each, hermes, readSse, sse, tools } from "./openai-client.ts";

const options: RepairOptions = { format: "hermes", tools, generateId: (index) => `call${index}` };
const call = hermes("tide_level", { port: "Oban" });

const about = { id: "cmpl-7", object: "chat.completion.chunk", created: 1, model: "gull", system_fingerprint: "fp" };

function chunk(delta: object, finish_reason: string | null = null, index = 0): any {
  return { ...about, choices: [{ index, delta, logprobs: null, finish_reason }] };
}

/** What a server sends that leaves a text as it is. */
function served(text: string, size: number, reason = "stop", field = "content"): any[] {
  return [
    chunk({ role: "assistant", content: "" }),
    ...chunksOf(text, size).map((piece) => chunk({ [field]: piece })),
    chunk({}, reason),
  ];
}

async function repaired(chunks: any[], more: RepairOptions = {}): Promise<any[]> {
  return collect(repairChatStream(each(chunks), { ...options, ...more }));
}

const calls = [
  { name: "tide_level", arguments: { port: "Oban", days: 3 } },
  { name: "log", arguments: { note: 'a "b" \\ <c>\n</tool_call>é🏔️' } },
];

describe("calls in content", () => {
  for (const format of [
    "hermes",
    "mistral",
    "qwen3-coder",
    "glm45",
    "kimi-k2",
    "harmony",
    "deepseek-v31",
    "llama3-json",
  ]) {
    test(`${format}, cut at every size`, async () => {
      const declared = [
        tools[0]!,
        {
          type: "function" as const,
          function: { name: "log", parameters: { properties: { note: { type: "string" } } } },
        },
      ];
      const given = format === "llama3-json" ? { calls } : { content: "I will look.", calls };
      const text = getFormat(format).render(given, { tools: declared });
      const expected = parse(text, { format, tools: declared });
      expect(expected.calls).toHaveLength(2);
      for (let size = 1; size <= text.length; size++) {
        const chunks = await repaired(served(text, size), { format, tools: declared });
        const { message, finish_reason } = accumulate(chunks);
        expect(finish_reason).toBe("tool_calls");
        expect(message.content || "").toBe(expected.content.trim() === "" ? "" : expected.content);
        expect(message.tool_calls.map(({ function: f }: any) => [f.name, f.arguments])).toEqual(
          expected.calls.map(({ name, argumentsText }) => [name, argumentsText]),
        );
        for (const one of chunks) expect(one).toMatchObject(about);
      }
    });
  }

  test("the official client gets them, streamed and not", async () => {
    const request = { model: "gull", messages: [{ role: "user" as const, content: "?" }], tools };
    const upstream = await clientOf(await sse(served(`Yes.${call}`, 3))).chat.completions.create({
      ...request,
      stream: true,
    });
    const stream: AsyncIterable<OpenAI.ChatCompletionChunk> = repairChatStream(upstream, options);
    const completion = await clientOf(await sse(stream))
      .chat.completions.stream(request)
      .finalChatCompletion();
    const expected = {
      finish_reason: "tool_calls",
      message: {
        content: "Yes.",
        tool_calls: [{ id: "call0", function: { name: "tide_level", arguments: '{"port":"Oban"}' } }],
      },
    };
    expect(completion.choices[0]).toMatchObject(expected);

    const answer = {
      ...about,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: `Yes.${call}` }, finish_reason: "stop" }],
    };
    const whole: OpenAI.ChatCompletion = repairChatCompletion(
      await clientOf(answer).chat.completions.create(request),
      options,
    );
    expect(whole.choices[0]).toMatchObject(expected);
  });

  test("that are cut stay cut", async () => {
    for (const reason of ["length", "content_filter", "abort"]) {
      const { message, finish_reason } = accumulate(
        await repaired(served(call.slice(0, call.indexOf('an"')), 5, reason)),
      );
      expect(finish_reason).toBe(reason);
      expect(message.tool_calls[0].function.arguments).toBe('{"port":"Ob');
    }
  });

  test("that are rejected change the reason to nothing that is no call", async () => {
    const text = hermes("weather", {});
    expect(accumulate(await repaired(served(text, 4, "tool_calls")))).toEqual({
      message: { role: "assistant", content: "" },
      finish_reason: "stop",
    });
    const asText = accumulate(await repaired(served(text, 4), { onRejected: "text" }));
    expect(asText.message.content).toContain('"weather"');
  });
});

describe("calls in thoughts", () => {
  for (const field of ["reasoning_content", "reasoning"]) {
    for (const size of [1, 3, 1000]) {
      test(`${field}, pieces of ${size}: a call that nothing follows is one`, async () => {
        const { message, finish_reason } = accumulate(
          await repaired(served(`I need the tide.\n${call}`, size, "stop", field)),
        );
        expect(message).toMatchObject({ content: "", [field]: "I need the tide.\n" });
        expect(message.tool_calls).toMatchObject([{ function: { name: "tide_level", arguments: '{"port":"Oban"}' } }]);
        expect(finish_reason).toBe("tool_calls");
      });

      test(`${field}, pieces of ${size}: a draft stays a thought`, async () => {
        const thought = `Perhaps ${call}?`;
        const [begin, ...rest] = served(thought, size, "stop", field);
        const end = rest.pop();
        const answer = accumulate(await repaired([begin, ...rest, chunk({ content: "High." }), end]));
        expect(answer).toEqual({
          message: { role: "assistant", content: "High.", [field]: thought },
          finish_reason: "stop",
        });
        const called = accumulate(await repaired([begin, ...rest, ...served(call, size).slice(1)]));
        expect(called.message[field]).toBe(thought);
        expect(called.message.tool_calls).toHaveLength(1);
        const own = { index: 0, id: "x", type: "function", function: { name: "log", arguments: "{}" } };
        const byServer = accumulate(await repaired([begin, ...rest, chunk({ tool_calls: [own] }), end]));
        expect(byServer.message).toMatchObject({ [field]: thought, tool_calls: [{ id: "x" }] });
        expect(byServer.finish_reason).toBe("tool_calls");
      });
    }
  }

  test("of harmony, whose thoughts are messages", async () => {
    const stuck =
      'We need it.<|end|><|start|>assistant<|channel|>commentary to=functions.tide_level <|constrain|>json<|message|>{"port":"Oban"}<|call|>';
    const { message } = accumulate(
      await repaired(served(stuck, 3, "stop", "reasoning_content"), { format: "harmony" }),
    );
    expect(message.reasoning_content).toBe("We need it.");
    expect(message.tool_calls).toMatchObject([{ function: { name: "tide_level", arguments: '{"port":"Oban"}' } }]);
  });

  test("of a format that has no thoughts: they pass", async () => {
    const chunks = served(`Hm. ${call}`, 4, "stop", "reasoning_content");
    expect(accumulate(await repaired(chunks, { format: "llama3-json" })).message.reasoning_content).toBe(`Hm. ${call}`);
  });

  test("sent under both names, are read once and sent under both", async () => {
    const chunks = [
      chunk({ role: "assistant" }),
      ...chunksOf(`Hm. ${call}`, 5).map((text) => chunk({ reasoning: text, reasoning_content: text })),
      chunk({}, "stop"),
    ];
    const { message } = accumulate(await repaired(chunks));
    expect(message).toMatchObject({ reasoning: "Hm. ", reasoning_content: "Hm. " });
    expect(message.tool_calls).toHaveLength(1);
  });

  test("that the server left in content are taken out, and the prefill may have opened them", async () => {
    const tagged = accumulate(await repaired(served(`<think>Hm.</think>${call}`, 3)));
    expect(tagged.message).toMatchObject({ reasoning_content: "Hm.", content: "" });
    const prefilled = accumulate(await repaired(served(`Hm.</think>Yes.${call}`, 3), { prefill: "<think>\n" }));
    expect(prefilled.message).toMatchObject({ reasoning_content: "Hm.", content: "Yes." });
    expect(prefilled.message.tool_calls).toHaveLength(1);
  });

  test("between answers: a second thought after content", async () => {
    const chunks = [
      ...[chunk({ reasoning_content: "One." }), chunk({ content: "A." }), chunk({ reasoning_content: "Two." })],
      ...[chunk({ content: `B.${call}` }), chunk({}, "stop")],
    ];
    const { message } = accumulate(await repaired(chunks));
    expect(message).toMatchObject({ content: "A.B.", reasoning_content: "One.Two." });
    expect(message.tool_calls).toHaveLength(1);
  });
});

describe("all else stays", () => {
  test("a stream without calls is the same stream", async () => {
    const chunks = [
      ...served("The tide is falling.", 4),
      { ...about, choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
    ];
    expect(await repaired(chunks)).toEqual(chunks);
    expect(JSON.stringify(await repaired(chunks))).toBe(JSON.stringify(chunks));
  });

  test("the server's own calls, with ours before them and behind them", async () => {
    const own = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
    const chunks = [
      chunk({ role: "assistant", content: call }),
      own(0, { id: "a", type: "function", function: { name: "log", arguments: "" } }),
      own(0, { function: { arguments: '{"x":' } }),
      own(1, { id: "b", type: "function", function: { name: "log", arguments: "{}" } }),
      own(0, { function: { arguments: "1}" } }),
      chunk({ content: call }),
      chunk({}, "tool_calls"),
    ];
    const { message, finish_reason } = accumulate(await repaired(chunks));
    expect(message.tool_calls.map((one: any) => [one.id, one.function.name, one.function.arguments])).toEqual([
      ["call0", "tide_level", '{"port":"Oban"}'],
      ["a", "log", '{"x":1}'],
      ["b", "log", "{}"],
      ["call1", "tide_level", '{"port":"Oban"}'],
    ]);
    expect(finish_reason).toBe("tool_calls");
    // alone, they are not touched at all
    const alone = chunks.filter(({ choices }) => choices[0].delta.content === undefined);
    expect(await repaired(alone)).toEqual(alone);
  });

  test("calls that a server gives the same index, or none", async () => {
    for (const index of [0, undefined]) {
      const own = (id: string, text: string) => ({
        index,
        id,
        type: "function",
        function: { name: "log", arguments: text },
      });
      const chunks = [
        chunk({ tool_calls: [own("a", '{"x":1}'), own("b", "{}")] }),
        chunk({ tool_calls: [own("c", "{}")] }),
        chunk({}, "stop"),
      ];
      const { message, finish_reason } = accumulate(await repaired(chunks));
      expect(message.tool_calls.map((one: any) => one.id)).toEqual(["a", "b", "c"]);
      expect(finish_reason).toBe("tool_calls");
    }
  });

  test("several choices are read each on its own", async () => {
    const texts = [`A.${call}`, "No call here.", `${hermes("log", {})}${call}`];
    const pieces = texts.map((text) => chunksOf(text, 5));
    const chunks: any[] = texts.map((_, index) => chunk({ role: "assistant" }, null, index));
    for (let at = 0; pieces.some((all) => at < all.length); at++) {
      // one chunk may hold a piece of each
      const choices = pieces.flatMap((all, index) =>
        at < all.length ? [{ index, delta: { content: all[at] }, finish_reason: null }] : [],
      );
      chunks.push({ ...about, choices });
    }
    chunks.push(...texts.map((_, index) => chunk({}, index === 2 ? "length" : "stop", index)));
    const out = await repaired(chunks);
    expect([0, 1, 2].map((index) => accumulate(out, index))).toMatchObject([
      { message: { content: "A.", tool_calls: [{ id: "call0" }] }, finish_reason: "tool_calls" },
      { message: { content: "No call here." }, finish_reason: "stop" },
      { message: { tool_calls: [{ id: "call0" }, { id: "call1" }] }, finish_reason: "length" },
    ]);
  });

  test("logprobs, timings, usage in every chunk, fields that nobody knows", async () => {
    const logprobs = { content: [{ token: "<", logprob: -1, bytes: null, top_logprobs: [] }], refusal: null };
    const chunks = chunksOf(call, 6).map((content, n) => ({
      ...about,
      choices: [
        {
          index: 0,
          delta: { role: "assistant", content, tool_calls: [] },
          logprobs,
          finish_reason: null,
          token_ids: [n],
        },
      ],
      usage: { total_tokens: n },
    }));
    const end = {
      ...about,
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop", stop_reason: 5 }],
      timings: { n: 1 },
    };
    const out = await repaired([...chunks, end, { object: "error", message: "?" }]);
    const choices = out.flatMap((one) => one.choices ?? []);
    expect(choices.flatMap(({ token_ids = [] }) => token_ids)).toEqual(chunks.map((_, n) => n));
    expect(choices.filter((choice) => choice.logprobs)).toHaveLength(chunks.length);
    expect(out.flatMap(({ usage = [] }) => usage)).toEqual(chunks.map(({ usage }) => usage));
    expect(out.at(-2)).toEqual({
      ...end,
      choices: [{ index: 0, delta: {}, finish_reason: "tool_calls", stop_reason: 5 }],
    });
    expect(out.at(-1)).toEqual({ object: "error", message: "?" });
  });

  test("a server that writes role and reason into its chunks of text", async () => {
    const chunks = [
      ...chunksOf(call, 9).map((content) => chunk({ role: "assistant", content })),
      chunk({ role: "assistant", content: "." }, "stop"),
    ];
    const out = await repaired(chunks);
    expect(accumulate(out)).toMatchObject({
      message: { content: ".", tool_calls: [{ id: "call0" }] },
      finish_reason: "tool_calls",
    });
    expect(out.filter(({ choices }) => choices[0].finish_reason !== null)).toHaveLength(1);
  });
});

describe("a stream that ends badly", () => {
  async function* broken(chunks: any[]): AsyncGenerator<any> {
    yield* chunks;
    throw new Error("connection lost");
  }

  test("throws after what was certain", async () => {
    const out: any[] = [];
    const reading = (async () => {
      for await (const one of repairChatStream(
        broken(served(`Hi.${hermes("log", {})} And <tool`, 4).slice(0, -1)),
        options,
      ))
        out.push(one);
    })();
    await expect(reading).rejects.toThrow("connection lost");
    const { message, finish_reason } = accumulate(out);
    expect(message).toMatchObject({ content: "Hi. And <tool", tool_calls: [{ function: { arguments: "{}" } }] });
    expect(finish_reason).toBeNull();
  });

  test("without a reason: what is open was cut off, and no reason is made up", async () => {
    const out = await repaired(served(`Hi.${call.slice(0, -13)}`, 4).slice(0, -1));
    expect(accumulate(out)).toMatchObject({ message: { content: "Hi." }, finish_reason: null });
  });

  test("is closed when the reader leaves", async () => {
    let closed = false;
    async function* endless(): AsyncGenerator<any> {
      try {
        for (;;) yield chunk({ content: "x" });
      } finally {
        closed = true;
      }
    }
    for await (const _ of repairChatStream(endless(), options)) break;
    expect(closed).toBe(true);
  });

  test("an unknown format is refused at once", () => {
    expect(() => repairChatStream(each([]), { format: "gull" })).toThrow(RangeError);
    expect(() => repairChatMessage({ content: "" }, { format: "gull" })).toThrow(RangeError);
  });
});

describe("answers that do not stream", () => {
  test("a message gets its calls, and keeps the rest", () => {
    const message = {
      role: "assistant",
      content: `Yes.${call}`,
      refusal: null,
      annotations: [],
      reasoning_content: null,
    };
    expect(repairChatMessage(message, options)).toEqual({
      ...message,
      content: "Yes.",
      tool_calls: [{ id: "call0", type: "function", function: { name: "tide_level", arguments: '{"port":"Oban"}' } }],
    });
    expect(repairChatMessage({ role: "assistant", content: call }, options)).toMatchObject({ content: null });
    const plain = { role: "assistant", content: "No call." };
    expect(repairChatMessage(plain, options)).toEqual(plain);
    expect(
      repairChatMessage({ role: "assistant", content: call.slice(0, -14) }, { ...options, finished: false }),
    ).toEqual({
      role: "assistant",
      content: "",
    });
  });

  test("a call in the thoughts, and calls of the server", () => {
    const stuck = { role: "assistant", content: null, reasoning_content: `Hm.${call}` };
    expect(repairChatMessage(stuck, options)).toMatchObject({
      content: null,
      reasoning_content: "Hm.",
      tool_calls: [{ id: "call0" }],
    });
    const own = { id: "a", type: "custom", custom: { name: "log", input: "x" } };
    const both = repairChatMessage({ role: "assistant", content: call, tool_calls: [own] }, options);
    expect(both.tool_calls).toEqual([expect.objectContaining({ id: "call0" }), own]);
  });

  test("rejected calls leave nothing, each choice has its own reason", () => {
    const choice = (content: string, finish_reason: string) => ({
      index: 0,
      message: { role: "assistant", content },
      finish_reason,
    });
    const { choices } = repairChatCompletion(
      {
        choices: [
          choice(call, "stop"),
          choice(hermes("tide_level", {}), "stop"),
          choice(call, "length"),
          choice("", "stop"),
        ],
      },
      options,
    );
    expect(
      choices.map(({ finish_reason, message }: any) => [finish_reason, message.content, message.tool_calls?.length]),
    ).toEqual([
      ["tool_calls", null, 1],
      ["stop", "", undefined],
      ["length", null, 1],
      ["stop", "", undefined],
    ]);
  });
});

describe("streams of llama.cpp", () => {
  const index = JSON.parse(captured("index.json")) as { file: string; rawText?: string; status?: number; body?: any }[];
  const chats = index.filter(
    ({ file }) => /^(chat-|echo-|tpl-|vocab-).*\.sse\.txt$/.test(file) && !/\.raw\.|no-newline/.test(file),
  );

  test.each(chats.map(({ file }) => file))("%s: what it has read itself is not changed", async (file) => {
    const chunks = readSse(captured(file));
    const out = await collect(repairChatStream(each(chunks), { tools: [] }));
    const expected = accumulate(chunks);
    // this template has no thoughts, so llama.cpp left one in the content
    if (file.startsWith("echo-hermes-think")) {
      expected.message.content = "\n\n";
      expected.message.reasoning_content = "\nNeed weather.\n";
    }
    expect({ content: null, ...accumulate(out).message }).toEqual({ content: null, ...expected.message });
    expect(accumulate(out).finish_reason).toBe(expected.finish_reason);
    expect(out.at(-1)).toEqual(chunks.at(-1));
  });

  test("a call that it left in the content is found", async () => {
    const file = "echo-hermes-no-newline";
    const { tools: offered } = index.find((one) => one.file.startsWith(file))!.body;
    const before = readSse(captured(`${file}.sse.txt`));
    expect(accumulate(before).finish_reason).toBe("stop");
    const { message, finish_reason } = accumulate(
      await collect(repairChatStream(each(before), { format: "hermes", tools: offered })),
    );
    expect(finish_reason).toBe("tool_calls");
    expect(message.tool_calls).toMatchObject([{ function: { name: "get_weather", arguments: '{"city":"Paris"}' } }]);
    const whole = repairChatCompletion(JSON.parse(captured(`${file}.json.txt`)), { format: "hermes", tools: offered });
    expect(whole.choices[0]).toMatchObject({
      finish_reason,
      message: { tool_calls: [{ function: { name: "get_weather" } }] },
    });
  });

  // the format of each template, and what its prompt ends with where that matters
  const raw: [file: string, format: string, prefill?: string][] = [
    ["tpl-Qwen-Qwen2.5-7B-Instruct-two+content", "hermes"],
    ["tpl-Qwen3-Coder-two+content", "qwen3-coder"],
    ["tpl-Mistral-Small-3.2-24B-Instruct-2506-two", "mistral"],
    ["tpl-mistralai-Mistral-Nemo-Instruct-2407-two", "mistral"],
    ["tpl-deepseek-ai-DeepSeek-V3.1-two", "deepseek-v31"],
    ["tpl-moonshotai-Kimi-K2-two", "kimi-k2"],
    ["tpl-GLM-4.6-two+content", "glm45"],
    ["tpl-MiniMax-M2-one", "minimax-m2", "<think>\n"],
    ["tpl-LFM2.5-8B-A1B-one", "lfm2"],
    ["tpl-ibm-granite-granite-4.0-two", "granite4"],
    ["tpl-ByteDance-Seed-OSS-one", "seed-oss"],
    ["tpl-tencent-Hy3-two", "hy3"],
    ["vocab-llama-bpe-meta-llama-Llama-3.1-8B-Instruct-one", "llama3-json"],
    ["vocab-gemma-4-google-gemma-4-31B-it-interleaved-one", "gemma4"],
  ];

  test.each(raw)(
    "%s: its raw text as content becomes the calls that it reads itself",
    async (file, format, prefill) => {
      const pieces = readSse(captured(`${file}.raw.sse.txt`)).map(({ content }) => chunk({ content }));
      const out = accumulate(
        await collect(repairChatStream(each([...pieces, chunk({}, "stop")]), { format, prefill })),
      );
      const theirs = accumulate(readSse(captured(`${file}.chat.sse.txt`)));
      const read = ({ message }: any) =>
        message.tool_calls.map(({ function: called }: any) => [called.name, JSON.parse(called.arguments)]);
      expect(read(out)).toEqual(read(theirs));
      // the captured model's own end token, which this format does not know
      const content = (out.message.content ?? "").replace("<|im_end|>", "");
      expect(content.trim()).toBe((theirs.message.content ?? "").trim());
      expect(out.finish_reason).toBe("tool_calls");
    },
  );
});
