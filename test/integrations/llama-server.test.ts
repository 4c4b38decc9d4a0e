import { describe, expect, test } from "vitest";
import { describeProblems, formatNames, getFormat, parse } from "../../src/index.ts";
import { acceptable } from "../../src/integrations/llama-server/history.ts";
import { markersOf } from "../../src/integrations/llama-server/model.ts";
import {
  type ChatRequest,
  createLlamaServer,
  LlamaServerError,
  type Message,
  messagesOf,
} from "../../src/integrations/llama-server.ts";
import { callsOf, captured, readAll, responseOf, tools } from "./llama-server-captures.ts";

interface Asked {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: any;
}

type Answer = Response | object | ((asked: Asked) => Response | object | Promise<Response>);

const props = JSON.parse(captured("props.json.txt").toString());
const template = JSON.parse(captured("apply-template.json.txt").toString());

/** A server that is made of captures: its answers by path, and what it was asked. */
function fakeServer(answers: Record<string, Answer> = {}): { fetch: typeof fetch; asked: Asked[]; paths(): string[] } {
  const asked: Asked[] = [];
  const all: Record<string, Answer> = {
    "/props": props,
    "/apply-template": template,
    "/completion": () => responseOf("completion-stream-hermes.sse.txt"),
    ...answers,
  };
  const fake = async (url: string, { method, headers, body, signal }: any): Promise<Response> => {
    signal?.throwIfAborted();
    const path = url.replace("http://127.0.0.1:8080", "");
    const one = { path, method, headers, body: body === undefined ? null : JSON.parse(body) };
    asked.push(one);
    const found = all[path] ?? all[path.replace(/\?.*/, "")];
    if (found === undefined)
      return new Response('{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}', {
        status: 404,
      });
    const answer = await (typeof found === "function" ? found(one) : found);
    return answer instanceof Response ? answer : Response.json(answer);
  };
  return { fetch: fake as unknown as typeof fetch, asked, paths: () => asked.map(({ path }) => path) };
}

function completion(...texts: string[]): Response {
  const events = [...texts.map((content) => ({ content, stop: false })), { content: "", stop: true, stop_type: "eos" }];
  return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}

const messages: Message[] = [{ role: "user", content: "How is the weather?" }];

async function failure(promise: Promise<unknown>): Promise<LlamaServerError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LlamaServerError);
  return error as LlamaServerError;
}

describe("a chat", () => {
  test("format, prompt, completion: events and the result", async () => {
    const fake = fakeServer();
    const server = createLlamaServer({ fetch: fake.fetch, apiKey: "secret", headers: { "x-tide": "high" } });
    const reply = server.chat({
      messages,
      temperature: 0,
      n_predict: 200,
      stop: ["\n\n\n"],
      preserved_tokens: ["[X]"],
    });
    expect(fake.asked).toEqual([]);
    const { events, result } = await readAll(reply);
    expect(events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      ...["tool-input-start", "tool-input-delta", "tool-call", "finish"],
    ]);
    expect(result).toMatchObject({ calls: [{ name: "get_weather" }], finish: "tool-calls", format: "hermes" });
    expect(await reply.result()).toBe(result);
    expect(await reply.result()).toMatchObject({
      completion: { stopType: "eos", model: "tiny", completionTokens: 55 },
      error: null,
    });

    expect(fake.paths()).toEqual(["/props", "/apply-template", "/completion"]);
    const [, applied, completed] = fake.asked;
    expect(applied).toMatchObject({ method: "POST", body: { messages } });
    expect(applied!.headers).toEqual({
      authorization: "Bearer secret",
      "x-tide": "high",
      "content-type": "application/json",
    });
    const { tokens, stops } = getFormat("hermes");
    expect(completed!.body).toEqual({
      prompt: template.prompt,
      stream: true,
      cache_prompt: true,
      temperature: 0,
      n_predict: 200,
      stop: [...stops, "\n\n\n"],
      preserved_tokens: [...tokens, "[X]"],
    });
  });

  test("the result alone", async () => {
    const reply = createLlamaServer({ fetch: fakeServer().fetch }).chat({ messages });
    const [first, second] = await Promise.all([reply.result(), reply.result()]);
    expect(first).toBe(second);
    expect(callsOf(first).length).toBe(1);
  });

  test("a reply that was not read to its end has no result", async () => {
    const reply = createLlamaServer({ fetch: fakeServer().fetch }).chat({ messages });
    for await (const _ of reply) break;
    expect(await failure(reply.result())).toMatchObject({ kind: "aborted" });
  });

  test("the format is asked for once for each model", async () => {
    const templates: Record<string, string> = { a: "[TOOL_CALLS] [ARGS]", b: props.chat_template };
    const fake = fakeServer({
      "/props": ({ path }) => ({ chat_template: templates[path.slice(-1)] ?? "", model_alias: "?" }),
      "/completion": () => completion("Yes."),
    });
    const server = createLlamaServer({ fetch: fake.fetch });
    const format = async (model: string): Promise<string> => (await server.chat({ messages, model }).result()).format;
    expect([await format("a"), await format("b"), await format("a")]).toEqual(["mistral", "hermes", "mistral"]);
    expect(fake.paths().filter((path) => path.startsWith("/props"))).toEqual(["/props?model=a", "/props?model=b"]);
    expect(fake.asked.filter(({ method }) => method === "POST").map(({ body }) => body.model)).toEqual([
      "a",
      "a",
      "b",
      "b",
      "a",
      "a",
    ]);
    expect(await server.detectFormat({ model: "b" })).toBe("hermes");
    expect(await server.detectFormat()).toBe("auto");
  });

  test("a template for tools goes before the other one, and a name counts where neither tells", async () => {
    const detect = (answer: object): Promise<string> =>
      createLlamaServer({ fetch: fakeServer({ "/props": answer }).fetch }).detectFormat();
    const chat_template = props.chat_template;
    expect(await detect({ chat_template, chat_template_tool_use: "[TOOL_CALLS] [ARGS]" })).toBe("mistral");
    expect(await detect({ chat_template, chat_template_tool_use: "" })).toBe("hermes");
    expect(await detect({ chat_template: "", model_alias: "mine", model_path: "/models/Qwen3-Coder-30B.gguf" })).toBe(
      "qwen3-coder",
    );
  });

  test("after a failure the format is asked for again", async () => {
    let down = true;
    const fake = fakeServer({ "/completion": () => (down ? new Response("", { status: 503 }) : completion("Yes.")) });
    const server = createLlamaServer({ fetch: fake.fetch });
    await failure(server.chat({ messages }).result());
    down = false;
    await server.chat({ messages }).result();
    await server.chat({ messages }).result();
    expect(fake.paths().filter((path) => path === "/props").length).toBe(2);
  });

  test("a format that is given is not asked for; options of a chat go before those of the server", async () => {
    const fake = fakeServer({ "/completion": () => completion('[TOOL_CALLS]search[ARGS]{"query": 5}') });
    const server = createLlamaServer({ fetch: fake.fetch, format: "hermes", validation: "strict" });
    const rejected = await server.chat({ messages, tools, format: "mistral" }).result();
    expect(rejected).toMatchObject({ format: "mistral", rejected: [{ problems: [{ kind: "wrong-type" }] }] });
    const coerced = await server.chat({ messages, tools, format: "mistral", validation: "coerce" }).result();
    expect(coerced.calls).toMatchObject([{ arguments: { query: "5" } }]);
    const text = await server.chat({ messages, tools, validation: undefined }).result();
    expect(text).toMatchObject({ format: "hermes", calls: [] });
    expect(fake.paths()).not.toContain("/props");
  });

  test("an unknown format keeps the tokens of all, and stops at none", async () => {
    const fake = fakeServer({ "/props": { chat_template: "{{ messages }}" } });
    const reply = createLlamaServer({ fetch: fake.fetch }).chat({ messages });
    expect(await reply.result()).toMatchObject({ format: "hermes", finish: "tool-calls" });
    const { body } = fake.asked.at(-1)!;
    expect(body.stop).toEqual([]);
    for (const name of formatNames())
      expect(body.preserved_tokens).toEqual(expect.arrayContaining([...getFormat(name).tokens]));
  });

  test("a stop that also begins a call is not sent", () => {
    expect(getFormat("gigachat3").stops).toContain("<|message_sep|>");
    expect(markersOf("gigachat3").stops).toEqual(["</s>"]);
    for (const name of formatNames()) {
      const openers = Object.keys(getFormat(name).declaration.opens);
      for (const stop of markersOf(name).stops) expect(openers.filter((opener) => opener.startsWith(stop))).toEqual([]);
    }
  });
});

describe("tools", () => {
  test("are declared as the server takes them, whatever their form", async () => {
    const fake = fakeServer({
      "/completion": () => completion('<tool_call>{"name": "wait", "arguments": {"days": "3"}}</tool_call>'),
    });
    const server = createLlamaServer({ fetch: fake.fetch });
    const given = [
      { name: "wait", args: [{ name: "days", type: "int", required: true }] },
      { name: "look", description: "Looks", input_schema: { type: "object", properties: { at: { type: "string" } } } },
    ] as const;
    const { calls } = await server
      .chat({ messages, tools: given, chat_template_kwargs: { enable_thinking: false }, toolChoice: "required" })
      .result();
    expect(calls[0]?.arguments).toEqual({ days: 3 });
    const { body } = fake.asked[1]!;
    expect(body.tools).toMatchObject([
      {
        type: "function",
        function: { name: "wait", parameters: { properties: { days: { type: "integer" } }, required: ["days"] } },
      },
      { type: "function", function: { name: "look", description: "Looks", parameters: { type: "object" } } },
    ]);
    expect(body).toMatchObject({ tool_choice: "required", chat_template_kwargs: { enable_thinking: false } });
    expect(Object.keys(fake.asked.at(-1)!.body).sort()).toEqual([
      "cache_prompt",
      "preserved_tokens",
      "prompt",
      "stop",
      "stream",
    ]);
  });

  test("the choice of one tool offers only that one, and none offers none", async () => {
    const text = '<tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call>';
    const fake = fakeServer({ "/completion": () => completion(text) });
    const server = createLlamaServer({ fetch: fake.fetch, format: "hermes" });
    const one = await server.chat({ messages, tools, toolChoice: { function: { name: "get_weather" } } }).result();
    expect(one).toMatchObject({ calls: [], rejected: [{ name: "search", problems: [{ kind: "unknown-tool" }] }] });
    expect(fake.asked[0]!.body).toMatchObject({
      tool_choice: "required",
      tools: [{ function: { name: "get_weather" } }],
    });
    const none = await server.chat({ messages, tools, toolChoice: "none" }).result();
    expect(none).toMatchObject({ calls: [], rejected: [{ name: "search" }] });
    expect(fake.asked[2]!.body).toEqual({ messages, tool_choice: "none" });
  });

  test("programming errors come at once", () => {
    const server = createLlamaServer({ fetch: fakeServer().fetch });
    expect(() => server.chat({ messages, tools: [{} as never] })).toThrow(TypeError);
    expect(() => server.chat({ messages, format: "no such format" })).toThrow(RangeError);
    expect(() => createLlamaServer({ format: "no such format" })).toThrow(RangeError);
  });

  test("the types of calls", async () => {
    const server = createLlamaServer({ fetch: fakeServer({ "/completion": () => completion("Yes.") }).fetch });
    const known = [
      { name: "wait", parameters: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] } },
    ] as const;
    const { calls } = await server.chat({ messages, tools: known }).result();
    const days: number[] = calls.map((call) => call.arguments.days);
    expect(days).toEqual([]);
    const loose = createLlamaServer({ fetch: fakeServer().fetch, validation: "none" }).chat({ messages, tools: known });
    // @ts-expect-error not held against the schema
    const none = async (): Promise<number> => (await loose.result()).calls[0]!.arguments.days;
    expect(none).toBeTypeOf("function");
    const request: ChatRequest = { messages, mirostat: 2, temperature: 0.5 };
    expect(request.mirostat).toBe(2);
  });
});

describe("the end of the prompt", () => {
  function templated(end: string, message = "Hm"): Record<string, Answer> {
    return {
      "/apply-template": ({ body }: Asked) => ({
        prompt: `<|im_start|>user\n${message}<|im_end|>\n${body.add_generation_prompt === false ? "" : end}`,
      }),
    };
  }

  test("an open thought goes on in the output", async () => {
    const fake = fakeServer({
      ...templated("<|im_start|>assistant\n<think>\n"),
      "/completion": () => completion("Ebb.</think>", "It falls."),
    });
    const server = createLlamaServer({ fetch: fake.fetch, format: "qwen3" });
    expect(await server.chat({ messages }).result()).toMatchObject({ reasoning: "Ebb.", content: "It falls." });
  });

  test("a marker that somebody wrote does not count", async () => {
    // no end-of-turn token stands between the message and the reply
    const prompt = "[INST]What is [THINK] or [TOOL_CALLS]search[ARGS]{[/INST]";
    // Mistral's template writes nothing behind it, others do
    for (const beginning of ["", "\n### Assistant:"]) {
      const fake = fakeServer({
        "/apply-template": ({ body }) => ({ prompt: prompt + (body.add_generation_prompt === false ? "" : beginning) }),
        "/completion": () => completion("A marker."),
      });
      const reply = createLlamaServer({ fetch: fake.fetch, format: "magistral" }).chat({ messages });
      expect(await reply.result()).toMatchObject({ content: "A marker.", reasoning: "" });
      expect(fake.paths()).toEqual(["/apply-template", "/apply-template", "/completion"]);
      expect(fake.asked[1]!.body).toEqual({ ...fake.asked[0]!.body, add_generation_prompt: false });
    }
  });

  test("a message of the model that goes on", async () => {
    const fake = fakeServer({
      "/apply-template": { prompt: "<|im_end|>\n<|im_start|>assistant\n<think>The tide" },
      "/completion": () => completion(" falls.</think>Ebb."),
    });
    const server = createLlamaServer({ fetch: fake.fetch, format: "qwen3" });
    const begun: Message[] = [...messages, { role: "assistant", content: "<think>The tide" }];
    expect(await server.chat({ messages: begun }).result()).toMatchObject({ reasoning: " falls.", content: "Ebb." });
  });

  test("where nothing is open, the prompt is asked for once; where it is given, it is not looked at", async () => {
    const fake = fakeServer({
      ...templated("<|im_start|>assistant\n", "<think>"),
      "/completion": () => completion("Yes."),
    });
    const server = createLlamaServer({ fetch: fake.fetch, format: "qwen3" });
    expect((await server.chat({ messages }).result()).content).toBe("Yes.");
    expect(await server.chat({ messages, prefill: "<think>" }).result()).toMatchObject({
      reasoning: "Yes.",
      content: "",
    });
    expect(fake.paths().filter((path) => path === "/apply-template").length).toBe(2);
  });

  test("a server that knows no prompt without its beginning", async () => {
    const fake = fakeServer({
      "/apply-template": ({ body }) =>
        body.add_generation_prompt === false
          ? Response.json(
              { error: { code: 400, message: "unknown field", type: "invalid_request_error" } },
              { status: 400 },
            )
          : { prompt: "<|im_end|>\n<|im_start|>assistant\n<think>" },
      "/completion": () => completion("Ebb."),
    });
    const server = createLlamaServer({ fetch: fake.fetch, format: "qwen3" });
    expect((await server.chat({ messages }).result()).reasoning).toBe("Ebb.");
  });
});

describe("the conversation", () => {
  const args = '{"city": "Oban", "id": 12345678901234567890}';

  test("is sent in a form that templates accept", () => {
    const given: Message[] = [
      { role: "user", content: [{ type: "text", text: "Hm" }] },
      {
        role: "assistant",
        content: null,
        reasoning_content: "Which?",
        tool_calls: [
          { id: "a", type: "function", function: { name: "look", arguments: args } },
          { id: "b", function: { name: "look", arguments: { city: "Oban" } } },
          { id: "c", function: { name: "look", arguments: '{"city": "Ob' } },
          { id: "d", function: { name: "look", arguments: "[1]" } },
          { id: "", function: { name: "wait" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: { level: 3 } },
      { role: "tool", tool_call_id: "b", content: "3" },
      { role: "tool", content: [1, 2] },
      { role: "assistant", content: undefined, tool_calls: [] },
    ];
    const copy = structuredClone(given);
    const call = (id: string, name: string, text: string): object => ({
      id,
      type: "function",
      function: { name, arguments: text },
    });
    expect(acceptable(given, false)).toEqual([
      given[0],
      {
        role: "assistant",
        content: "",
        reasoning_content: "Which?",
        tool_calls: [
          call("a", "look", args),
          call("b", "look", '{"city":"Oban"}'),
          call("c", "look", "{}"),
          call("d", "look", "{}"),
          call("call00004", "wait", "{}"),
        ],
      },
      { role: "tool", tool_call_id: "a", name: "look", content: '{"level":3}' },
      { role: "tool", tool_call_id: "b", name: "look", content: "3" },
      { role: "tool", tool_call_id: "call00004", name: "wait", content: "[1,2]" },
      { role: "assistant", content: "" },
    ]);
    expect(given).toEqual(copy);
  });

  test("Mistral gets ids of nine letters and digits, the same as long as the conversation grows", async () => {
    const turn = (id: string): Message[] => [
      { role: "assistant", content: "", tool_calls: [{ id, function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: id, content: "3" },
    ];
    const fake = fakeServer({ "/completion": () => completion("Yes.") });
    const server = createLlamaServer({ fetch: fake.fetch, format: "devstral" });
    const ids = async (conversation: Message[]): Promise<unknown[]> => {
      const before = fake.asked.length;
      await server.chat({ messages: conversation }).result();
      return fake.asked[before]!.body.messages.map((one: any) => one.tool_call_id ?? one.tool_calls?.[0].id);
    };
    const first = await ids(turn("functions.look:0"));
    expect(first).toEqual(["call00000", "call00000"]);
    const longer = await ids([...turn("functions.look:0"), ...turn("abcDEF123"), ...turn("functions.look:1")]);
    expect(longer).toEqual([...first, "abcDEF123", "abcDEF123", "call00002", "call00002"]);
  });

  test("a reply as messages: valid calls as they were written, of rejected ones nothing that is cut", () => {
    const text =
      'I look.<tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call>' +
      '<tool_call>{"name": "search", "arguments": {"query": {}}}</tool_call>' +
      '<tool_call>{"name": "search", "arguments": {"query": "b';
    const generateId = (index: number): string => `id${index}`;
    const result = parse(text, { format: "hermes", tools, finished: false, generateId });
    expect(result.rejected.length).toBe(2);
    const call = (id: string, text: string): object => ({
      id,
      type: "function",
      function: { name: "search", arguments: text },
    });
    expect(messagesOf(result)).toEqual([
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [call("id0", '{"query":"a"}'), call("id1", '{"query":{}}'), call("id2", "{}")],
      },
      ...result.rejected.map((one) => ({
        role: "tool",
        tool_call_id: one.id,
        name: "search",
        content: describeProblems(one),
      })),
    ]);
    expect(messagesOf(parse("<think>Hm</think>Yes.", { format: "qwen3" }))).toEqual([
      { role: "assistant", content: "Yes.", reasoning_content: "Hm" },
    ]);
  });
});

describe("errors", () => {
  test("no connection", async () => {
    const cause = Object.assign(new TypeError("fetch failed"), {
      cause: { code: "ECONNREFUSED", message: "connect ECONNREFUSED" },
    });
    const server = createLlamaServer({ baseUrl: "http://127.0.0.1:9/", fetch: () => Promise.reject(cause) });
    expect(await failure(server.chat({ messages }).result())).toMatchObject({
      kind: "unreachable",
      status: null,
      message: "No answer from http://127.0.0.1:9/props: fetch failed: connect ECONNREFUSED",
      cause,
      result: null,
    });
  });

  test("no connection, for real", async () => {
    const server = createLlamaServer({ baseUrl: "http://127.0.0.1:1", format: "hermes" });
    const events: unknown[] = [];
    const reading = (async () => {
      for await (const event of server.chat({ messages })) events.push(event);
    })();
    expect(await failure(reading)).toMatchObject({ kind: "unreachable" });
    expect(events).toEqual([]);
  });

  test.each(["/props", "/apply-template", "/completion"])("%s refuses", async (path) => {
    const fake = fakeServer({ [path]: () => responseOf("chat-error-context.json.txt") });
    const { error } = JSON.parse(captured("chat-error-context.json.txt").toString());
    const reply = createLlamaServer({ fetch: fake.fetch }).chat({ messages });
    expect(await failure(readAll(reply))).toMatchObject({
      kind: "refused",
      status: 400,
      type: error.type,
      message: error.message,
    });
    expect(await failure(reply.result())).toMatchObject({ kind: "refused" });
  });

  test.each(["/props", "/apply-template", "/completion"])("%s answers with a page", async (path) => {
    const fake = fakeServer({
      [path]: () => new Response("<h1>Welcome to nginx!</h1>", { headers: { "content-type": "text/html" } }),
    });
    const reply = createLlamaServer({ fetch: fake.fetch }).chat({ messages });
    expect(await failure(reply.result())).toMatchObject({
      kind: "malformed",
      message: expect.stringContaining("Welcome to nginx!"),
    });
  });

  test("an answer without a prompt", async () => {
    const fake = fakeServer({ "/apply-template": { status: "ok" } });
    const reply = createLlamaServer({ fetch: fake.fetch }).chat({ messages });
    expect(await failure(reply.result())).toMatchObject({ kind: "malformed" });
  });

  test("a connection that is lost in mid-stream: the result says so, and has what came", async () => {
    const bytes = captured("completion-stream-hermes.sse.txt");
    const half = (): Response => new Response(new Uint8Array(bytes.subarray(0, 4000)));
    const fake = fakeServer({ "/completion": half });
    const server = createLlamaServer({ fetch: fake.fetch });
    const result = await server.chat({ messages }).result();
    expect(result).toMatchObject({
      calls: [],
      rejected: [{ name: "get_weather", problems: [{ kind: "truncated" }] }],
      finish: "truncated",
      completion: null,
      error: { kind: "incomplete" },
    });
    // who iterates gets all events, the finish among them, and then the error
    const types: string[] = [];
    const reply = server.chat({ messages });
    const reading = (async () => {
      for await (const event of reply) types.push(event.type);
    })();
    expect(await failure(reading)).toMatchObject({ kind: "incomplete", result: { finish: "truncated" } });
    expect(types.at(-1)).toBe("finish");
    expect((await reply.result()).error?.kind).toBe("incomplete");
  });

  test("aborted: before, while the server thinks, and in mid-stream", async () => {
    const text = new TextEncoder().encode('data: {"content": "Half a", "stop": false}\n\n');
    const stalled = (): Response => new Response(new ReadableStream({ start: (c) => c.enqueue(text) }));
    const server = createLlamaServer({ fetch: fakeServer({ "/completion": stalled }).fetch, format: "hermes" });
    const early = server.chat({ messages, signal: AbortSignal.abort() });
    expect(await failure(early.result())).toMatchObject({ kind: "aborted", result: null });

    for (const path of ["/props", "/apply-template", "/completion"]) {
      const deaf = fakeServer({ [path]: () => new Promise<Response>(() => {}) });
      const reply = createLlamaServer({ fetch: deaf.fetch }).chat({ messages, signal: AbortSignal.timeout(20) });
      expect(await failure(reply.result())).toMatchObject({ kind: "aborted", cause: { name: "TimeoutError" } });
    }

    const late = server.chat({ messages, signal: AbortSignal.timeout(20) });
    const error = await failure(late.result());
    expect(error).toMatchObject({ kind: "aborted", result: { content: "Half a", finish: "truncated" } });
  });

  test("one request that is aborted does not disturb another that waits for the same answer", async () => {
    let answer: (response: Response) => void = () => {};
    const fake = fakeServer({ "/props": () => new Promise<Response>((resolve) => (answer = resolve)) });
    const server = createLlamaServer({ fetch: fake.fetch });
    const controller = new AbortController();
    const first = server.chat({ messages, signal: controller.signal }).result();
    const second = server.chat({ messages }).result();
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await failure(first)).toMatchObject({ kind: "aborted" });
    answer(Response.json(props));
    expect((await second).finish).toBe("tool-calls");
  });
});
