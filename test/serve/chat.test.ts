import { describe, expect, test } from "vitest";
import { getFormat, parse } from "../../src/index.ts";
import { captures, tools } from "../integrations/llama-server-captures.ts";
import { accumulate, collect, readSse } from "../integrations/openai-client.ts";
import { serving, until } from "./serving.ts";
import { call, completionEvents, event, json, replay, says } from "./upstream.ts";

const messages = [{ role: "user" as const, content: "How is the weather?" }];
const request = { model: "tiny", messages, tools };
const good = call("get_weather", { city: "Oban", days: 2 });

describe("the official client gets the same calls, streamed or not", () => {
  const raw = captures.filter(
    ({ file, request, status }) =>
      status === 200 && request === "POST /completion" && /^(tpl|completion-stream-(hermes|mistral)).*sse/.test(file),
  );
  let found = 0;

  test.each(raw)("$file", async ({ file, rawText }) => {
    const { client } = await serving({ "/completion": replay(file) }, { format: "auto" });
    const { choices } = await client.chat.completions.create(request);
    const streamed = accumulate(await collect(await client.chat.completions.create({ ...request, stream: true })));
    const { message, finish_reason } = choices[0] as any;
    const plain = (calls: any[] = []): unknown[] => calls.map((one) => [one.type, one.function]);
    expect(plain(streamed.message.tool_calls)).toEqual(plain(message.tool_calls));
    expect(streamed.finish_reason).toBe(finish_reason);
    expect(streamed.message.content ?? "").toBe(message.content ?? "");
    expect(streamed.message.reasoning_content).toBe(message.reasoning_content);

    if (file.includes("hidden")) return;
    const { calls } = parse(rawText!, { tools });
    const valid = (message.tool_calls ?? []).filter((one: any) => !one.function.arguments.includes("\n//"));
    expect(valid.map((one: any) => one.function.name)).toEqual(calls.map(({ name }) => name));
    found += calls.length;
  });

  test("and there were many of them", () => expect(found).toBeGreaterThan(30));
});

describe("a chat completion", () => {
  test("text, thoughts, calls, usage and the reason", async () => {
    const { client, post } = await serving({
      "/completion": says(`<think>\nLook it up.\n</think>\n\nOne moment.\n${good}`),
    });
    const completion = await client.chat.completions.create(request);
    expect(completion).toMatchObject({
      ...{ object: "chat.completion", model: "tiny", id: expect.stringMatching(/^chatcmpl-/) },
      choices: [
        {
          ...{ index: 0, finish_reason: "tool_calls" },
          message: {
            ...{ role: "assistant", content: "\n\nOne moment.\n" },
            reasoning_content: expect.stringContaining("Look it up."),
            tool_calls: [
              { type: "function", function: { name: "get_weather", arguments: '{"city":"Oban","days":2}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 12, prompt_tokens_details: { cached_tokens: 5 } },
      timings: { cache_n: 5 },
    });
    expect(completion.usage!.total_tokens).toBe(12 + completion.usage!.completion_tokens);
    expect((await post(request)).headers.get("x-tool-call-format")).toBe("hermes");
  });

  test("a stream has the usage only where it is asked for, and ends in [DONE]", async () => {
    const { post } = await serving({ "/completion": says(good) });
    const without = await (await post({ ...request, stream: true })).text();
    expect(readSse(without).filter((chunk) => chunk.usage)).toEqual([]);
    const response = await post({ ...request, stream: true, stream_options: { include_usage: true } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", "x-accel-buffering": "no" },
      ...{ "x-tool-call-format": "hermes", "x-request-id": expect.stringMatching(/^req_/) },
    });
    const text = await response.text();
    expect(text.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
    const chunks = readSse(text);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 12 } });
    expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test("a cut at the token limit", async () => {
    const { client } = await serving({ "/completion": says(good.slice(0, 60), "limit") });
    const { choices } = await client.chat.completions.create(request);
    const streamed = accumulate(await collect(await client.chat.completions.create({ ...request, stream: true })));
    expect([choices[0]!.finish_reason, streamed.finish_reason]).toEqual(["length", "length"]);
    const { arguments: text } = (choices[0]!.message.tool_calls![0] as any).function;
    expect(() => JSON.parse(text)).toThrow();
    expect(streamed.message.tool_calls[0].function.arguments).toBe(text);
  });

  test("without tools it is a chat: what looks like a call is text", async () => {
    const { client } = await serving({ "/completion": says(`<think>Hm.</think>Write ${good}`) });
    const { choices } = await client.chat.completions.create({ model: "tiny", messages });
    expect(choices[0]).toMatchObject({
      ...{ finish_reason: "stop", message: { reasoning_content: "Hm." } },
    });
    expect(choices[0]!.message.content).toContain("get_weather");
    expect(choices[0]!.message.tool_calls).toBeUndefined();
    const streamed = await collect(await client.chat.completions.create({ model: "tiny", messages, stream: true }));
    expect(accumulate(streamed).message.content).toBe(choices[0]!.message.content);
  });

  test("what the upstream is asked: its own names, without what is not for it", async () => {
    const { post, upstream } = await serving({ "/completion": says("Fine.") });
    await post(
      {
        ...{ ...request, max_completion_tokens: 50, max_tokens: 70, stop: "END", temperature: null, top_k: 5, seed: 7 },
        ...{
          logit_bias: { 15: -100 },
          user: "me",
          metadata: {},
          store: true,
          format: 5,
          prefill: 7,
          validation: "none",
        },
        ...{ chat_template_kwargs: { enable_thinking: false }, reasoning_effort: "low", parallel_tool_calls: true },
        messages: [{ role: "developer", content: [{ type: "text", text: "Be brief." }] }, ...messages],
      },
      { authorization: "Bearer secret", "x-request-id": "abc-1", traceparent: "00-1-2-01", connection: "keep-alive" },
    );
    const [props, template, completion] = upstream.asked;
    expect(upstream.asked.length).toBeLessThanOrEqual(4);
    expect(props!.path).toBe("/props?model=tiny");
    expect(template!.body).toMatchObject({
      messages: [{ role: "system" }, messages[0]],
      ...{ chat_template_kwargs: { enable_thinking: false }, reasoning_effort: "low", parallel_tool_calls: true },
    });
    expect(template!.body.tools.length).toBe(2);
    for (const { headers } of upstream.asked) {
      expect(headers).toMatchObject({
        authorization: "Bearer secret",
        "x-request-id": "abc-1",
        traceparent: "00-1-2-01",
      });
    }
    const { tokens, stops } = getFormat("hermes");
    expect(upstream.asked.at(-1)!.body).toEqual({
      ...{ prompt: expect.any(String), stream: true, cache_prompt: true, model: "tiny" },
      ...{ n_predict: 50, top_k: 5, seed: 7, logit_bias: [[15, -100]] },
      ...{ stop: [...stops, "END"], preserved_tokens: [...tokens] },
    });
    expect(completion).toBeDefined();
  });

  test("the format is asked for once, until something fails", async () => {
    const { post, upstream } = await serving();
    const asked = (): number => upstream.paths().filter((path) => path.startsWith("/props")).length;
    for (let i = 0; i < 3; i++) await (await post(request)).text();
    expect(asked()).toBe(1);
    upstream.answers["/completion"] = json({ error: { message: "busy", code: 500 } }, 500);
    await (await post(request)).text();
    await (await post(request)).text();
    expect(asked()).toBe(2);
  });

  test("--format goes before the template, and the header of a request before both", async () => {
    const mistral = '[TOOL_CALLS]get_weather[ARGS]{"city": "Oban"}';
    const { post, upstream } = await serving({ "/completion": says(mistral) }, { format: "mistral" });
    const response = await post(request);
    expect(response.headers.get("x-tool-call-format")).toBe("mistral");
    expect((await response.json()).choices[0].message.tool_calls.length).toBe(1);
    expect(upstream.paths()).not.toContain("/props?model=tiny");
    const other = await post(request, { "x-tool-call-format": "hermes" });
    expect(other.headers.get("x-tool-call-format")).toBe("hermes");
    expect((await other.json()).choices[0].message.tool_calls).toBeUndefined();
    const unknown = await post(request, { "x-tool-call-format": "morse" });
    expect([unknown.status, (await unknown.json()).error.code]).toEqual([400, "unknown_format"]);
    // what was not known before is known behind a reply
    upstream.answers["/completion"] = says(mistral);
    expect((await post(request, { "x-tool-call-format": "auto" })).headers.get("x-tool-call-format")).toBe("mistral");
  });

  test("n choices, each with an index and a seed of its own", async () => {
    const { client, upstream } = await serving({ "/completion": says(`Two.\n${good}`) });
    const { choices, usage } = await client.chat.completions.create({ ...request, n: 3, seed: 10 });
    expect(choices.map(({ index, message }) => [index, message.tool_calls?.length])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(usage!.prompt_tokens).toBe(36);
    const seeds = upstream.asked.filter(({ path }) => path === "/completion").map(({ body }) => body.seed);
    expect(seeds.sort()).toEqual([10, 11, 12]);
    const chunks = await collect(await client.chat.completions.create({ ...request, n: 3, stream: true }));
    for (const index of [0, 1, 2]) {
      expect(accumulate(chunks, index)).toMatchObject({ finish_reason: "tool_calls", message: { content: "Two.\n" } });
    }
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test("parallel_tool_calls: false lets the first call through", async () => {
    const { client } = await serving({ "/completion": says(`${good}\n${call("search", { query: "tide" })}`) });
    const single = { ...request, parallel_tool_calls: false };
    const { choices } = await client.chat.completions.create(single);
    expect(choices[0]!.message.tool_calls!.map((one: any) => one.function.name)).toEqual(["get_weather"]);
    const streamed = accumulate(await collect(await client.chat.completions.create({ ...single, stream: true })));
    expect(streamed.message.tool_calls.length).toBe(1);
    const both = await client.chat.completions.create(request);
    expect(both.choices[0]!.message.tool_calls!.length).toBe(2);
  });

  test("tool_choice: none, required, a name, and some of the tools", async () => {
    const { post, upstream } = await serving({ "/completion": says(good) });
    const told = async (tool_choice: unknown): Promise<unknown> => {
      await (await post({ ...request, tool_choice })).text();
      const { body } = upstream.asked.filter(({ path }) => path === "/apply-template").at(-1)!;
      return [body.tool_choice, body.tools?.map((tool: any) => tool.function.name)];
    };
    expect(await told("none")).toEqual(["none", undefined]);
    expect(await told("auto")).toEqual(["auto", ["get_weather", "search"]]);
    expect(await told("required")).toEqual(["required", ["get_weather", "search"]]);
    expect(await told({ type: "function", function: { name: "search" } })).toEqual(["required", ["search"]]);
    const allowed = { mode: "required", tools: [{ type: "function", function: { name: "search" } }] };
    expect(await told({ type: "allowed_tools", allowed_tools: allowed })).toEqual(["required", ["search"]]);
  });

  test.each([
    ["no JSON", "{", null],
    ["no object", "[]", null],
    ["no messages", { model: "tiny" }, "messages"],
    ["an empty conversation", { messages: [] }, "messages"],
    ["tools that are none", { messages, tools: {} }, "tools"],
    ["a tool without a name", { messages, tools: [{ type: "function", function: {} }] }, "tools"],
    ["two tools of one name", { messages, tools: [tools[0], tools[0]] }, "tools"],
    [
      "a choice of no tool",
      { messages, tools, tool_choice: { type: "function", function: { name: "x" } } },
      "tool_choice",
    ],
    ["a call where there are no tools", { messages, tool_choice: "required" }, "tool_choice"],
    ["no choices", { messages, n: 0 }, "n"],
    ["a stream that is no boolean", { messages, stream: "yes" }, "stream"],
    ["stops that are no text", { messages, stop: [1] }, "stop"],
  ])("%s is refused with 400 and never reaches the model", async (_, body, param) => {
    const { post, upstream } = await serving();
    for (const stream of [undefined, true]) {
      const streamed = typeof body === "object" && !("stream" in body) && stream ? { ...body, stream } : body;
      const response = await post(streamed);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: {
          message: expect.any(String),
          type: "invalid_request_error",
          code: expect.toBeOneOf([null, "invalid_value"]),
          param,
        },
      });
    }
    expect(upstream.paths()).not.toContain("/completion");
  });

  test("what the raw text cannot carry goes by the upstream's own chat, put right", async () => {
    const stuck = { choices: [{ index: 0, message: { role: "assistant", content: good }, finish_reason: "stop" }] };
    const { post, upstream } = await serving({ "/v1/chat/completions": json(stuck) });
    const image = [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }];
    for (const more of [
      { messages: [{ role: "user", content: image }] },
      { response_format: { type: "json_object" } },
      { logprobs: true },
    ]) {
      const { choices } = await (await post({ ...request, ...more })).json();
      expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
      expect(choices[0].message.tool_calls[0].function.name).toBe("get_weather");
      expect(upstream.asked.at(-1)).toMatchObject({ path: "/v1/chat/completions", body: more });
    }
    await (await post({ ...request, response_format: { type: "text" } })).text();
    expect(upstream.paths().at(-1)).toBe("/completion");
  });

  test("deltas come as the upstream writes them", async () => {
    let release = (): void => {};
    const [head, ...rest] = completionEvents("Gulls over the harbour, and a swell from the west.");
    const { post } = await serving({
      "/completion": (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(head);
        release = () => response.end(rest.join(""));
      },
    });
    const response = await post({ ...request, stream: true });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Gull")) text += (await reader.read()).value;
    expect(text).not.toContain("harbour");
    release();
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    expect(accumulate(readSse(text)).message.content).toBe("Gulls over the harbour, and a swell from the west.");
  });

  test("comments keep a silent stream alive, before its first chunk and behind it", async () => {
    const pieces = completionEvents("Fine.");
    let answer: import("node:http").ServerResponse | undefined;
    const { post, client } = await serving(
      { "/completion": (response) => void (answer = response) },
      { keepAlive: 20 },
    );
    const response = await post({ ...request, stream: true });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const comments = (): number => text.split(": keep-alive\n\n").length - 1;
    while (comments() < 2) text += (await reader.read()).value;
    await until(() => answer !== undefined);
    answer!.writeHead(200).write(pieces[0]);
    while (!text.includes("Fine")) text += (await reader.read()).value;
    const before = comments();
    while (comments() < before + 2) text += (await reader.read()).value;
    answer!.end(pieces.slice(1).join(""));
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);

    answer = undefined;
    const official = collect(await client.chat.completions.create({ ...request, stream: true }));
    await until(() => answer !== undefined);
    answer!.writeHead(200).end(pieces.join(""));
    expect(accumulate(await official).message.content).toBe("Fine.");
  });
});

describe("rejected calls", () => {
  const bad = call("get_weather", { city: "Oban", days: "soon" });

  test("go out, by default, as calls that cannot be read, streamed or not", async () => {
    const { client, log } = await serving({ "/completion": says(bad) });
    const { choices } = await client.chat.completions.create(request);
    const streamed = accumulate(await collect(await client.chat.completions.create({ ...request, stream: true })));
    const { arguments: text } = (choices[0]!.message.tool_calls![0] as any).function;
    expect(() => JSON.parse(text)).toThrow();
    expect(text).toContain('"days" must be an integer');
    expect(streamed.message.tool_calls[0].function.arguments).toBe(text);
    expect(log.map(({ calls, rejected }) => [calls, rejected])).toEqual(Array(2).fill([0, ["wrong-type"]]));
  });

  test("as text, or not at all", async () => {
    const asText = await serving({ "/completion": says(bad) }, { rejected: "text" });
    const text = (await asText.client.chat.completions.create(request)).choices[0]!;
    expect([text.message.content, text.message.tool_calls, text.finish_reason]).toEqual([
      ...[bad.replace("\n</tool_call>", ""), undefined, "stop"],
    ]);
    const dropping = await serving({ "/completion": says(bad) }, { rejected: "drop" });
    const dropped = (await dropping.client.chat.completions.create(request)).choices[0]!;
    expect([dropped.message.content, dropped.message.tool_calls, dropped.finish_reason]).toEqual([
      "",
      undefined,
      "stop",
    ]);
  });

  test("--validation says what is rejected", async () => {
    const { client } = await serving({ "/completion": says(bad) }, { validation: "none" });
    const { choices } = await client.chat.completions.create(request);
    expect((choices[0]!.message.tool_calls![0] as any).function.arguments).toBe('{"city":"Oban","days":"soon"}');
  });
});

describe("--mode repair", () => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    event({
      id: "x",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
      system_fingerprint: "f",
    });

  test("the calls of any server's content, streamed or not, and everything else as it was", async () => {
    const pieces = good.match(/[\s\S]{1,5}/g)!;
    const { client, upstream, log } = await serving(
      {
        "/v1/chat/completions": (response, asked) => {
          if (!asked.body.stream) {
            const message = { role: "assistant", content: good };
            return json(
              { id: "x", choices: [{ index: 0, message, finish_reason: "stop" }], usage: { prompt_tokens: 3 } },
              200,
              {
                "x-ratelimit-remaining-requests": "7",
              },
            )(response, asked);
          }
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(
            chunk({ role: "assistant", content: "" }) + pieces.map((content) => chunk({ content })).join(""),
          );
          response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
        },
      },
      { mode: "repair", prefix: "/v1" },
    );
    const asked = { ...request, model: "Qwen/Qwen3-8B", top_k: 3 };
    const { data, response } = await client.chat.completions.create(asked).withResponse();
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("7");
    expect(response.headers.get("x-tool-call-format")).toBe("hermes");
    const chunks = await collect(await client.chat.completions.create({ ...asked, stream: true }));
    const streamed = accumulate(chunks);
    for (const { message, finish_reason } of [data.choices[0]!, streamed]) {
      expect(finish_reason).toBe("tool_calls");
      expect(message.tool_calls[0].function).toEqual({ name: "get_weather", arguments: '{"city":"Oban","days":2}' });
      expect(message.content || null).toBe(null);
    }
    expect(chunks[0]).toMatchObject({ id: "x", system_fingerprint: "f" });
    expect(upstream.paths()).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
    expect(upstream.asked[0]!.body).toEqual(asked);
    expect(upstream.asked[0]!.headers.authorization).toBe("Bearer a-key");
    expect(log.map(({ calls }) => calls)).toEqual([1, 1]);
  });

  test("a stream that ends without a reason was cut off", async () => {
    const { client } = await serving(
      { "/v1/chat/completions": (response) => response.writeHead(200).end(chunk({ content: "One mo" })) },
      { mode: "repair" },
    );
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const seen: unknown[] = [];
    await expect(
      (async () => {
        for await (const one of stream) seen.push(one.choices[0]?.delta.content);
      })(),
    ).rejects.toMatchObject({ code: "upstream_incomplete" });
    expect(seen.join("")).toBe("One mo");
  });

  test("the captures of a llama.cpp server's own chat come through", async () => {
    const { client } = await serving({}, { mode: "repair" });
    const { choices } = await client.chat.completions.create(request);
    const streamed = accumulate(await collect(await client.chat.completions.create({ ...request, stream: true })));
    expect((choices[0]!.message.tool_calls![0] as any).function.name).toBe("get_weather");
    expect(streamed.message.tool_calls[0].function.name).toBe("get_weather");
  });
});
