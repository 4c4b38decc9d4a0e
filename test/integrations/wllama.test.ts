import { expect, test } from "vitest";
import { type ParseResult, parse } from "../../src/index.ts";
import { readCompletion, type WllamaChunk, type WllamaPiece } from "../../src/integrations/wllama.ts";
import { chunksOf } from "../support/chunks.ts";
import { stream } from "./byte-tokens.ts";

const text = '\uFEFFÀ. <tool_call>{"name":"tide","arguments":{"port":"Żary 🏔"}}</tool_call>';
const options = { format: "hermes", generateId: (index: number) => `id${index}` };

async function result(chunks: Iterable<WllamaPiece | WllamaChunk>, more = {}): Promise<ParseResult> {
  for await (const event of readCompletion(stream(chunks), { ...options, ...more })) {
    expect(JSON.stringify(event)).not.toContain("\uFFFD");
    if (event.type === "finish") return event.result;
  }
  throw new Error("no finish");
}

test("wllama 2: bytes of tokens, a character split over several", async () => {
  for (const size of [1, 2, 3, 5, 1000]) {
    const bytes = new TextEncoder().encode(text);
    const pieces: WllamaPiece[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push({ piece: bytes.subarray(at, at + size) });
    expect(await result(pieces)).toEqual(parse(text, options));
    expect((await result(pieces.slice(0, -12 / size || -1), { finished: false })).finish).toBe("truncated");
  }
});

test("wllama 3: chunks of text, the last one of which says how it ended", async () => {
  const chunks = (reason: string | null): WllamaChunk[] => [
    ...chunksOf(text, 6).map((piece) => ({ choices: [{ text: piece, finish_reason: null }] })),
    { choices: [{ text: "", finish_reason: reason }] },
    { choices: [] },
  ];
  expect(await result(chunks("stop"), { finished: false })).toEqual(parse(text, options));
  expect((await result(chunks("length"))).finish).toBe("truncated");
  expect((await result(chunks(null))).finish).toBe("tool-calls");
});
