import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { type ParserEvent, type ParserOptions, parseStream } from "../../src/index.ts";
import { root } from "../support/shared.ts";

/** An official client whose server answers with this body, in network chunks that do not care where an event ends. */
export function clientOf(body: string | object): OpenAI {
  const streamed = typeof body === "string";
  const text = streamed ? body : JSON.stringify(body);
  return new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1:9/v1",
    maxRetries: 0,
    fetch: async () =>
      new Response(bytes(text, 37), {
        headers: { "content-type": streamed ? "text/event-stream" : "application/json" },
      }),
  });
}

function bytes(text: string, size: number): ReadableStream<Uint8Array> {
  const all = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= all.length) return controller.close();
      controller.enqueue(all.slice(at, at + size));
      at += size;
    },
  });
}

/** Events as a server sends them. `named`: each has the name of its type. */
export async function sse(events: AsyncIterable<object> | Iterable<object>, named = false): Promise<string> {
  let text = "";
  for await (const event of events) {
    if (named) text += `event: ${(event as { type: string }).type}\n`;
    text += `data: ${JSON.stringify(event)}\n\n`;
  }
  return named ? text : `${text}data: [DONE]\n\n`;
}

/** The objects in a captured stream. */
export function readSse(text: string): any[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: ") && event !== "data: [DONE]")
    .map((event) => JSON.parse(event.slice("data: ".length)));
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

export async function* each<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* items;
}

/** The events of an output that comes in these chunks. */
export function eventsOf(
  chunks: Iterable<string>,
  options: ParserOptions & { finished?: boolean | undefined } = {},
): AsyncGenerator<ParserEvent, void, undefined> {
  return parseStream(each(chunks), options);
}

/** Puts the chunks of a stream together, as clients do that trust the wire: what came for an index is one call. */
export function accumulate(chunks: Iterable<any>, choiceIndex = 0): any {
  const message: any = {};
  let finish_reason: string | null = null;
  for (const chunk of chunks) {
    for (const choice of chunk.choices ?? []) {
      if (choice.index !== choiceIndex) continue;
      const { delta } = choice;
      if (delta.role) message.role = delta.role;
      for (const key of ["content", "reasoning_content", "reasoning"]) {
        if (typeof delta[key] === "string") message[key] = (message[key] ?? "") + delta[key];
      }
      for (const { index, id, type, function: called } of delta.tool_calls ?? []) {
        message.tool_calls ??= [];
        if (index > message.tool_calls.length) throw new Error(`a hole before the call ${index}`);
        const call = (message.tool_calls[index] ??= { id, type, function: { name: called.name, arguments: "" } });
        call.function.arguments += called.arguments ?? "";
      }
      finish_reason = choice.finish_reason ?? finish_reason;
    }
  }
  return { message, finish_reason };
}

/** A captured answer of a llama.cpp server. */
export function captured(file: string): string {
  return readFileSync(`${root}test/fixtures/llama-server/${file}`, "utf8");
}

export const tools = [
  {
    type: "function" as const,
    function: {
      name: "tide_level",
      parameters: {
        type: "object",
        properties: { port: { type: "string" }, days: { type: "integer", minimum: 1 } },
        required: ["port"],
      },
    },
  },
  { type: "function" as const, function: { name: "log", parameters: { type: "object", properties: {} } } },
];

export function hermes(name: string, args: unknown): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}
