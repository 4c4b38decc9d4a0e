import fc from "fast-check";
import { expect, test } from "vitest";
import { TokenText } from "../../src/integrations/token-text.ts";
import { ByteTokens } from "./byte-tokens.ts";

const utf8 = new TextEncoder();

/** The text of the tokens, and the pieces in which it came. */
function read(tokens: readonly number[], from: ByteTokens, before: readonly number[] = []): string[] {
  const text = new TokenText((window: number[]) => from.decode(window, true), before);
  return [...tokens.map((token) => text.push(token)), text.flush()];
}

test("a character comes with its last byte, and not before", () => {
  const from = new ByteTokens();
  expect(read(from.bytes("a🏔b"), from)).toEqual(["a", "", "", "", "🏔", "b", ""]);
});

test("tokens that each end in the middle of a character, without end", () => {
  const from = new ByteTokens();
  const bytes = utf8.encode("🏔😀🌊⛵".repeat(50));
  const tokens = [from.add(bytes.subarray(0, 3))];
  for (let at = 3; at < bytes.length; at += 4) tokens.push(from.add(bytes.subarray(at, at + 4)));
  const pieces = read(tokens, from);
  expect(pieces.join("")).toBe("🏔😀🌊⛵".repeat(50));
  expect(pieces.slice(0, -1).filter((piece) => piece !== "").length).toBeGreaterThan(150);
});

test("any text in any tokens comes out whole, and nothing that came out was wrong", () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), cuts, (text, sizes) => {
      const from = new ByteTokens();
      const tokens: number[] = [];
      const bytes = utf8.encode(text);
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn] ?? 1;
        tokens.push(from.add(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(read(tokens, from).join("")).toBe(text);
    }),
  );
});

test("the model's own U+FFFD comes through, and broken bytes become it", () => {
  const from = new ByteTokens();
  expect(read(from.bytes("a\uFFFDb\uFFFD"), from).join("")).toBe("a\uFFFDb\uFFFD");
  expect(read([...from.bytes("a"), 0xf0, 0x9f, ...from.bytes("b"), 0xf0], from).join("")).toBe("a\uFFFDb\uFFFD");
});

test("decoders that drop the first blank lose none inside, nor the first one where the prompt's end is known", () => {
  const from = new ByteTokens();
  from.dropsFirstBlank = true;
  const words = Array.from({ length: 40 }, (_, n) => from.token(` w${n}`));
  const text = Array.from({ length: 40 }, (_, n) => ` w${n}`).join("");
  expect(read(words, from).join("")).toBe(text.slice(1));
  expect(read(words, from, from.bytes("prompt")).join("")).toBe(text);
});
