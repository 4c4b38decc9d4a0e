import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createParser } from "../../src/index.ts";
import { type ResponseEvent, responseEventMapper, toResponseEvents } from "../../src/integrations/openai.ts";
import { chunksOf } from "../support/chunks.ts";
import { clientOf, collect, eventsOf, hermes, sse, tools } from "./openai-client.ts";

const about = { model: "gull-7b", id: "resp_1", created: 1_800_000_000 };
const options = { format: "hermes", tools, generateId: (index: number) => `call${index}` };
const text = `<think>Two ports.</think>I will look.\n${hermes("tide_level", { port: "Oban" })}\n${hermes("log", {})}\nDone.`;

async function eventsFor(output: string, more: object = {}, size = 3, finished = true): Promise<ResponseEvent[]> {
  return collect(toResponseEvents(eventsOf(chunksOf(output, size), { ...options, finished }), { ...about, ...more }));
}

/** What the official client makes of events. */
async function clientResponse(events: ResponseEvent[]): Promise<OpenAI.Responses.Response> {
  const stream = clientOf(await sse(each(events), true)).responses.stream({ model: "gull-7b", input: "?" });
  return stream.finalResponse();
}

function* each(events: ResponseEvent[]): Generator<object> {
  yield* events;
}

test("the events are those of the package's own types", () => {
  const event = {} as ResponseEvent satisfies OpenAI.Responses.ResponseStreamEvent;
  expect(event).toBeDefined();
});

describe("the official client", () => {
  test("gets thought, texts and calls as items in their order", async () => {
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 3,
    };
    for (const size of [1, 3, 10, text.length]) {
      const response = await clientResponse(await eventsFor(text, { usage: () => usage }, size));
      expect(response).toMatchObject({ id: "resp_1", status: "completed", usage, incomplete_details: null });
      expect(response.output).toMatchObject([
        { type: "reasoning", content: [{ type: "reasoning_text", text: "Two ports." }], status: "completed" },
        { type: "message", content: [{ type: "output_text", text: "I will look.\n" }], status: "completed" },
        {
          type: "function_call",
          call_id: "call0",
          name: "tide_level",
          arguments: '{"port":"Oban"}',
          status: "completed",
        },
        { type: "function_call", call_id: "call1", name: "log", arguments: "{}", status: "completed" },
        { type: "message", content: [{ type: "output_text", text: "\nDone." }], status: "completed" },
      ]);
      expect(response.output_text).toBe("I will look.\n\nDone.");
    }
  });

  test("builds the same from the events alone, without the final response", async () => {
    const events = await eventsFor(text);
    const last = events.at(-1)!;
    const snapshot = await clientResponse(events.slice(0, -1));
    // the client adds to texts and calls what a schema makes of them
    expect(snapshot.output).toMatchObject("response" in last ? last.response.output : []);
    expect(snapshot.output).toHaveLength(5);
  });

  test("gets the response at once where nothing streams", async () => {
    const last = (await eventsFor(text)).at(-1)!;
    const client = clientOf((last as { response: object }).response);
    const response = await client.responses.create({ model: "gull-7b", input: "?" });
    expect(response.output_text).toBe("I will look.\n\nDone.");
  });
});

test("events are numbered, and every item is added, filled and done", async () => {
  const events = await eventsFor(`Hi.${hermes("log", {})}`, {}, 1000);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
  expect(events.map(({ type }) => type.slice("response.".length))).toEqual([
    ...["created", "in_progress"],
    ...["output_item.added", "content_part.added", "output_text.delta"],
    ...["output_text.done", "content_part.done", "output_item.done"],
    ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"],
    ...["function_call_arguments.done", "output_item.done", "completed"],
  ]);
});

test("a reply that was cut is incomplete, and so is the item that was", async () => {
  const events = await eventsFor(`Hi.${hermes("tide_level", { port: "Oban" }).slice(0, -20)}`, {}, 3, false);
  const response = await clientResponse(events);
  expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  expect(response.output).toMatchObject([{ type: "message", status: "completed" }]);
  expect(events.at(-2)).toMatchObject({
    type: "response.output_item.done",
    item: { status: "incomplete", name: "tide_level" },
  });

  const cut = await clientResponse(await eventsFor("The tide is", {}, 3, false));
  expect(cut.output).toMatchObject([{ type: "message", status: "incomplete" }]);
});

describe("a rejected call", () => {
  const wrong = `${hermes("tide_level", { port: "Oban", days: 0 })}${hermes("log", {})}`;

  test("is never done, and not in the final response", async () => {
    const events = await eventsFor(wrong);
    const done = events.filter(({ type }) => type === "response.function_call_arguments.done");
    expect(done).toMatchObject([{ name: "log", arguments: "{}" }]);
    expect((await clientResponse(events)).output).toMatchObject([{ name: "log", status: "completed" }]);
  });

  test("is in it, and cannot be read, where it is to be sent", async () => {
    const { output } = await clientResponse(await eventsFor(wrong, { onRejected: "send" }));
    expect(output).toMatchObject([
      { name: "tide_level", status: "incomplete", arguments: expect.stringContaining("\n// The call") },
      { name: "log", status: "completed" },
    ]);
  });

  test("is not seen at all with holdCalls", async () => {
    const events = await eventsFor(wrong, { holdCalls: true });
    expect(JSON.stringify(events)).not.toContain("tide_level");
  });
});

test("one event at a time, and fields of the request", () => {
  const events: ResponseEvent[] = [];
  const map = responseEventMapper({ model: "m", response: { temperature: 0.5, tools: [{ type: "function" }] } });
  const parser = createParser({ ...options, onEvent: (event) => events.push(...map(event)) });
  parser.feed("Hi.");
  const result = parser.end();
  const last = events.at(-1)!;
  expect(last).toMatchObject({
    type: "response.completed",
    response: { temperature: 0.5, tools: [{ type: "function" }], output_text: result.content },
  });
  expect("response" in last && last.response.id).toMatch(/^resp_\w{24}$/);
});
