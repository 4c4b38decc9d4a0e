/** What else reads such text. Each is loaded only in a process that measures it. */

import { cpu } from "./measure.mjs";

/** Given chunks of JSON: a task that reads them once. */
export const jsonParsers = {
  async JSONParser(chunks) {
    const { JSONParser } = await import("@streamparser/json");
    return () => feed(new JSONParser({ paths: ["$"] }), "onValue", chunks);
  },

  async Tokenizer(chunks) {
    const { Tokenizer } = await import("@streamparser/json");
    return () => feed(new Tokenizer(), "onToken", chunks);
  },

  /** Gets tokens that are ready: what remains is the building of values. */
  async TokenParser(chunks) {
    const { Tokenizer, TokenParser } = await import("@streamparser/json");
    const tokens = [];
    const tokenizer = new Tokenizer();
    tokenizer.onToken = ({ token, value }) => tokens.push({ token, value });
    for (const chunk of chunks) tokenizer.write(chunk);
    return () => feed(new TokenParser({ paths: ["$"] }), "onValue", tokens);
  },
};

function feed(parser, event, pieces) {
  let last;
  parser[event] = (found) => {
    last = found;
  };
  for (const piece of pieces) parser.write(piece);
  return last;
}

/** Read the JSON text so far, whole or not. */
export const reparsers = {
  "partial-json": async () => {
    const { parse } = await import("partial-json");
    return (text) => parse(text);
  },
  ai: async () => {
    const { parsePartialJson } = await import("ai");
    return (text) => parsePartialJson(text);
  },
};

/**
 * Feeds chunks of model output to the stream parser of @ai-sdk-tool/parser, until they are through or the time is up.
 * `delta`: chunks that had been fed when the first piece of the arguments came out.
 */
export async function toolParser(format, { name, schema }, chunks, milliseconds) {
  const { hermesProtocol, qwen3CoderProtocol } = await import("@ai-sdk-tool/parser");
  const protocol = format === "hermes" ? hermesProtocol() : qwen3CoderProtocol();
  const stream = protocol.createStreamParser({ tools: [{ type: "function", name, inputSchema: schema }] });

  const result = { fed: 0, delta: null, input: undefined };
  const reading = (async () => {
    for await (const part of stream.readable) {
      if (part.type === "tool-input-delta") result.delta ??= result.fed;
      if (part.type === "tool-call") result.input = JSON.parse(part.input);
    }
  })();

  const writer = stream.writable.getWriter();
  const deadline = performance.now() + milliseconds;
  const start = cpu();
  while (result.fed < chunks.length && performance.now() < deadline) {
    await writer.write({ type: "text-delta", id: "0", delta: chunks[result.fed++] });
  }
  if (result.fed === chunks.length) {
    await writer.write({ type: "finish", finishReason: { unified: "stop" }, usage: {} });
    await writer.close();
    await reading;
  }
  return { ...result, elapsed: cpu() - start };
}
