import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { captured, captures } from "../integrations/llama-server-captures.ts";

/** What the upstream was asked. */
export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  text: string;
  body: any;
}

export type Answer = (response: ServerResponse, asked: Asked) => void;

/** A server that plays captures of a llama.cpp server. `answers` by path, with or without what stands behind a `?`. */
export interface Upstream {
  url: string;
  asked: Asked[];
  paths(): string[];
  /** How many answers were broken off by whoever asked. */
  brokenOff: number;
  answers: Record<string, Answer>;
  close(): Promise<void>;
}

export async function startUpstream(answers: Record<string, Answer> = {}): Promise<Upstream> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "";
    const one = { method: request.method ?? "", path, headers: request.headers, text, body: objectIn(text) };
    upstream.asked.push(one);
    response.on("close", () => {
      if (!response.writableFinished) upstream.brokenOff++;
    });
    const answer = upstream.answers[path] ?? upstream.answers[path.replace(/\?.*/, "")];
    if (answer !== undefined) answer(response, one);
    else json({ error: { code: 404, message: "File Not Found", type: "not_found_error" } }, 404)(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    paths: () => upstream.asked.map(({ path }) => path),
    brokenOff: 0,
    answers: {
      "/props": replay("props.json.txt"),
      "/apply-template": replay("apply-template.json.txt"),
      "/completion": replay("completion-stream-hermes.sse.txt"),
      "/v1/chat/completions": (response, asked) =>
        replay(asked.body.stream ? "chat-stream-required-usage.sse.txt" : "chat-required.json.txt")(response, asked),
      "/v1/models": replay("v1-models.json.txt"),
      "/health": replay("health.json.txt"),
      ...answers,
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return upstream;
}

function objectIn(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A capture, with its status, in the chunks in which it came. */
export function replay(file: string): Answer {
  const { status = 200, contentType = "text/event-stream" } = captures.find((one) => one.file === file) ?? {};
  const { httpChunks = [] } = (captures.find((one) => one.file === file) ?? {}) as { httpChunks?: number[] };
  return (response) => {
    response.writeHead(status, { "content-type": contentType });
    const bytes = captured(file);
    let at = 0;
    for (const length of httpChunks) response.write(bytes.subarray(at, (at += length)));
    response.end(bytes.subarray(at));
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The events of `/completion` for a text, in pieces of four characters. */
export function completionEvents(text: string, stopType: "eos" | "limit" = "eos"): string[] {
  const pieces = text.match(/[\s\S]{1,4}/gu) ?? [];
  return [
    ...pieces.map((content) => event({ index: 0, content, tokens: [1], stop: false })),
    event({
      ...{ index: 0, content: "", stop: true, stop_type: stopType, model: "tiny", stopping_word: "" },
      ...{ tokens_evaluated: 12, tokens_predicted: pieces.length, timings: { cache_n: 5 } },
    }),
  ];
}

/** A completion that says this. */
export function says(text: string, stopType: "eos" | "limit" = "eos"): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(completionEvents(text, stopType).join(""));
  };
}

/** One answer after the other; the last one for all that follow. */
export function inTurn(...answers: Answer[]): Answer {
  let count = 0;
  return (...given) => answers[Math.min(count++, answers.length - 1)]!(...given);
}

/** The beginning of an answer, and then what `then` does. */
export function begins(pieces: readonly string[], then: (response: ServerResponse) => void = () => {}): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(pieces.join(""), () => then(response));
  };
}

export const hang: Answer = () => {};

export function call(name: string, args: unknown): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}
