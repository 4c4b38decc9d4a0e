import type { RejectedCall } from "../events.ts";
import type { Format } from "../format.ts";
import type { ParserOptions } from "../parser.ts";
import { getFormat, resolve } from "../registry.ts";
import type { ToolDeclaration } from "../schema/declare.ts";
import { historyAsText, type ToolResult, toolResponse } from "./ai-sdk/history.ts";
import type { RejectedHandling } from "./ai-sdk/rejected.ts";
import { Reply, type Request } from "./ai-sdk/reply.ts";
import type {
  CallOptions,
  FinishReason,
  MadePart,
  OfferedTool,
  PromptMessage,
  PromptPart,
  ProviderPart,
  TextBlock,
  ToolCallMiddleware,
} from "./ai-sdk/types.ts";

export type { ToolResult } from "./ai-sdk/history.ts";
export { RejectedCallError, type RejectedHandling } from "./ai-sdk/rejected.ts";
export type * from "./ai-sdk/types.ts";

/** Options of the middleware: those of a parser, and these. `tools` are those of the request unless they are given here. */
export interface MiddlewareOptions extends ParserOptions {
  /** The version of the provider specification: `"v3"` (default) is that of AI SDK 6, `"v4"` that of AI SDK 7. */
  specificationVersion?: "v3" | "v4" | undefined;
  /**
   * Hand the declarations of the tools on to the provider (default true, but false with `systemPrompt`). A server that
   * writes them into the prompt by its chat template needs them; a provider for text only warns of them or refuses.
   */
  sendTools?: boolean | undefined;
  /** Writes the declarations for the model; goes in front of the system message. Not asked where no tool is offered. */
  systemPrompt?: ((tools: readonly OfferedTool[]) => string) | undefined;
  /**
   * `"text"`: calls and results of earlier turns become text in the format's notation, which must be named then.
   * Default `"keep"`: the provider gets them as they are.
   */
  history?: "keep" | "text" | undefined;
  /** How a result stands in such a text (default: in `<tool_response>` tags). */
  renderResult?: ((result: ToolResult) => string) | undefined;
  /** Hears of each rejected call, and may say how the AI SDK is told (default `"tool-call"`, without a name `"text"`). */
  onRejected?: ((call: RejectedCall) => RejectedHandling | undefined) | undefined;
}

/** Parts that do not come in the middle of a text. */
const INTERRUPTS = new Set(["reasoning-start", "tool-input-start", "tool-call", "tool-result"]);

/** Reasons after which a text is not whole. */
const CUT = new Set(["length", "content-filter", "error"]);

/**
 * Gives a model that only writes text reasoning, tool calls and streamed tool inputs.
 * @throws {RangeError} for an unknown format.
 * @throws {TypeError} for `history: "text"` without a named format.
 * @example
 * ```ts
 * const model = wrapLanguageModel({ model: provider("qwen3-8b"), middleware: toolCallMiddleware({ format: "qwen3" }) });
 * const { fullStream } = streamText({ model, tools, prompt: "How high is the tide in Oban?" });
 * ```
 */
export function toolCallMiddleware(
  options?: MiddlewareOptions & { specificationVersion?: "v3" | undefined },
): ToolCallMiddleware<"v3">;
export function toolCallMiddleware(
  options: MiddlewareOptions & { specificationVersion: "v4" },
): ToolCallMiddleware<"v4">;
export function toolCallMiddleware(options: MiddlewareOptions = {}): ToolCallMiddleware<"v3" | "v4"> {
  resolve(options.format);
  const history = options.history === "text" ? namedFormat(options.format) : null;
  const sendTools = options.sendTools ?? options.systemPrompt === undefined;
  // by what the provider gets: what the AI SDK gave
  const given = new WeakMap<object, CallOptions>();

  return {
    specificationVersion: options.specificationVersion ?? "v3",

    async transformParams({ params }) {
      const sent = { ...params };
      if (history !== null) {
        const render = options.renderResult ?? toolResponse;
        sent.prompt = historyAsText(params.prompt, history, declared(params, options), render);
      }
      const offered = params.toolChoice?.type === "none" ? [] : (params.tools ?? []);
      if (options.systemPrompt !== undefined && offered.length > 0) {
        sent.prompt = withSystem(sent.prompt, options.systemPrompt(offered));
      }
      if (!sendTools) {
        delete sent.tools;
        delete sent.toolChoice;
      }
      given.set(sent, params);
      return sent;
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const content: ProviderPart[] = [];
      const reply = new Reply(requestOf(given.get(params) ?? params, options), collector(content));
      const last = result.content.map(({ type }) => type).lastIndexOf("text");
      for (const [index, part] of result.content.entries()) {
        if (part.type === "text") {
          const { type, text, ...about } = part as ProviderPart & { text: string };
          reply.begin({ ...about, id: String(index) });
          reply.feed(text);
          reply.finish(index !== last || !CUT.has(result.finishReason.unified));
        } else content.push(part);
      }
      return { ...result, content, finishReason: reply.reason(result.finishReason) };
    },

    async wrapStream({ doStream, params }) {
      const result = await doStream();
      return { ...result, stream: result.stream.pipeThrough(reader(requestOf(given.get(params) ?? params, options))) };
    },
  };
}

/** Reads the texts of a provider's stream, and lets everything else through. */
function reader(request: Request): TransformStream<ProviderPart, ProviderPart> {
  let reply: Reply;
  return new TransformStream({
    start(controller) {
      reply = new Reply(request, (part) => controller.enqueue(part));
    },
    transform(part, controller) {
      const { type, ...about } = part;
      if (type === "text-start") return reply.begin(about as TextBlock);
      if (type === "text-delta") return reply.feed((part as ProviderPart & { delta: string }).delta);
      if (type === "text-end") return reply.end(about);
      if (type === "finish") {
        const { finishReason } = part as ProviderPart & { finishReason: FinishReason };
        reply.finish(!CUT.has(finishReason.unified));
        return controller.enqueue({ ...part, finishReason: reply.reason(finishReason) } as ProviderPart);
      }
      if (INTERRUPTS.has(type)) reply.interrupt();
      controller.enqueue(part);
    },
    flush() {
      // no finish part: the connection was lost
      reply.finish(false);
    },
  });
}

/** Puts the parts of a stream together into content. */
function collector(content: ProviderPart[]): (part: MadePart) => void {
  let text = { type: "", text: "" };
  return (part) => {
    if (part.type === "error") throw part.error;
    if (part.type === "tool-call") content.push(part);
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const { id, ...about } = part;
      text = { ...about, type: part.type.slice(0, -"-start".length), text: "" };
      content.push(text);
    }
    if (part.type === "text-delta" || part.type === "reasoning-delta") text.text += part.delta;
  };
}

function requestOf(params: CallOptions, options: MiddlewareOptions): Request {
  const tools = params.toolChoice?.type === "none" ? [] : declared(params, options);
  const parts = params.prompt.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const calls = parts.filter((part): part is PromptPart & { toolCallId: string } => part.type === "tool-call");
  return {
    options: { ...options, tools },
    onRejected: options.onRejected,
    known: new Set((params.tools ?? []).map(({ name }) => name)),
    ids: new Set(calls.map(({ toolCallId }) => toolCallId)),
  };
}

function declared(params: CallOptions, options: ParserOptions): readonly ToolDeclaration[] {
  return (
    options.tools ?? (params.tools ?? []).map(({ name, inputSchema }) => ({ name, parameters: inputSchema as object }))
  );
}

function withSystem(prompt: readonly PromptMessage[], text: string): PromptMessage[] {
  const [first, ...rest] = prompt;
  if (first?.role !== "system") return [{ role: "system", content: text }, ...prompt];
  return [{ ...first, content: `${text}\n\n${first.content as string}` }, ...rest];
}

function namedFormat(format: string | Format | undefined): Format {
  if (typeof format === "object") return format;
  if (format !== undefined && format !== "auto") return getFormat(format);
  throw new TypeError('history: "text" needs a named format to write calls in.');
}
