import { describe, expect, test } from "vitest";
import { Bytes } from "../../src/cli/bytes.ts";
import { isGguf, readGguf } from "../../src/cli/gguf.ts";
import { LlamaCpp, missing } from "./llama-cpp.ts";
import { END, makeTinyGguf, PAD, type TinyGgufOptions } from "./make-tiny-gguf.ts";
import { CHAT_TEMPLATE } from "./tiny-gguf/template.ts";
import { type Tensor, tensorBytes } from "./tiny-gguf/tensors.ts";
import { vocabulary } from "./tiny-gguf/vocabulary.ts";
import { echoWeights } from "./tiny-gguf/weights.ts";

const echo: TinyGgufOptions = { mode: "echo", delay: 64 };
const random: TinyGgufOptions = { mode: "random", seed: 7 };

describe.each([echo, random])("the file of a model, $mode", (options) => {
  test("it begins as a GGUF file of version 3 does", () => {
    const file = Buffer.from(makeTinyGguf(options));
    expect(file.toString("latin1", 0, 4)).toBe("GGUF");
    expect(file.readUInt32LE(4)).toBe(3);
    expect(file.readBigUInt64LE(8)).toBe(options.mode === "echo" ? 13n : 21n);
  });

  test("its metadata can be read", async () => {
    const template = "{{ messages }}";
    const bytes = bytesOf(makeTinyGguf({ ...options, template }));
    expect(await isGguf(bytes)).toBe(true);
    const metadata = await readGguf(bytes, () => true);
    expect(metadata.get("general.architecture")).toBe("llama");
    expect(metadata.get("general.name")).toBe(`tiny-${options.mode}`);
    expect(metadata.get("tokenizer.chat_template")).toBe(template);
    expect(metadata.get("tokenizer.ggml.tokens")).toEqual(expect.arrayContaining([END, PAD, "<tool_call>", "{", '":']));
  });

  test("it has our own chat template unless another one is given", async () => {
    const metadata = await readGguf(bytesOf(makeTinyGguf(options)), (key) => key === "tokenizer.chat_template");
    expect([...metadata.values()]).toEqual([CHAT_TEMPLATE]);
  });

  test("the same options give the same bytes, other ones others", () => {
    const file = Buffer.from(makeTinyGguf(options));
    expect(file.equals(makeTinyGguf(options))).toBe(true);
    const other = options.mode === "echo" ? { ...options, delay: 65 } : { ...options, seed: 8 };
    expect(file.equals(makeTinyGguf(other))).toBe(false);
    expect(file.length).toBe(makeTinyGguf(other).length);
  });
});

describe("the vocabulary", () => {
  const { tokens, types, merges } = vocabulary(["<|a|>", "<b>"], ["<b>", "<c>"]);

  test("all bytes come first, then what they are merged to, then whole tokens", () => {
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(types).toHaveLength(tokens.length);
    expect(tokens[0x41]).toBe("A");
    expect(tokens[0x20]).toBe("\u0120");
    const wholes = tokens.slice(-3).map((token, at) => [token, types.at(at - 3)]);
    expect(wholes).toEqual([
      ["<|a|>", 3],
      ["<b>", 3],
      ["<c>", 4],
    ]);
  });

  test("what is merged are two tokens, and so is what comes of it", () => {
    expect(merges).toHaveLength(200);
    for (const pair of merges) {
      const pieces = pair.split(" ");
      expect(pieces).toHaveLength(2);
      expect(tokens).toEqual(expect.arrayContaining([...pieces, pieces.join("")]));
    }
  });
});

describe("the tensors", () => {
  test("each begins at a multiple of 32 bytes, counted from the start of the file", () => {
    const tensors: Tensor[] = ["a", "bc"].map((name, at) => ({
      name,
      shape: [3],
      values: new Float32Array(3).fill(at),
    }));
    const from = 77;
    const bytes = Buffer.concat([new Uint8Array(from), tensorBytes(tensors, from)]);
    expect(bytes.length % 32).toBe(0);
    const start = bytes.length - 2 * 32;
    expect(bytes.readFloatLE(start)).toBe(0);
    expect(bytes.readFloatLE(start + 32)).toBe(1);
    // name, number of dimensions, dimension, type, and place of the second one
    const info = bytes.indexOf("bc");
    expect(bytes.readBigUInt64LE(info - 8)).toBe(2n);
    expect(bytes.readUInt32LE(info + 2)).toBe(1);
    expect(bytes.readBigUInt64LE(info + 6)).toBe(3n);
    expect(bytes.readUInt32LE(info + 14)).toBe(0);
    expect(bytes.readBigUInt64LE(info + 18)).toBe(32n);
  });

  test("an echo looks back by its delay and no further", () => {
    const delay = 50;
    const sizes = { vocabulary: 8, embedding: 64, feedForward: 32, heads: 1, layers: 1, ropeBase: 100 };
    const tensors = new Map(echoWeights(sizes, delay).map(({ name, values }) => [name, values]));
    const query = tensors.get("blk.0.attn_q.bias") as Float32Array;
    const key = tensors.get("blk.0.attn_k.bias") as Float32Array;
    const scores = Array.from({ length: 1000 }, (_, distance) => score(query, key, distance, sizes.ropeBase));
    const best = Math.max(...scores);
    expect(scores.indexOf(best)).toBe(delay - 1);
    const others = scores.filter((_, distance) => distance !== delay - 1);
    // as far apart as e to the power of 20 once they are probabilities
    expect((best - Math.max(...others)) / Math.sqrt(sizes.embedding)).toBeGreaterThan(20);
  });
});

/** Query times key, where the key stands `distance` before the query and RoPE has turned both. */
function score(query: Float32Array, key: Float32Array, distance: number, ropeBase: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at += 2) {
    const angle = ropeBase ** (-at / query.length) * distance;
    const [q0, q1, k0, k1] = [query[at], query[at + 1], key[at], key[at + 1]] as [number, number, number, number];
    sum += (q0 * k0 + q1 * k1) * Math.cos(angle) + (q0 * k1 - q1 * k0) * Math.sin(angle);
  }
  return sum;
}

function bytesOf(file: Uint8Array): Bytes {
  return new Bytes(
    (async function* () {
      yield file;
    })(),
  );
}

describe.skipIf(missing !== null)(`llama.cpp loads the file${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  test("an echo says what the prompt scripts, control tokens and broken characters included", async () => {
    const llama = await LlamaCpp.start();
    try {
      const text = '<tool_call>\n{"name": "é🏔️"} </tool_call>[TOOL_CALLS]<|tool_call_begin|>}}\t\u0000';
      const pieces = await llama.say(text);
      expect(pieces.join("")).toBe(text);
      expect(pieces).toEqual(expect.arrayContaining(["<tool_call>", "[TOOL_CALLS]", "<|tool_call_begin|>"]));
    } finally {
      llama.stop();
    }
  });

  test("noise says what a grammar leaves, in tokens that depend on the seed", async () => {
    const said = await Promise.all(
      [1, 2].map(async (seed) => {
        const llama = await LlamaCpp.start({ mode: "random", seed });
        try {
          return await llama.write('root ::= "{\\"city\\": \\"Paris" [a-z] "\\"}"');
        } finally {
          llama.stop();
        }
      }),
    );
    for (const pieces of said) expect(pieces.join("")).toMatch(/^\{"city": "Paris[a-z]"\}$/);
    expect(said[0]).not.toEqual(said[1]);
  });

  test("a text that is too long is refused", async () => {
    const llama = await LlamaCpp.start();
    try {
      await expect(llama.say("x ".repeat(600))).rejects.toThrow(/tokens, of at most/);
    } finally {
      llama.stop();
    }
  });

  test("when llama.cpp ends, what waits for it fails", async () => {
    const llama = await LlamaCpp.start();
    const waiting = llama.say("never said");
    llama.kill();
    await expect(waiting).rejects.toThrow(/llama\.cpp ended with SIGKILL/);
    await expect(llama.say("nor this")).rejects.toThrow();
    llama.stop();
  });
});
