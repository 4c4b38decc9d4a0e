import { gguf } from "../support/gguf.ts";
import { CHAT_TEMPLATE } from "./tiny-gguf/template.ts";
import { tensorBytes } from "./tiny-gguf/tensors.ts";
import { vocabulary } from "./tiny-gguf/vocabulary.ts";
import { echoWeights, randomWeights, type Sizes } from "./tiny-gguf/weights.ts";

/** The token that ends a turn. */
export const END = "<|im_end|>";
/** A token that means nothing, to fill a prompt with. */
export const PAD = "<|pad|>";

/** Tokens that every model of ours has, for its own chat template. */
const OWN_CONTROL = ["<|endoftext|>", "<|im_start|>", END, PAD];
const OWN_TEXT = ["<tool_call>", "</tool_call>", "<think>", "</think>"];

/** What kind of model is written. */
export type TinyGgufOptions = {
  /** The chat template in the file (default: one in the style of Hermes). */
  template?: string;
  /** The longest text that the model can have in view, in tokens (default 4096). */
  context?: number;
  /** Further tokens that are no text. */
  control?: readonly string[];
  /** Further tokens that are text. */
  userDefined?: readonly string[];
} & (
  | {
      /** Says again what stands `delay` tokens back: a prompt is a script of what it says. */
      mode: "echo";
      delay: number;
    }
  | {
      /** Says anything: a grammar decides what, and `seed` how it is cut into tokens. */
      mode: "random";
      seed?: number;
    }
);

/**
 * A whole GGUF file of some hundred kilobytes, of the architecture `llama`, which llama.cpp loads like any other.
 * Nothing in it was trained. The same options give the same bytes.
 * @example
 * ```ts
 * writeFileSync("echo.gguf", makeTinyGguf({ mode: "echo", delay: 512 }));
 * ```
 */
export function makeTinyGguf(options: TinyGgufOptions): Uint8Array {
  const { template = CHAT_TEMPLATE, context = 4096, control = [], userDefined = [] } = options;
  const words = vocabulary([...OWN_CONTROL, ...control], [...OWN_TEXT, ...userDefined]);
  const sizes = sizesOf(options.mode, words.tokens.length);
  const tensors = options.mode === "echo" ? echoWeights(sizes, options.delay) : randomWeights(sizes, options.seed ?? 1);
  const id = (token: string) => ({ uint32: words.tokens.indexOf(token) });
  const head = gguf({
    "general.architecture": "llama",
    "general.name": `tiny-${options.mode}`,
    "llama.context_length": { uint32: context },
    "llama.embedding_length": { uint32: sizes.embedding },
    "llama.block_count": { uint32: sizes.layers },
    "llama.feed_forward_length": { uint32: sizes.feedForward },
    "llama.attention.head_count": { uint32: sizes.heads },
    "llama.attention.head_count_kv": { uint32: sizes.heads },
    "llama.attention.layer_norm_rms_epsilon": { float32: 1e-5 },
    "llama.rope.dimension_count": { uint32: sizes.embedding / sizes.heads },
    "llama.rope.freq_base": { float32: sizes.ropeBase },
    "llama.vocab_size": { uint32: sizes.vocabulary },
    "tokenizer.chat_template": template,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "qwen2",
    "tokenizer.ggml.tokens": words.tokens,
    "tokenizer.ggml.token_type": words.types.map((int32) => ({ int32 })),
    "tokenizer.ggml.merges": words.merges,
    "tokenizer.ggml.bos_token_id": id("<|endoftext|>"),
    "tokenizer.ggml.eos_token_id": id(END),
    "tokenizer.ggml.padding_token_id": id(PAD),
    "tokenizer.ggml.add_bos_token": { bool: false },
  });
  new DataView(head.buffer, head.byteOffset).setBigUint64(COUNT_OF_TENSORS, BigInt(tensors.length), true);
  return Buffer.concat([head, tensorBytes(tensors, head.length)]);
}

/** Where the head says how many tensors there are. */
const COUNT_OF_TENSORS = 8;

/** As small as it works: 64 numbers keep a thousand tokens apart, and a low base makes the one distance stand out. */
function sizesOf(mode: TinyGgufOptions["mode"], vocabulary: number): Sizes {
  return mode === "echo"
    ? { vocabulary, embedding: 64, feedForward: 32, heads: 1, layers: 1, ropeBase: 100 }
    : { vocabulary, embedding: 64, feedForward: 128, heads: 4, layers: 2, ropeBase: 10_000 };
}
