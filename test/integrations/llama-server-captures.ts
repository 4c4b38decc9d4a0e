import { readFileSync } from "node:fs";
import { defineFormat, type ParseResult, type ParserEvent } from "../../src/index.ts";
import type { ServerStreamOptions } from "../../src/integrations/llama-server.ts";
import { root } from "../support/shared.ts";

const folder = `${root}test/fixtures/llama-server/`;

/** What test/fixtures/llama-server/index.json says of a capture. */
export interface Capture {
  file: string;
  status?: number;
  contentType?: string;
  request?: string;
  body?: any;
  rawText?: string;
  note?: string;
}

export const captures: Capture[] = JSON.parse(readFileSync(`${folder}index.json`, "utf8"));

export function captured(file: string): Buffer {
  return readFileSync(folder + file);
}

/** What a fetch would answer; `size`: bytes of a network chunk. */
export function responseOf(file: string, size = 37): Response {
  const { status = 200, contentType = "text/event-stream" } = captures.find((one) => one.file === file) ?? {};
  return new Response(inChunks(captured(file), size), { status, headers: { "content-type": contentType } });
}

export function inChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

/** The objects in a captured stream, read in a way of its own. */
export function objectsIn(file: string): any[] {
  return captured(file)
    .toString("utf8")
    .split("\n\n")
    .map((event) => event.replace(/^event: .*\n/, ""))
    .filter((event) => event.startsWith("data: ") && event !== "data: [DONE]")
    .map((event) => JSON.parse(event.slice("data: ".length)));
}

/** All events, and the result; errors are thrown. */
export async function readAll(
  events: AsyncIterable<ParserEvent>,
): Promise<{ events: ParserEvent[]; result: ParseResult }> {
  const all: ParserEvent[] = [];
  for await (const event of events) all.push(event);
  const last = all.at(-1);
  if (last?.type !== "finish") throw new Error("there is no finish");
  return { events: all, result: last.result };
}

/** What a program does with it: names and arguments. */
export function callsOf(result: ParseResult): [string, unknown][] {
  return result.calls.map((call) => [call.name, call.arguments]);
}

/** Reads everything as text. */
export const plainText: ServerStreamOptions = {
  format: defineFormat({
    name: "plain",
    models: [],
    source: "the tests",
    tokens: [],
    stops: [],
    opens: {},
    render: ({ content = "" }) => content,
  }),
};

/** Deltas of one kind and call put together: that much does not depend on where a stream is cut. */
export function merged(events: readonly ParserEvent[]): ParserEvent[] {
  const all: any[] = [];
  for (const event of events as any[]) {
    const last = all.at(-1);
    const key = event.type === "tool-input-delta" ? "delta" : "text";
    if (last?.type === event.type && last.index === event.index && event.type.endsWith("-delta"))
      last[key] += event[key];
    else all.push({ ...event });
  }
  return all;
}

/** The tools of the scripted captures. */
export const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      description: "Weather",
      parameters: {
        type: "object",
        properties: { city: { type: "string" }, days: { type: "integer" } },
        required: ["city"],
      },
    },
  },
  {
    type: "function" as const,
    function: {
      name: "search",
      description: "Search",
      parameters: {
        type: "object",
        properties: {
          query: { type: "string" },
          opts: { type: "object" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["query"],
      },
    },
  },
];
