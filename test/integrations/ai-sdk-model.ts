import type { LanguageModelMiddleware, ToolSet } from "ai";
import { jsonSchema, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { type MiddlewareOptions, toolCallMiddleware } from "../../src/integrations/ai-sdk.ts";

type Model = ConstructorParameters<typeof MockLanguageModelV3>[0] & {};
type StreamResult = Exclude<Extract<Model["doStream"], object>, readonly unknown[] | ((...args: never) => unknown)>;
export type Part = StreamResult["stream"] extends ReadableStream<infer One> ? One : never;
type Unified = Extract<Part, { type: "finish" }>["finishReason"]["unified"];

const usage = {
  inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 9, text: 9, reasoning: undefined },
};

export function finish(unified: Unified = "stop", raw: string | undefined = "eos"): Part {
  return { type: "finish", usage, finishReason: { unified, raw } };
}

/** What a provider for text only streams: one text block. */
export function textParts(chunks: readonly string[], unified?: Unified): Part[] {
  return [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "t" },
    ...chunks.map((delta): Part => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
    finish(unified, unified === "length" ? "limit" : "eos"),
  ];
}

function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** A model that gives these replies one after the other, and its middleware. */
export function model(replies: readonly (readonly Part[])[], options: MiddlewareOptions = { format: "hermes" }) {
  let turn = 0;
  const provider = new MockLanguageModelV3({
    doStream: async () => ({ stream: streamOf(replies[Math.min(turn++, replies.length - 1)] ?? []) }),
  });
  const middleware: LanguageModelMiddleware = toolCallMiddleware({ ...options, specificationVersion: "v3" });
  return { provider, wrapped: wrapLanguageModel({ model: provider, middleware }) };
}

type Content = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>["content"];

/** The same for `generateText`: one reply. */
export function generating(
  content: string | Content,
  unified: Unified = "stop",
  options: MiddlewareOptions = { format: "hermes" },
) {
  const provider = new MockLanguageModelV3({
    doGenerate: {
      content: typeof content === "string" ? [{ type: "text", text: content }] : content,
      finishReason: { unified, raw: "eos" },
      usage,
      warnings: [],
    },
  });
  const middleware: LanguageModelMiddleware = toolCallMiddleware({ ...options, specificationVersion: "v3" });
  return { provider, wrapped: wrapLanguageModel({ model: provider, middleware }) };
}

/** Two tools that write down what they were run with. Their schemas check nothing: `jsonSchema` without `validate`. */
export function tools(): { set: ToolSet; ran: unknown[] } {
  const ran: unknown[] = [];
  const execute = async (input: unknown): Promise<string> => {
    ran.push(input);
    return "4.1 m";
  };
  const port = { type: "string" } as const;
  const set: ToolSet = {
    tide_level: tool({
      inputSchema: jsonSchema({
        type: "object",
        properties: { port, days: { type: "integer" } },
        required: ["port"],
      }),
      execute,
    }),
    refresh: tool({ inputSchema: jsonSchema({ type: "object", properties: {} }), execute }),
  };
  return { set, ran };
}
