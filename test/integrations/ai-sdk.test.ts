import { generateText, stepCountIs, streamText, type TextStreamPart, type ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { RejectedCallError, toolCallMiddleware } from "../../src/integrations/ai-sdk.ts";
import { chunkings, chunksOf } from "../support/chunks.ts";
import { finish, generating, model, type Part, textParts, tools } from "./ai-sdk-model.ts";

const call = (name: string, args: unknown): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const tide = call("tide_level", { port: "Oban", days: 2 });
const whole = `<think>Tide first.</think>\nI will look.\n${tide}\n${call("refresh", {})}`;

/** What a stream says, without what is the same for all streams, deltas merged. */
async function said(stream: AsyncIterable<TextStreamPart<ToolSet>>): Promise<string[]> {
  const lines: string[] = [];
  for await (const part of stream) {
    const delta = part.type === "tool-input-delta" ? part.delta : "text" in part ? part.text : undefined;
    const id = "id" in part ? part.id : "toolCallId" in part ? part.toolCallId : "";
    if (delta !== undefined) {
      const head = `${part.type} ${id} `;
      if (lines.at(-1)?.startsWith(head)) lines.push(lines.pop() + delta);
      else lines.push(head + delta);
    } else if (part.type === "tool-call") {
      lines.push(`tool-call ${id} ${part.toolName} ${JSON.stringify(part.input)}${part.invalid ? " invalid" : ""}`);
    } else if (part.type === "finish-step") lines.push(`finish ${part.finishReason} ${part.rawFinishReason}`);
    else if (!/^(start|finish|start-step)$/.test(part.type)) lines.push(`${part.type} ${id}`);
  }
  return lines;
}

const ids = { generateId: (index: number) => `call${index}` };
const hermes = { format: "hermes", ...ids };

describe("a stream", () => {
  test("gives reasoning, text, streamed inputs and calls; each block ends before the next begins", async () => {
    const { set, ran } = tools();
    const { wrapped } = model([textParts(chunksOf(whole, 4))], hermes);
    const lines = await said(streamText({ model: wrapped, tools: set, prompt: "?" }).fullStream);
    expect(lines.filter((line) => !line.startsWith("tool-result"))).toEqual([
      "reasoning-start t",
      "reasoning-delta t Tide first.",
      "reasoning-end t",
      "text-start t:1",
      "text-delta t:1 \nI will look.\n",
      "text-end t:1",
      "tool-input-start call0",
      'tool-input-delta call0 {"port":"Oban","days":2}',
      "tool-input-end call0",
      'tool-call call0 tide_level {"port":"Oban","days":2}',
      "tool-input-start call1",
      "tool-input-delta call1 {}",
      "tool-input-end call1",
      "tool-call call1 refresh {}",
      "finish tool-calls eos",
    ]);
    expect(ran).toEqual([{ port: "Oban", days: 2 }, {}]);
  });

  test("says the same however the text is cut", async () => {
    const text = `${whole}\nThat is all.`;
    let expected: string[] | null = null;
    for (const { name, chunks } of chunkings(text)) {
      const { wrapped } = model([textParts(chunks)], hermes);
      const lines = await said(streamText({ model: wrapped, tools: tools().set, prompt: "?" }).fullStream);
      const own = lines.filter((line) => !line.startsWith("tool-result"));
      expected ??= own;
      expect(own, name).toEqual(expected);
    }
    expect(expected).toContain("text-delta t:2 \nThat is all.");
  });

  test("sends input deltas before the call is complete", async () => {
    const source = new TransformStream<Part, Part>();
    const { wrapped, provider } = model([], hermes);
    provider.doStream = async () => ({ stream: source.readable });
    const writer = source.writable.getWriter();
    const { stream } = await wrapped.doStream({
      prompt: [],
      tools: [{ type: "function", name: "tide_level", inputSchema: {} }],
    });
    const reader = stream.getReader();
    void writer.write({ type: "text-start", id: "t" });
    void writer.write({
      type: "text-delta",
      id: "t",
      delta: '<tool_call>{"name":"tide_level","arguments":{"port":"Ob',
    });
    expect((await reader.read()).value).toMatchObject({ type: "tool-input-start", toolName: "tide_level" });
    expect((await reader.read()).value).toMatchObject({ type: "tool-input-delta", delta: '{"port":"Ob' });
    await reader.cancel();
  });

  test("runs the tool and goes on with its result", async () => {
    const { set, ran } = tools();
    const { wrapped, provider } = model([textParts([tide]), textParts(["High."])], hermes);
    const result = streamText({ model: wrapped, tools: set, prompt: "?", stopWhen: stepCountIs(3) });
    expect(await result.text).toBe("High.");
    expect(ran).toHaveLength(1);
    expect(provider.doStreamCalls[1]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("of a cut reply runs nothing, and stays one that was cut", async () => {
    const { set, ran } = tools();
    const { wrapped } = model([
      textParts([`${tide}\n<tool_call>{"name":"tide_level","arguments":{"port":"Ob`], "length"),
    ]);
    const result = streamText({ model: wrapped, tools: set, prompt: "?" });
    const calls = await result.toolCalls;
    expect(calls.map(({ invalid }) => invalid === true)).toEqual([false, true]);
    expect(calls[1]).toMatchObject({ toolName: "tide_level", input: '{"port":"Ob' });
    expect(await result.finishReason).toBe("length");
    expect(ran).toEqual([]);
  });

  test("without a finish part was cut", async () => {
    const parts = textParts(['<tool_call>{"name":"tide_level","arguments":{"port":"Oban"']).slice(0, -1);
    const rejected: string[] = [];
    const onRejected = (call: { problems: { kind: string }[] }) => {
      rejected.push(...call.problems.map(({ kind }) => kind));
      return undefined;
    };
    const { wrapped } = model([parts], { ...hermes, onRejected });
    await said(streamText({ model: wrapped, tools: tools().set, prompt: "?", onError: () => {} }).fullStream);
    expect(rejected).toEqual(["truncated"]);
  });

  test("lets everything else of the provider through, and its own calls untouched", async () => {
    const parts: Part[] = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r" },
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "Hm." },
      { type: "reasoning-end", id: "0" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Half a <tool" },
      { type: "text-end", id: "0" },
      { type: "tool-call", toolCallId: "own", toolName: "refresh", input: "{}" },
      finish("tool-calls", "tool_calls"),
    ];
    const { wrapped } = model([parts], hermes);
    const lines = await said(streamText({ model: wrapped, tools: tools().set, prompt: "?" }).fullStream);
    expect(lines.filter((line) => !line.startsWith("tool-result"))).toEqual([
      "reasoning-start 0",
      "reasoning-delta 0 Hm.",
      "reasoning-end 0",
      "text-start 0",
      "text-delta 0 Half a <tool",
      "text-end 0",
      "tool-call own refresh {}",
      "finish tool-calls tool_calls",
    ]);
  });

  test("begins no block for blanks alone, and loses none that belong to a text", async () => {
    const { wrapped } = model([textParts(["<think>\n", "\n</think>\n\n", tide, "\n\n", tide, " \n", " So."])], hermes);
    const lines = await said(streamText({ model: wrapped, tools: tools().set, prompt: "?" }).fullStream);
    expect(lines.filter((line) => /^(text|reasoning)/.test(line))).toEqual([
      "text-start t",
      "text-delta t  \n So.",
      "text-end t",
    ]);
  });

  test("two text blocks are two outputs", async () => {
    const parts: Part[] = [...textParts(["One <tool_c"]).slice(0, -1), ...textParts(["all>two"]).slice(1)];
    const { wrapped } = model([parts], hermes);
    const result = streamText({ model: wrapped, tools: tools().set, prompt: "?" });
    expect(await result.content).toMatchObject([{ text: "One <tool_c" }, { text: "all>two" }]);
  });

  test("keeps an error of the provider's stream", async () => {
    const { wrapped, provider } = model([], hermes);
    provider.doStream = async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "text-start", id: "t" });
          controller.error(new Error("gone"));
        },
      }),
    });
    const result = streamText({ model: wrapped, prompt: "?", onError: () => {} });
    await expect(said(result.fullStream)).rejects.toThrow("gone");
  });

  test("gives ids that no earlier call has", async () => {
    const kimi =
      "<|tool_calls_section_begin|><|tool_call_begin|>functions.refresh:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>";
    const { wrapped } = model([textParts([kimi]), textParts([kimi]), textParts(["Done."])], { format: "kimi-k2" });
    const result = streamText({ model: wrapped, tools: tools().set, prompt: "?", stopWhen: stepCountIs(3) });
    const calls = (await result.steps).flatMap((step) => step.toolCalls.map(({ toolCallId }) => toolCallId));
    expect(calls).toEqual(["functions.refresh:0", "functions.refresh:0-2"]);
  });
});

describe("a rejected call", () => {
  const bad = call("tide_level", { port: 5, days: "many" });

  test("that the tool's own schema would let through is not run; the model is told what is wrong", async () => {
    const { set, ran } = tools();
    const { wrapped, provider } = model([textParts(["So: ", bad, tide]), textParts(["Sorry."])], hermes);
    const result = streamText({ model: wrapped, tools: set, prompt: "?", stopWhen: stepCountIs(2) });
    expect(await result.text).toBe("Sorry.");
    expect(ran).toEqual([{ port: "Oban", days: 2 }]);
    const answer = JSON.stringify(provider.doStreamCalls[1]?.prompt.at(-1));
    expect(answer).toContain("error-text");
    expect(answer).toMatch(/days.*must be an integer|must be an integer.*days/);
  });

  test.each([
    ["no arguments at all", '<tool_call>{"name": "refresh", "arguments": [1]}</tool_call>'],
    ["an extra property", call("refresh", { now: true })],
    ["no arguments before it was cut", '<tool_call>{"name": "refresh", '],
  ])("with %s is not run either", async (_, text) => {
    const { set, ran } = tools();
    const offered = [{ name: "refresh", parameters: { type: "object", additionalProperties: false } }];
    const { wrapped } = model([textParts([text])], { ...hermes, tools: offered });
    const result = streamText({ model: wrapped, tools: set, prompt: "?" });
    expect(await result.toolCalls).toMatchObject([{ toolName: "refresh", invalid: true }]);
    expect(ran).toEqual([]);
  });

  test("can be repaired by the AI SDK's repair function, which sees the problems", async () => {
    const { set, ran } = tools();
    const { wrapped } = model([textParts([bad])], hermes);
    const seen: unknown[] = [];
    const result = streamText({
      model: wrapped,
      tools: set,
      prompt: "?",
      experimental_repairToolCall: async ({ toolCall }) => {
        seen.push(toolCall.providerMetadata?.["tool-call-parser"]);
        return { ...toolCall, input: '{"port":"Oban"}' };
      },
    });
    await result.consumeStream();
    expect(ran).toEqual([{ port: "Oban" }]);
    expect(seen).toMatchObject([{ problems: [{ path: "/days", kind: "wrong-type" }] }]);
  });

  test("of an unknown tool keeps its arguments, so that it can be given another name", async () => {
    const { set, ran } = tools();
    const { wrapped } = model([textParts([call("tide", { port: "Oban" })])], hermes);
    const result = streamText({
      model: wrapped,
      tools: set,
      prompt: "?",
      experimental_repairToolCall: async ({ toolCall }) => ({ ...toolCall, toolName: "tide_level" }),
    });
    await result.consumeStream();
    expect(ran).toEqual([{ port: "Oban" }]);
  });

  test("without a name is text", async () => {
    const { wrapped } = model([textParts(["See.\n<tool_call>{", ""], "length")], hermes);
    const result = streamText({ model: wrapped, tools: tools().set, prompt: "?" });
    expect(await result.text).toBe("See.\n<tool_call>{");
    expect(await result.toolCalls).toEqual([]);
  });

  test("is told as onRejected says", async () => {
    const told = async (how: "text" | "error" | "drop"): Promise<string[]> => {
      const { wrapped } = model([textParts([call("tide", {})])], { ...hermes, onRejected: () => how });
      return said(streamText({ model: wrapped, tools: tools().set, prompt: "?", onError: () => {} }).fullStream);
    };
    expect(await told("text")).toEqual([
      "text-start t",
      `text-delta t ${call("tide", {}).replace("\n</tool_call>", "")}`,
      "text-end t",
      "finish stop eos",
    ]);
    expect(await told("error")).toEqual(["error ", "finish stop eos"]);
    expect(await told("drop")).toEqual(["finish stop eos"]);
    const { wrapped } = generating(call("tide", {}), "stop", { ...hermes, onRejected: () => "error" });
    await expect(generateText({ model: wrapped, tools: tools().set, prompt: "?" })).rejects.toThrow(RejectedCallError);
  });
});

describe("generateText", () => {
  test("gives the same as a stream", async () => {
    const { set, ran } = tools();
    const { wrapped } = generating(`${whole}\nThat is all.`, "stop", hermes);
    const result = await generateText({ model: wrapped, tools: set, prompt: "?" });
    expect(result.content.filter(({ type }) => type !== "tool-result")).toMatchObject([
      { type: "reasoning", text: "Tide first." },
      { type: "text", text: "\nI will look.\n" },
      { type: "tool-call", toolCallId: "call0", toolName: "tide_level", input: { port: "Oban", days: 2 } },
      { type: "tool-call", toolCallId: "call1", toolName: "refresh", input: {} },
      { type: "text", text: "\nThat is all." },
    ]);
    expect(result.finishReason).toBe("tool-calls");
    expect(result.rawFinishReason).toBe("eos");
    expect(ran).toHaveLength(2);
  });

  test("of a cut reply runs nothing", async () => {
    const { set, ran } = tools();
    const { wrapped } = generating(`${tide}<tool_call>{"name":"refresh"`, "length", hermes);
    const result = await generateText({ model: wrapped, tools: set, prompt: "?" });
    expect(result.finishReason).toBe("length");
    expect(result.toolCalls.map(({ invalid }) => invalid === true)).toEqual([false, true]);
    expect(ran).toEqual([]);
  });

  test("lets other content through in its place", async () => {
    const { wrapped } = generating(
      [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: tide },
        { type: "tool-call", toolCallId: "own", toolName: "refresh", input: "{}" },
      ],
      "tool-calls",
      hermes,
    );
    const { content } = await generateText({ model: wrapped, tools: tools().set, prompt: "?" });
    expect(content.map(({ type }) => type).filter((type) => type !== "tool-result")).toEqual([
      "reasoning",
      "tool-call",
      "tool-call",
    ]);
  });
});

describe("the request", () => {
  const prompt = "How high?";

  test("goes to the provider as it is, tools included", async () => {
    const { wrapped, provider } = generating("Low.");
    await generateText({ model: wrapped, tools: tools().set, prompt });
    expect(provider.doGenerateCalls[0]?.tools).toHaveLength(2);
    expect(provider.doGenerateCalls[0]?.prompt).toHaveLength(1);
  });

  test("tools are kept away, and still known here", async () => {
    const { set, ran } = tools();
    const { wrapped, provider } = generating(tide, "stop", { format: "hermes", sendTools: false });
    await generateText({ model: wrapped, tools: set, prompt });
    expect(provider.doGenerateCalls[0]).not.toHaveProperty("tools");
    expect(provider.doGenerateCalls[0]).not.toHaveProperty("toolChoice");
    expect(ran).toHaveLength(1);
  });

  test("a system prompt takes their place", async () => {
    const systemPrompt = (offered: readonly { name: string }[]) => `Tools: ${offered.map(({ name }) => name)}`;
    const { wrapped, provider } = generating("Low.", "stop", { format: "hermes", systemPrompt });
    await generateText({ model: wrapped, tools: tools().set, prompt, system: "Be brief." });
    await generateText({ model: wrapped, tools: tools().set, prompt });
    await generateText({ model: wrapped, prompt });
    const [withSystem, without, noTools] = provider.doGenerateCalls;
    expect(withSystem?.prompt[0]).toMatchObject({ role: "system", content: "Tools: tide_level,refresh\n\nBe brief." });
    expect(without?.prompt[0]).toEqual({ role: "system", content: "Tools: tide_level,refresh" });
    expect(without).not.toHaveProperty("tools");
    expect(noTools?.prompt).toHaveLength(1);
  });

  test("history becomes text", async () => {
    const { wrapped, provider } = model([textParts([`Look.\n${tide}`]), textParts(["High."])], {
      ...hermes,
      history: "text",
    });
    await streamText({ model: wrapped, tools: tools().set, prompt, stopWhen: stepCountIs(2) }).consumeStream();
    expect(provider.doStreamCalls[1]?.prompt.slice(1)).toMatchObject([
      { role: "assistant", content: [{ type: "text", text: `Look.\n\n${tide}` }] },
      { role: "user", content: [{ type: "text", text: "<tool_response>\n4.1 m\n</tool_response>" }] },
    ]);
  });

  test("a prompt that opened a thought is known by prefill, for the first text only", async () => {
    const parts: Part[] = [...textParts(["Hm.</think>One."]).slice(0, -1), ...textParts(["Two."]).slice(1)];
    const { wrapped } = model([parts], { format: "qwen3", prefill: "<think>\n" });
    const result = streamText({ model: wrapped, prompt });
    expect(await result.content).toMatchObject([
      { type: "reasoning", text: "Hm." },
      { text: "One." },
      { text: "Two." },
    ]);
  });

  test("tools that the provider declares are tools like others", async () => {
    const { wrapped } = model([textParts([call("look_up", { any: 1 })])], hermes);
    const { stream } = await wrapped.doStream({
      prompt: [],
      tools: [{ type: "provider", id: "acme.look_up", name: "look_up", args: {} }],
    });
    const inputs: string[] = [];
    for await (const part of stream) if (part.type === "tool-call") inputs.push(part.input);
    expect(inputs).toEqual(['{"any":1}']);
  });

  test("without tools, or with tool choice none, nothing is offered", async () => {
    const { wrapped } = generating('{"name": "tide_level", "arguments": {"port": "Oban"}}', "stop", {
      format: "raw-json",
    });
    const { text, toolCalls } = await generateText({ model: wrapped, prompt });
    expect(text).toContain("tide_level");
    expect(toolCalls).toEqual([]);
    const none = await generateText({ model: wrapped, prompt, tools: tools().set, toolChoice: "none" });
    expect(none.text).toContain("tide_level");
  });
});

describe("the middleware", () => {
  test("refuses options that cannot work", () => {
    expect(() => toolCallMiddleware({ format: "no-such" })).toThrow(RangeError);
    expect(() => toolCallMiddleware({ history: "text" })).toThrow(TypeError);
  });

  test("speaks version 4 of the specification as well: the same parts", async () => {
    const middleware = toolCallMiddleware({ ...hermes, specificationVersion: "v4" });
    expect(middleware.specificationVersion).toBe("v4");
    const params = await middleware.transformParams({
      params: { prompt: [], tools: [{ type: "function", name: "tide_level", inputSchema: {} }], reasoning: "low" },
    });
    expect(params.reasoning).toBe("low");
    const custom = { type: "custom", kind: "acme.mark" };
    const parts = [custom, ...textParts([tide])];
    const { stream } = await middleware.wrapStream({
      params,
      doStream: async () => ({
        stream: new ReadableStream<{ type: string }>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      }),
    });
    const types: string[] = [];
    for await (const part of stream) types.push(part.type);
    expect(types).toEqual([
      "custom",
      "stream-start",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
  });
});
