import type { ParseResult, ParserEvent } from "../events.ts";
import { type ParserOptions, StreamParser } from "../parser.ts";
import { resolve } from "../registry.ts";
import { type Finished, isFinished } from "../stream.ts";
import { TokenText } from "./token-text.ts";

/** As much of a tokenizer of transformers.js as is used here. */
export interface TokenizerLike {
  decode(tokens: bigint[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
}

/** A token's number; transformers.js gives `bigint`s, configurations hold `number`s. */
type TokenId = number | bigint;

export interface StreamerOptions extends ParserOptions {
  onEvent?: ((event: ParserEvent) => void) | undefined;
  /** Gets the answer, piece by piece: what `TextStreamer` would print, without thoughts and calls. */
  callback_function?: ((text: string) => void) | undefined;
  /** Gets the tokens as they come, as in `TextStreamer`; not those of the prompt. */
  token_callback_function?: ((tokens: bigint[]) => void) | undefined;
  /**
   * `model.generation_config.eos_token_id`: an output that does not end in one of these was cut off. Without it `finished`
   * decides.
   */
  eosTokenId?: TokenId | readonly TokenId[] | undefined;
  /** Did the output come to its natural end? Asked when generation is over. Default true. */
  finished?: Finished;
}

/** How much of the prompt may matter: a chat template opens a turn with fewer tokens than this. */
const PROMPT_TAIL = 16;

/**
 * A streamer for `model.generate` and pipelines of transformers.js. The prompt is skipped, but its end is looked at: it may
 * have opened a thought, unless `prefill` says what it ends with. Special tokens are always decoded, for many formats
 * consist of them. After `end` it can be used for the next reply.
 * @throws {Error} from `put` for more than one reply at once.
 * @example
 * ```ts
 * const { eos_token_id } = generator.model.generation_config;
 * const streamer = new ToolCallStreamer(generator.tokenizer, {
 *   format: "qwen3", tools, eosTokenId: eos_token_id, callback_function: (text) => show(text),
 * });
 * await generator(messages, { max_new_tokens: 512, streamer });
 * for (const call of streamer.result?.calls ?? []) await run(call.name, call.arguments);
 * ```
 */
export class ToolCallStreamer {
  /** What came out, after `end`; before that null. */
  result: ParseResult | null = null;

  private readonly tokenizer: TokenizerLike;
  private readonly options: StreamerOptions;
  private readonly ends: ReadonlySet<bigint> | null;
  private parser: StreamParser | null = null;
  private text: TokenText<bigint>;
  private ended = false;

  constructor(tokenizer: TokenizerLike, options: StreamerOptions = {}) {
    resolve(options.format);
    this.tokenizer = tokenizer;
    this.options = options;
    this.text = new TokenText(this.decode);
    const { eosTokenId } = options;
    this.ends =
      eosTokenId === undefined ? null : new Set((Array.isArray(eosTokenId) ? eosTokenId : [eosTokenId]).map(BigInt));
  }

  /** A problem has ended the reading (`stopOnProblem`): interrupt the generation. */
  get stopped(): boolean {
    return this.parser?.stopped ?? false;
  }

  /** Tokens: those of the prompt first, then those of the reply. */
  put(value: bigint[][]): void {
    const [tokens] = value;
    if (value.length !== 1 || tokens === undefined) throw new Error("ToolCallStreamer reads one reply at a time.");
    if (this.parser === null) return this.start(tokens);
    this.options.token_callback_function?.(tokens);
    for (const token of tokens) {
      if (this.ends?.has(token) === true) this.ended = true;
      else this.parser.feed(this.text.push(token));
    }
  }

  /** Generation is over. */
  end(): void {
    this.close(this.ends === null ? isFinished(this.options.finished) : this.ended);
  }

  /** Generation has failed: the output was cut off. */
  abort(_reason?: unknown): void {
    this.close(false);
  }

  private start(prompt: bigint[]): void {
    const prefill = this.options.prefill ?? this.decode(prompt.slice(-PROMPT_TAIL));
    this.parser = new StreamParser({ ...this.options, prefill, onEvent: (event) => this.take(event) }, resolve);
    this.text = new TokenText(this.decode, prompt);
    this.ended = false;
    this.result = null;
  }

  private close(finished: boolean): void {
    if (this.parser === null) return;
    if (!this.stopped) this.parser.feed(this.text.flush());
    this.result = this.parser.end({ finished });
    this.parser = null;
  }

  private take(event: ParserEvent): void {
    if (event.type === "text-delta") this.options.callback_function?.(event.text);
    this.options.onEvent?.(event);
  }

  /** The tokenizer throws on no tokens. */
  private readonly decode = (tokens: bigint[]): string =>
    tokens.length === 0
      ? ""
      : this.tokenizer.decode(tokens, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
}
