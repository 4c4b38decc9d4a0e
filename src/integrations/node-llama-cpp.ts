import type { ParserEvent } from "../events.ts";
import { resolve } from "../registry.ts";
import { isFinished, parseStreamWith, type StreamOptions } from "../stream.ts";
import { TokenText } from "./token-text.ts";

/** As much of a `LlamaModel` as is used here. */
export interface LlamaModelLike<Token> {
  detokenize(tokens: readonly Token[], specialTokens?: boolean): string;
  isEogToken?(token: Token): boolean;
}

export interface TokenOptions<Token> extends StreamOptions {
  /** Stop after so many tokens: the output is cut off then. */
  maxTokens?: number | undefined;
  /** The last tokens of the prompt, for decoders that write the first token of a text without its blank. */
  lastTokens?: readonly Token[] | undefined;
}

/**
 * The events of a sequence's tokens, control tokens included, which the text APIs of node-llama-cpp leave out.
 * An end-of-generation token (`yieldEogToken: true`) ends the output, whatever `finished` says; without it the output is
 * complete when the tokens end, unless `maxTokens` cut it off or `finished` says so.
 * @throws what the source throws, after the events of what came before it.
 * @example
 * ```ts
 * const tokens = sequence.evaluate(model.tokenize(prompt, true), { yieldEogToken: true });
 * for await (const event of readTokens(tokens, model, { format: "hermes", tools })) console.log(event);
 * ```
 */
export function readTokens<Token>(
  tokens: AsyncIterable<Token>,
  model: LlamaModelLike<Token>,
  options: TokenOptions<Token> = {},
): AsyncGenerator<ParserEvent, void, undefined> {
  const { maxTokens, lastTokens, finished, ...rest } = options;
  let end: boolean | null = null;

  async function* text(): AsyncGenerator<string, void, undefined> {
    const decoded = new TokenText((window: Token[]) => model.detokenize(window, true), lastTokens);
    let count = 0;
    for await (const token of tokens) {
      if (model.isEogToken?.(token) === true) {
        end = true;
        break;
      }
      yield decoded.push(token);
      if (++count === maxTokens) {
        end = false;
        break;
      }
    }
    yield decoded.flush();
  }

  return parseStreamWith(resolve, text(), {
    ...rest,
    finished: () => end ?? isFinished(finished),
  });
}
