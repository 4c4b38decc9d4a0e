import { describe, expect, test } from "vitest";
import { type ParserEvent, parse } from "../../src/index.ts";
import { type StreamerOptions, ToolCallStreamer } from "../../src/integrations/transformers.ts";
import { ByteTokens } from "./byte-tokens.ts";

const from = new ByteTokens();
from.dropsFirstBlank = true;
const end = from.token("<|im_end|>", true);
const turn = from.token("<|im_start|>", true);
const opener = from.token("<tool_call>", true);
const closer = from.token("</tool_call>", true);
const prompt = [turn, ...from.bytes("user\nTide?"), end, ...from.bytes("\n"), turn, ...from.bytes("assistant\n")];
const reply = [
  ...from.bytes(" Ça: "),
  opener,
  ...from.bytes('{"name":"tide","arguments":{"port":"Żary 🏔"}}'),
  closer,
  end,
];
const text = ' Ça: <tool_call>{"name":"tide","arguments":{"port":"Żary 🏔"}}</tool_call><|im_end|>';

const tokenizer = {
  decode(tokens: readonly bigint[], { skip_special_tokens }: { skip_special_tokens: boolean }): string {
    if (tokens.length === 0) throw new Error("token_ids must be a non-empty array of integers.");
    return from.decode(tokens, !skip_special_tokens);
  },
};
const generateId = (index: number): string => `id${index}`;

/** As `generate` does it: the prompt at once, then token by token. */
function generate(streamer: ToolCallStreamer, tokens: readonly number[], before: readonly number[] = prompt): void {
  streamer.put([before.map(BigInt)]);
  for (const token of tokens) streamer.put([[BigInt(token)]]);
  streamer.end();
}

function streamer(options: StreamerOptions = {}): ToolCallStreamer {
  return new ToolCallStreamer(tokenizer, { format: "qwen3", generateId, ...options });
}

describe("ToolCallStreamer", () => {
  test("skips the prompt and reads special tokens and split characters", () => {
    const events: ParserEvent[] = [];
    let shown = "";
    const seen: bigint[] = [];
    const one = streamer({
      onEvent: (event) => events.push(event),
      callback_function: (piece) => (shown += piece),
      token_callback_function: (tokens) => seen.push(...tokens),
    });
    expect(one.result).toBeNull();
    generate(one, reply);
    expect(one.result).toEqual(parse(text, { format: "qwen3", generateId }));
    expect(shown).toBe(one.result?.content);
    expect(seen).toEqual(reply.map(BigInt));
    expect(JSON.stringify(events)).not.toContain("\uFFFD");
  });

  test("knows a thought that the prompt has opened", () => {
    const one = streamer();
    generate(one, from.bytes("Tide first.</think>High."), [...prompt, ...from.bytes("<think>\n")]);
    expect(one.result).toMatchObject({ reasoning: "Tide first.", content: "High." });
    const told = streamer({ prefill: "" });
    generate(told, from.bytes("Plain."), [...prompt, ...from.bytes("<think>\n")]);
    expect(told.result).toMatchObject({ reasoning: "", content: "Plain." });
  });

  test("needs no prompt", () => {
    const one = streamer();
    generate(one, reply, []);
    expect(one.result?.calls).toHaveLength(1);
  });

  test("an output without its end token was cut off, where the end tokens are known", () => {
    const cut = reply.slice(0, -6);
    for (const eosTokenId of [end, BigInt(end), [7, end]]) {
      const one = streamer({ eosTokenId });
      generate(one, cut);
      expect(one.result?.finish).toBe("truncated");
      generate(one, reply);
      expect(one.result?.finish).toBe("tool-calls");
    }
    const told = streamer({ finished: () => false });
    generate(told, cut);
    expect(told.result?.finish).toBe("truncated");
  });

  test("an end token that the format does not know is no content", () => {
    const other = from.token("<|other_end|>", true);
    const one = streamer({ eosTokenId: other });
    generate(one, [...from.bytes("High."), other]);
    expect(one.result).toMatchObject({ content: "High.", finish: "stop" });
  });

  test("a generation that failed was cut off", () => {
    const one = streamer();
    one.put([prompt.map(BigInt)]);
    one.put([reply.slice(0, 20).map(BigInt)]);
    one.abort(new Error("lost device"));
    expect(one.result).toMatchObject({ finish: "truncated", rejected: [{ problems: [{ kind: "truncated" }] }] });
    one.end();
    expect(one.result?.finish).toBe("truncated");
  });

  test("says when it has read enough", () => {
    const one = streamer({ tools: [], stopOnProblem: true });
    one.put([prompt.map(BigInt)]);
    expect(one.stopped).toBe(false);
    one.put([reply.map(BigInt)]);
    expect(one.stopped).toBe(true);
    one.end();
    expect(one.result?.used).toBeDefined();
  });

  test("reads one reply at a time", () => {
    expect(() => streamer().put([[1n], [2n]])).toThrow("one reply");
    expect(() => new ToolCallStreamer(tokenizer, { format: "no-such" })).toThrow(RangeError);
  });
});
