import { describe, expect, test } from "vitest";
import { tools } from "../integrations/llama-server-captures.ts";
import { accumulate, collect } from "../integrations/openai-client.ts";
import { serving, until } from "./serving.ts";
import { type Answer, call, completionEvents, event, inTurn, json, says } from "./upstream.ts";

const messages = [{ role: "user" as const, content: "How is the weather?" }];
const request = { model: "tiny", messages, tools };
const bad = call("get_weather", { city: "Oban", days: "soon" });
const good = call("get_weather", { city: "Oban", days: 2 });
const GOOD = { name: "get_weather", arguments: '{"city":"Oban","days":2}' };

describe.each([false, true])("stream: %s", (stream) => {
  async function ask(
    answers: Parameters<typeof serving>[0],
    options: Parameters<typeof serving>[1] = { retry: 1 },
  ): Promise<{
    message: any;
    finish_reason: string;
    serve: Awaited<ReturnType<typeof serving>>;
    asked: any[];
    chunks: any[];
  }> {
    const serve = await serving(answers, options);
    const { client, upstream } = serve;
    const chunks: any[] = stream ? await collect(await client.chat.completions.create({ ...request, stream })) : [];
    const { message, finish_reason } = stream
      ? accumulate(chunks)
      : ((await client.chat.completions.create(request)).choices[0] as any);
    const asked = upstream.asked.filter(
      ({ path, body }) => path === "/apply-template" && body.add_generation_prompt !== false,
    );
    return { message, finish_reason, serve, asked: asked.map(({ body }) => body.messages), chunks };
  }

  test("a rejected call is asked for again, and only the good one goes out", async () => {
    const { message, finish_reason, serve, asked, chunks } = await ask({
      "/completion": inTurn(says(bad), says(good)),
    });
    expect(message.tool_calls.map((one: any) => one.function)).toEqual([GOOD]);
    expect([finish_reason, message.content || null]).toEqual(["tool_calls", null]);
    expect(asked.length).toBe(2);
    const [user, said, told] = asked[1];
    expect(user).toEqual(messages[0]);
    expect(said).toMatchObject({ role: "assistant", tool_calls: [{ function: { name: "get_weather" } }] });
    expect(told).toMatchObject({ role: "tool", tool_call_id: said.tool_calls[0].id });
    expect(told.content).toContain('"days" must be an integer');
    expect(told.content).toContain("write the whole call again");
    expect(chunks.filter((chunk) => chunk.choices[0].delta.role).length).toBe(stream ? 1 : 0);
    expect(await serve.logged(1)).toMatchObject({ status: 200, calls: 1, rejected: ["wrong-type"], retries: 1 });
    const metrics = await serve.metrics();
    expect(metrics).toContain("tool_call_parser_retries_total 1\n");
    expect(metrics).toContain("tool_call_parser_calls_total 1\n");
    expect(metrics).toContain('tool_call_parser_rejected_calls_total{problem="wrong-type"} 1\n');
  });

  test("what all replies cost is one usage", async () => {
    const { serve } = await ask({ "/completion": inTurn(says(bad), says(good)) });
    expect(await serve.logged(1)).toMatchObject({ promptTokens: 24 });
  });

  test("not more often than N times; then it is what it is without retries", async () => {
    const { message, asked, serve } = await ask({ "/completion": says(bad) }, { retry: 2 });
    expect(asked.length).toBe(3);
    expect(message.tool_calls.length).toBe(1);
    expect(() => JSON.parse(message.tool_calls[0].function.arguments)).toThrow();
    expect((await serve.logged(1)).rejected).toEqual(["wrong-type", "wrong-type", "wrong-type"]);
  });

  test("never by default, nor where nothing is wrong", async () => {
    expect((await ask({ "/completion": inTurn(says(bad), says(good)) }, {})).asked.length).toBe(1);
    expect((await ask({ "/completion": says(good) }, { retry: 3 })).asked.length).toBe(1);
    expect((await ask({ "/completion": says("Fine.") }, { retry: 3 })).asked.length).toBe(1);
  });

  test("content that was streamed already stays, and nothing is asked again", async () => {
    const { message, asked } = await ask({ "/completion": inTurn(says(`Let me look. ${bad}`), says(good)) });
    expect(asked.length).toBe(stream ? 1 : 2);
    if (stream) expect(message.content).toBe("Let me look. ");
    else expect([message.content, message.tool_calls[0].function]).toEqual([null, GOOD]);
  });

  test("thoughts do not stand in the way of it", async () => {
    const thinking = (text: string, answer: string) => says(`<think>${text}</think>\n\n${answer}`);
    const { message, asked } = await ask({ "/completion": inTurn(thinking("One.", bad), thinking("Two.", good)) });
    expect(asked.length).toBe(2);
    expect(message.reasoning_content).toBe(stream ? "One.Two." : "Two.");
    expect(message.tool_calls.map((one: any) => one.function)).toEqual([GOOD]);
  });

  test("of several calls all are written again", async () => {
    const search = call("search", { query: "tide" });
    const answers = inTurn(says(`${search}\n${bad}`), says(`${search}\n${good}`));
    const { message, asked } = await ask({ "/completion": answers });
    expect(message.tool_calls.map((one: any) => one.function.name)).toEqual(["search", "get_weather"]);
    const [, said, ...results] = asked[1];
    expect(said.tool_calls.length).toBe(2);
    expect(results.map(({ tool_call_id: id }: any) => id).sort()).toEqual(
      said.tool_calls.map(({ id }: any) => id).sort(),
    );
    expect(results.some(({ content }: any) => content.includes("not run, since another one"))).toBe(true);
  });

  test("a reply that ran into its limit is not asked for again", async () => {
    const { asked, finish_reason } = await ask({ "/completion": inTurn(says(good.slice(0, 50), "limit"), says(good)) });
    expect([asked.length, finish_reason]).toEqual([1, "length"]);
  });

  test("an error of the second reply is an error", async () => {
    const answers = { "/completion": inTurn(says(bad), json({ error: { message: "no", code: 500 } }, 500)) };
    const { client } = await serving(answers, { retry: 1 });
    const reading = stream
      ? client.chat.completions.create({ ...request, stream }).then(collect)
      : client.chat.completions.create(request);
    await expect(reading).rejects.toMatchObject({ message: expect.stringContaining("no") });
  });

  test("in --mode repair too", async () => {
    const content =
      (text: string): ReturnType<typeof json> =>
      (response, asked) => {
        const choice = { index: 0, finish_reason: "stop" };
        if (!asked.body.stream) return json({ choices: [{ ...choice, message: { content: text } }] })(response, asked);
        response.writeHead(200, { "content-type": "text/event-stream" });
        const delta = event({ choices: [{ index: 0, delta: { role: "assistant", content: text } }] });
        response.end(`${delta}${event({ choices: [{ ...choice, delta: {} }] })}data: [DONE]\n\n`);
      };
    const { message, serve } = await ask(
      { "/v1/chat/completions": inTurn(content(bad), content(good)) },
      { retry: 1, mode: "repair", format: "hermes" },
    );
    expect(message.tool_calls.map((one: any) => one.function)).toEqual([GOOD]);
    const [, second] = serve.upstream.asked;
    expect(second!.body.messages.map(({ role }: any) => role)).toEqual(["user", "assistant", "tool"]);
    expect(second!.body.messages[2].content).toContain('"days" must be an integer');
    expect(await serve.logged(1)).toMatchObject({ calls: 1, retries: 1 });
  });
});

test("with retries a call goes out when the reply is over, without them as it is written", async () => {
  const pieces = completionEvents(good);
  for (const retry of [0, 1]) {
    let end: (() => void) | undefined;
    const answer: Answer = (response) => {
      response.writeHead(200).write(pieces.slice(0, -3).join(""));
      end = () => response.end(pieces.slice(-3).join(""));
    };
    const { post } = await serving({ "/completion": answer }, { retry, keepAlive: 50 });
    const reader = (await post({ ...request, stream: true })).body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const comments = (): number => text.split(": keep-alive").length;
    if (retry === 0) while (!text.includes("get_weather")) text += (await reader.read()).value;
    await until(() => end !== undefined);
    for (const before = comments(); comments() < before + 4; ) text += (await reader.read()).value;
    expect(text.includes("get_weather")).toBe(retry === 0);
    end!();
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    expect(text).toContain("get_weather");
  }
});
