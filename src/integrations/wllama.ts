import type { ParserEvent } from "../events.ts";
import { resolve } from "../registry.ts";
import { isFinished, parseStreamWith, type StreamOptions } from "../stream.ts";

/** What the stream of `createCompletion` gives in wllama 2: the bytes of one token, which may be a part of a character. */
export interface WllamaPiece {
  piece: Uint8Array;
}

/** What it gives in wllama 3. */
export interface WllamaChunk {
  choices: readonly { text: string; finish_reason?: string | null | undefined }[];
}

/**
 * The events of a completion that wllama streams. In wllama 3 its `finish_reason` says whether it was cut off; in wllama 2
 * nothing does, so count the pieces against `nPredict` and say it by `finished`.
 * @throws what the source throws, after the events of what came before it.
 * @example
 * ```ts
 * const chunks = await wllama.createCompletion({ prompt, stream: true });
 * for await (const event of readCompletion(chunks, { format: "qwen3", tools })) console.log(event);
 * ```
 */
export function readCompletion(
  chunks: AsyncIterable<WllamaPiece | WllamaChunk>,
  options: StreamOptions = {},
): AsyncGenerator<ParserEvent, void, undefined> {
  const { finished, ...rest } = options;
  let reason: string | null = null;

  async function* text(): AsyncGenerator<string, void, undefined> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for await (const chunk of chunks) {
      if ("piece" in chunk) {
        yield decoder.decode(chunk.piece, { stream: true });
        continue;
      }
      const choice = chunk.choices[0];
      reason = choice?.finish_reason ?? reason;
      yield choice?.text ?? "";
    }
    yield decoder.decode();
  }

  return parseStreamWith(resolve, text(), {
    ...rest,
    finished: () => (reason === null ? isFinished(finished) : reason === "stop"),
  });
}
