import { describe, expect, test } from "vitest";
import { createParser, formatNames, getFormat, type ParseResult } from "../src/index.ts";
import { oddNames, written as renderedOrNull, unchecked } from "./support/arbitraries.ts";
import { chunksOf } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";
import { eventFault } from "./support/merge.ts";

const tools = [
  { name: "f", parameters: { type: "object", properties: { a: {}, s: { type: "string" }, list: { type: "array" } } } },
];

/** Formats of each shape get the full size, the others a tenth; `FC_RUNS=10` gives it to all. */
const full: ReadonlySet<string> = new Set(["raw-json", "mistral", "hermes", "qwen3-coder", "auto"]);
const scaleOf = (format: string): number => (full.has(format) || Number(process.env.FC_RUNS ?? 1) >= 10 ? 1 : 0.1);

/** The text of a call in two halves, around the value of its one argument: a number, or the inside of a string. */
function around(format: string, value: number | string = 424242): { before: string; behind: string } {
  const key = typeof value === "string" ? "s" : "a";
  const [before, behind] = unchecked(format, { calls: [{ name: "f", arguments: { [key]: value } }] }).split("424242");
  return { before: before as string, behind: behind as string };
}

/** How one argument stands in a call, `"a":1` or `<parameter=a>1</parameter>`, and what stands around it. */
function member(format: string): { before: string; text: string; behind: string } {
  const without = unchecked(format, { calls: [{ name: "f", arguments: {} }] });
  const text = unchecked(format, { calls: [{ name: "f", arguments: { a: 424242 } }] });
  let from = 0;
  while (without[from] === text[from]) from++;
  let to = text.length;
  while (without.length - (text.length - to) > from && without.at(to - text.length - 1) === text[to - 1]) to--;
  return { before: text.slice(0, from), text: text.slice(from, to), behind: text.slice(to) };
}

/** What stands between two arguments: tags need nothing. */
function separatorOf(member: string): string {
  return /[<>]/.test(member) ? "" : ",";
}

/** Texts of about `size` characters that ask for much work. */
function hostile(format: string, size: number): Record<string, string> {
  const { before, behind } = around(format);
  const string = around(format, "424242");
  const one = member(format);
  const { opens, closers = [] } = getFormat(format).declaration;
  const [open = "{", thought = "<think>"] = [Object.keys(opens)[0], getFormat(format).reasoning[0]?.open];
  const close = closers[0] ?? "}";
  const call = unchecked(format, { calls: [{ name: "f", arguments: { a: 1 } }] });
  const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length));
  return {
    "nested lists in arguments": before + fill("[") + behind,
    "nested objects in arguments": before + fill('{"a":') + behind,
    "nested lists in text": fill("["),
    "nested objects in text": fill('{"a":'),
    "lists with a name in text": fill('[{"name":'),
    "the first character of an opener": fill(open[0] as string),
    "<": fill("<"),
    "< in a string": string.before + fill("<") + string.behind,
    "half closers in a string": string.before + fill("</parameter></function") + string.behind,
    "backslashes in a string": string.before + fill("\\") + string.behind,
    "quotes in a string": string.before + fill('" ') + string.behind,
    "blanks behind a closer": call + close + fill(" ") + close,
    "blanks behind an opener": open + fill(" "),
    "blanks behind a quote": string.before + "x" + string.behind.slice(0, 1) + fill(" ") + string.behind.slice(1),
    "line breaks with blanks": call + fill("\n  "),
    openers: fill(open),
    "openers on lines": fill(`${open}\n`),
    "openers with a bracket": fill(`${open}{`),
    "openers in an open string": string.before + fill(open),
    closers: fill(close),
    "closers behind a call": call + fill(close),
    "surplus brackets": call + fill("}"),
    "calls without arguments": fill(`${unchecked(format, { calls: [{ name: "f", arguments: {} }] })}\n`),
    "broken calls": fill(`${before}oops${behind}\n`),
    "drafts in a thought": thought + fill(`${call}\n`),
    "broken drafts in a thought": thought + fill(`${before}oops\n`),
    "openers in a thought": thought + fill(open),
    "drafts in a closed thought": `${thought}${fill(call)}${getFormat(format).reasoning[0]?.close}`,
    "thought openers": fill(thought),
    fences: fill("```\n"),
    backticks: fill("`"),
    "one digit": before + fill("7") + behind,
    "one letter in a name": open + fill("n"),
    "one letter in a key": one.before + one.text.replace("a", fill("k")) + one.behind,
    "one letter": fill("x"),
    commas: before + fill(",") + behind,
    comments: before + fill("/* x */ ") + behind,
    "the same key": one.before + one.text + fill(separatorOf(one.text) + one.text) + one.behind,
  };
}

/** Reads it whole, or in chunks of four characters, and checks that the events keep their grammar. */
function readAll(format: string, chunks: Iterable<string>, finished = true): ParseResult {
  const events: Parameters<typeof eventFault>[0][number][] = [];
  const parser = createParser({ format, tools, generateId, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.feed(chunk);
  const result = parser.end({ finished });
  const fault = eventFault(events);
  if (fault !== null) expect.fail(fault);
  return result;
}

for (const format of [...formatNames(), "auto"]) {
  const written = format === "auto" ? "hermes" : format;

  describe(`${format}: no input makes it throw or hang, nor come out differently in chunks`, () => {
    for (const title of Object.keys(hostile(written, 1))) {
      test(title, () => {
        const text = hostile(written, full.has(format) ? 3_000 : 1_000)[title] as string;
        const whole = readAll(format, [text]);
        const chunked = readAll(format, chunksOf(text, 4));
        expect(chunked.calls.length).toBe(whole.calls.length);
        expect(JSON.stringify(chunked) === JSON.stringify(whole)).toBe(true);
        readAll(format, chunksOf(text, 4), false);
      });
    }

    const { before } = around(written);
    const [open = "{"] = Object.keys(getFormat(written).declaration.opens);
    const call = unchecked(written, { calls: [{ name: "f", arguments: { a: 1 } }] });
    const scale = scaleOf(format);
    const large: Record<string, () => string> = {
      "200,000 nested brackets in arguments": () => before + "[".repeat(200_000 * scale),
      "200,000 nested brackets in text": () => "[".repeat(200_000 * scale),
      "200,000 nested objects": () => before + '{"a":'.repeat(200_000 * scale),
      "1 MB of <": () => "<".repeat(1_000_000 * scale),
      "1 MB of blanks behind a call": () => call + " ".repeat(1_000_000 * scale),
      "50,000 openers": () => open.repeat(50_000 * scale),
      "20,000 drafts in a thought": () => "<think>" + `${call}\n`.repeat(20_000 * scale),
      "10 MB of one character": () => "x".repeat(10_000_000 * scale),
      "10 MB of one character in an argument": () => around(written, "424242").before + "x".repeat(10_000_000 * scale),
    };
    for (const [title, make] of Object.entries(large)) {
      test(title, () => {
        const text = make();
        const outline = ({ content, reasoning, calls, rejected }: ParseResult): unknown => ({
          content: content.length,
          reasoning: reasoning.length,
          calls: calls.length,
          rejected: rejected.map(({ problems }) => problems.map(({ kind }) => kind)),
        });
        const count = (chunks: Iterable<string>): unknown => {
          const parser = createParser({ format, tools, generateId });
          for (const chunk of chunks) parser.feed(chunk);
          return outline(parser.end());
        };
        expect(count(fours(text))).toEqual(count([text]));
      });
    }
  });

  describe(`${format}: odd characters and names`, () => {
    for (const odd of ["\ud83d", "\ude00", "\ude00\ud83d", "\ufeff", "\0", "\u2028", "\x7f", "\u{1f600}"]) {
      const args = { s: `a${odd}b${odd}` };

      test(`${JSON.stringify(odd)} is text, and data in arguments`, () => {
        const text = renderedOrNull(written, { content: `${odd}x`, calls: [{ name: "f", arguments: args }] }, tools);
        expect(text !== null || !full.has(format)).toBe(true);
        for (const chunks of text === null ? [] : [[text], chunksOf(text, 1), chunksOf(text, 4)]) {
          const { content, calls } = readAll(format, chunks);
          expect(content).toContain(`${odd}x`);
          expect(calls.map((given) => given.arguments)).toEqual([args]);
        }
      });

      test.runIf(full.has(format))(`${JSON.stringify(odd)} needs no escape`, () => {
        const { before, behind } = around(written, "424242");
        // a raw control character is no JSON, and repaired
        const text = `${odd}x\n${before}${args.s}${behind}\n${odd}`;
        for (const chunks of [[text], chunksOf(text, 1), chunksOf(text, 4)]) {
          const { content, calls } = readAll(format, chunks);
          expect(content.startsWith(`${odd}x`)).toBe(true);
          expect(content.endsWith(odd)).toBe(true);
          expect(calls.map((given) => given.arguments)).toEqual([args]);
        }
      });
    }

    for (const name of [...oddNames, "valueOf", "prototype"]) {
      test(`${name} is a name like any other`, () => {
        const properties = Object.fromEntries([[name, { type: "object" }]]);
        const declared = [{ name, parameters: { type: "object", properties, required: [name] } }];
        const args = Object.fromEntries([[name, Object.fromEntries([[name, 1]])]]);
        const text = unchecked(written, { calls: [{ name, arguments: args }] });
        for (const given of [declared, undefined]) {
          const parser = createParser({ format, tools: given });
          for (const chunk of chunksOf(text, 3)) parser.feed(chunk);
          const { calls, rejected } = parser.end();
          expect(rejected).toEqual([]);
          expect(calls.map((call) => [call.name, JSON.stringify(call.arguments)])).toEqual([
            [name, JSON.stringify(args)],
          ]);
          expect(Object.getPrototypeOf(calls[0]?.arguments)).toBe(Object.prototype);
        }
        const undeclared = createParser({ format, tools });
        undeclared.feed(text);
        expect(undeclared.end().calls).toEqual([]);
        expect(Object.hasOwn(Object.prototype, "1")).toBe(false);
      });
    }

    test("of a repeated key the last value counts", () => {
      const { before, text, behind } = member(written);
      const [first, second] = [1, 2].map((value) => text.replace("424242", String(value)));
      const again = `${before}${first}${separatorOf(text)}${second}${behind}`;
      const { calls } = readAll(format, chunksOf(again, 4));
      expect(calls.map((call) => call.arguments)).toEqual([{ a: 2 }]);
      expect(calls[0]?.argumentsText).toBe('{"a":1,"a":2}');
    });

    test("a number of 300 digits keeps its digits", () => {
      const { before, behind } = around(written);
      const digits = "1234567890".repeat(30);
      const { calls } = readAll(format, chunksOf(`${before}${digits}${behind}`, 4));
      expect(calls[0]?.argumentsText).toBe(`{"a":${digits}}`);
      expect(calls[0]?.arguments).toEqual({ a: Number(digits) });
    });

    test("a number of 400 digits, and 1e999, make no infinite argument", () => {
      const { before, behind } = around(written);
      for (const digits of ["1234567890".repeat(40), "1e999", "-1e999"]) {
        const { calls, rejected } = readAll(format, chunksOf(`${before}${digits}${behind}`, 4));
        expect(calls.length + rejected.length).toBe(1);
        for (const call of calls) expect(call.arguments).toEqual({ a: digits });
      }
    });
  });

  describe(`${format}: the work grows with the length, not faster`, () => {
    for (const title of Object.keys(hostile(written, 1))) {
      test(title, () => {
        const work = (size: number): number => {
          const chunks = chunksOf(hostile(written, size)[title] as string, 4);
          return stepsOf(() => {
            const parser = createParser({ format, tools, generateId });
            for (const chunk of chunks) parser.feed(chunk);
            parser.end();
          });
        };
        // behind the limits of look-aheads, which are fixed costs
        const size = full.has(format) ? 3_000 : 1_500;
        expect(work(2 * size) / work(size)).toBeLessThan(2.6);
      });
    }
  });
}

/** Chunks of four characters, without an array of millions of them. */
function* fours(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 4) yield text.slice(at, at + 4);
}

/**
 * Counts what the methods of strings do while something runs: work that does not depend on how fast or busy the machine
 * is. Indexing and concatenation are not seen, and a slice is one step: the engine shares the text.
 */
function stepsOf(run: () => void): number {
  const methods = [
    "charCodeAt",
    "slice",
    "startsWith",
    "endsWith",
    "indexOf",
    "includes",
    "trim",
    "trimStart",
    "replace",
  ] as const;
  const prototype = String.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = methods.map((name) => [name, prototype[name]] as const);
  let steps = 0;
  for (const [name, original] of originals) {
    prototype[name] = function (this: string, ...args: unknown[]) {
      const answer = (original as (...args: unknown[]) => unknown).apply(this, args);
      if (name === "indexOf") steps += answer === -1 ? this.length : (answer as number) + 1;
      else if (name === "includes") steps += this.length;
      steps++;
      return answer;
    };
  }
  try {
    run();
  } finally {
    for (const [name, original] of originals) prototype[name] = original as never;
  }
  return steps;
}
