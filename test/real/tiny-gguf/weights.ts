import type { Tensor } from "./tensors.ts";

/** The sizes of a model of the architecture `llama`, under the names of its metadata. */
export interface Sizes {
  vocabulary: number;
  embedding: number;
  feedForward: number;
  heads: number;
  layers: number;
  /** Base of the frequencies by which RoPE turns a position. */
  ropeBase: number;
}

/** Noise, the same for the same seed: such a model says anything, so that a grammar alone decides what it says. */
export function randomWeights(sizes: Sizes, seed: number): Tensor[] {
  const { vocabulary, embedding: width, feedForward, layers } = sizes;
  const next = normals(seed);
  const noise = (name: string, rows: number, columns: number, scale: number): Tensor =>
    matrix(name, rows, columns, () => next() * scale);
  const scale = 1 / Math.sqrt(width);
  const tensors = [
    noise("token_embd.weight", width, vocabulary, 1),
    noise("output.weight", width, vocabulary, scale),
    vector("output_norm.weight", width, () => 1),
  ];
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}.`;
    tensors.push(
      vector(`${block}attn_norm.weight`, width, () => 1),
      vector(`${block}ffn_norm.weight`, width, () => 1),
      ...["attn_q", "attn_k", "attn_v", "attn_output"].map((name) =>
        noise(`${block}${name}.weight`, width, width, scale),
      ),
      noise(`${block}ffn_gate.weight`, width, feedForward, scale),
      noise(`${block}ffn_up.weight`, width, feedForward, scale),
      noise(`${block}ffn_down.weight`, feedForward, width, 1 / Math.sqrt(feedForward)),
    );
  }
  return tensors;
}

/** How sharply attention picks one position; how loud the picked token is beside the current one. */
const SHARPNESS = 14;
const LOUDNESS = 16;

/**
 * A delay line: what such a model says next is the token that stands `delay` places before it.
 *
 * Its one head looks back by distance alone. Queries and keys are constants (no weights, only biases), so that after RoPE
 * the score of a token `distance` places back is a sum of `cos(frequency * (distance - (delay - 1)))` over all frequencies,
 * with one high peak at `delay - 1`: the position that decides on the next token reads the one that stands `delay` before
 * that. Value and output matrix pass its embedding on, far louder than the current token's, and the output matrix, which
 * without one of its own is the embedding matrix, names it. The feed-forward part is zero.
 */
export function echoWeights(sizes: Sizes, delay: number): Tensor[] {
  const { vocabulary, embedding: width, feedForward, ropeBase } = sizes;
  const turn = (pair: number): number => ropeBase ** ((-2 * pair) / width) * (delay - 1);
  const zeros = (name: string, rows: number, columns: number): Tensor => matrix(name, rows, columns, () => 0);
  const diagonal = (name: string, value: number): Tensor =>
    matrix(name, width, width, (at) => (at % (width + 1) === 0 ? value : 0));
  return [
    { name: "token_embd.weight", shape: [width, vocabulary], values: directions(vocabulary, width) },
    vector("output_norm.weight", width, () => 1),
    vector("blk.0.attn_norm.weight", width, () => 1),
    vector("blk.0.ffn_norm.weight", width, () => 1),
    // RoPE turns neighbouring pairs of numbers
    zeros("blk.0.attn_q.weight", width, width),
    vector("blk.0.attn_q.bias", width, (at) => {
      return at % 2 === 0 ? SHARPNESS * Math.cos(turn(at / 2)) : -SHARPNESS * Math.sin(turn((at - 1) / 2));
    }),
    zeros("blk.0.attn_k.weight", width, width),
    vector("blk.0.attn_k.bias", width, (at) => (at % 2 === 0 ? SHARPNESS : 0)),
    diagonal("blk.0.attn_v.weight", 1),
    diagonal("blk.0.attn_output.weight", LOUDNESS),
    zeros("blk.0.ffn_gate.weight", width, feedForward),
    zeros("blk.0.ffn_up.weight", width, feedForward),
    zeros("blk.0.ffn_down.weight", feedForward, width),
  ];
}

/** For each token a direction of its own, so that no two are alike; all of the same length. */
function directions(count: number, width: number): Float32Array {
  const next = normals(1);
  const values = Float32Array.from({ length: count * width }, next);
  for (let from = 0; from < values.length; from += width) {
    const row = values.subarray(from, from + width);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / width);
    row.forEach((value, at) => {
      row[at] = value / length;
    });
  }
  return values;
}

function vector(name: string, length: number, value: (at: number) => number): Tensor {
  return { name, shape: [length], values: Float32Array.from({ length }, (_, at) => value(at)) };
}

function matrix(name: string, rows: number, columns: number, value: (at: number) => number): Tensor {
  return { ...vector(name, rows * columns, value), shape: [rows, columns] };
}

/** Normally distributed numbers, by mulberry32 and Box and Muller. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform());
}
