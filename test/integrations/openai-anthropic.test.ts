import { describe, expect, test } from "vitest";
import { createParser, parse } from "../../src/index.ts";
import {
  type AnthropicEvent,
  type AnthropicMessage,
  anthropicEventMapper,
  toAnthropicEvents,
  toAnthropicMessage,
} from "../../src/integrations/anthropic.ts";
import { chunksOf } from "../support/chunks.ts";
import { captured, collect, eventsOf, hermes, tools } from "./openai-client.ts";

const about = { model: "gull-7b", id: "msg_1" };
const options = { format: "hermes", tools, generateId: (index: number) => `call${index}` };
const text = `<think>Two ports.</think>I will look.\n${hermes("tide_level", { port: "Oban" })}\n${hermes("log", {})}`;

async function eventsFor(output: string, more: object = {}, size = 3, finished = true): Promise<AnthropicEvent[]> {
  return collect(toAnthropicEvents(eventsOf(chunksOf(output, size), { ...options, finished }), { ...about, ...more }));
}

/** Puts events together as Anthropic's client does, inputs aside: it completes JSON that was cut off, this one does not. */
function accumulate(events: AnthropicEvent[]): AnthropicMessage {
  let message: any;
  let json = "";
  let open = false;
  for (const event of events) {
    if (event.type === "message_start") {
      expect(message).toBeUndefined();
      message = structuredClone(event.message);
    } else if (event.type === "content_block_start") {
      expect([open, event.index]).toEqual([false, message.content.length]);
      message.content.push(structuredClone(event.content_block));
      open = true;
      json = "";
    } else if (event.type === "content_block_delta") {
      expect([open, event.index]).toEqual([true, message.content.length - 1]);
      const block = message.content[event.index];
      if (event.delta.type === "text_delta") block.text += event.delta.text;
      else if (event.delta.type === "thinking_delta") block.thinking += event.delta.thinking;
      else json += event.delta.partial_json;
    } else if (event.type === "content_block_stop") {
      expect([open, event.index]).toEqual([true, message.content.length - 1]);
      const block = message.content[event.index];
      if (block.type === "tool_use") block.input = JSON.parse(json);
      open = false;
    } else if (event.type === "message_delta") {
      expect(open).toBe(false);
      Object.assign(message, event.delta, { usage: event.usage });
    }
  }
  expect(events.at(-1)).toEqual({ type: "message_stop" });
  return message;
}

describe("a stream, put together, is the message of the whole", () => {
  const expected = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "gull-7b",
    content: [
      { type: "thinking", thinking: "Two ports.", signature: "" },
      { type: "text", text: "I will look.\n", citations: null },
      { type: "tool_use", id: "call0", name: "tide_level", input: { port: "Oban" } },
      { type: "tool_use", id: "call1", name: "log", input: {} },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 9 },
  };
  const usage = () => ({ input_tokens: 5, output_tokens: 9 });

  test.each([1, 2, 7, 500])("chunks of %i", async (size) => {
    for (const holdCalls of [true, false]) {
      const events = await eventsFor(text, { usage, inputTokens: 5, holdCalls }, size);
      expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 5, output_tokens: 0 }, content: [] } });
      expect(accumulate(events)).toEqual(expected);
    }
  });

  test("also without streaming, where all the text is one block", () => {
    const message = toAnthropicMessage(parse(text, options), { ...about, usage });
    expect(message).toEqual({
      ...expected,
      content: expected.content.map((block) =>
        block.type === "text" ? { ...block, text: "I will look.\n\n" } : block,
      ),
    });
  });
});

test("the events are of the kinds and in the order of a llama.cpp server's", async () => {
  const theirs = captured("v1-messages-stream.sse.txt")
    .match(/^event: .*$/gm)!
    .map((line) => line.slice(7));
  const ours = (await eventsFor(`Sure.${hermes("log", { a: 1 })}`)).map(({ type }) => type);
  const once = (types: string[]) =>
    types.filter((type, at) => type !== "content_block_delta" && type !== types[at - 1]);
  // theirs stops all blocks at the end; Anthropic's own, as ours, each before the next one
  expect(new Set(ours)).toEqual(new Set(theirs));
  expect(once(ours)).toEqual([
    ...["message_start", "content_block_start", "content_block_stop", "content_block_start", "content_block_stop"],
    ...["message_delta", "message_stop"],
  ]);
});

test("plain text, nothing at all, and a reply that was cut", async () => {
  expect(accumulate(await eventsFor("High."))).toMatchObject({ content: [{ text: "High." }], stop_reason: "end_turn" });
  expect(accumulate(await eventsFor(""))).toMatchObject({ content: [], stop_reason: "end_turn" });
  const cut = `${hermes("log", {})}${hermes("tide_level", { port: "Oban" })}`.slice(0, -20);
  expect(accumulate(await eventsFor(cut, {}, 3, false))).toMatchObject({
    content: [{ type: "tool_use", name: "log" }],
    stop_reason: "max_tokens",
  });
});

describe("a rejected call", () => {
  const wrong = `Well.${hermes("tide_level", { port: "Oban", days: 0 })}${hermes("weather", {})}`;

  test("is not seen", async () => {
    const seen = accumulate(await eventsFor(wrong));
    expect(seen).toMatchObject({ content: [{ type: "text", text: "Well." }], stop_reason: "end_turn" });
    expect(toAnthropicMessage(parse(wrong, options), about).content).toEqual(seen.content);
  });

  test("or goes out as text", async () => {
    const seen = accumulate(await eventsFor(wrong, { onRejected: "text" }));
    expect(seen.content).toHaveLength(1);
    expect(seen.content[0]).toMatchObject({ text: expect.stringContaining('"weather"') });
    expect(toAnthropicMessage(parse(wrong, options), { ...about, onRejected: "text" }).content).toEqual(seen.content);
  });

  test("has an input that cannot be read where inputs are not held back", async () => {
    const events = await eventsFor(wrong, { holdCalls: false });
    expect(() => accumulate(events)).toThrow(SyntaxError);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" } });
  });
});

test("one event at a time", async () => {
  const events: AnthropicEvent[] = [];
  const map = anthropicEventMapper(about);
  const parser = createParser({ ...options, onEvent: (event) => events.push(...map(event)) });
  for (const chunk of chunksOf(text, 3)) parser.feed(chunk);
  parser.end();
  expect(events).toEqual(await eventsFor(text));
  const [first] = anthropicEventMapper({ model: "m" })({ type: "text-delta", text: "Hi." });
  expect(first).toMatchObject({ message: { id: expect.stringMatching(/^msg_\w{24}$/) } });
});
