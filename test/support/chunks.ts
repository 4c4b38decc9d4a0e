import { expect } from "vitest";
import { generator } from "../../bench/random.mjs";
import { createParser, type ParseResult, type ParserEvent, parse } from "../../src/index.ts";
import type { RunOptions } from "./corpus.ts";
import { eventFault, mergeEvents } from "./merge.ts";

/** One way of cutting a text into chunks. */
export interface Chunking {
  name: string;
  chunks: string[];
}

/** What came out of a parser. */
export interface Run {
  events: ParserEvent[];
  result: ParseResult;
}

const sizes = [1, 2, 3, 4, 5, 7, 20];

/**
 * All the ways in which a text is cut up: the given one, if any; single UTF-16 code units and other fixed sizes;
 * every cut into two; three random ones, the same in every run.
 * Surrogate pairs are cut like everything else.
 */
export function* chunkings(text: string, given?: string[]): Generator<Chunking> {
  if (given !== undefined) {
    yield { name: "the case's own chunks", chunks: given };
  }
  yield* chunkingsBySize(text);
  yield* cutsInTwo(text);
  for (let seed = 1; seed <= 3; seed++) {
    yield { name: `random chunks, seed ${seed}`, chunks: randomChunks(text, seed) };
  }
}

/** The text in chunks of one size, for each of a few sizes. */
export function* chunkingsBySize(text: string): Generator<Chunking> {
  for (const size of sizes) {
    yield { name: size === 1 ? "single code units" : `chunks of ${size}`, chunks: chunksOf(text, size) };
  }
}

/** Every cut into two chunks that are not empty. */
export function* cutsInTwo(text: string): Generator<Chunking> {
  for (let at = 1; at < text.length; at++) {
    yield { name: `cut in two at ${at}`, chunks: [text.slice(0, at), text.slice(at)] };
  }
}

/** Chunks of `size` UTF-16 code units, the last one shorter if need be. */
export function chunksOf(text: string, size: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    chunks.push(text.slice(at, at + size));
  }
  return chunks;
}

/** Chunks of 0 to 12 code units. The same seed gives the same chunks. */
export function randomChunks(text: string, seed: number): string[] {
  const random = generator(seed);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = Math.floor(random() * 13);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** Feeds the chunks to a new parser and keeps everything that comes out. */
export function run(chunks: Iterable<string>, options: RunOptions): Run {
  const { finished, ...rest } = options;
  const events: ParserEvent[] = [];
  const parser = createParser({ ...rest, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) {
    parser.feed(chunk);
  }
  return { result: parser.end({ finished }), events };
}

/**
 * Law 1, chunking never matters: every chunking of the text gives the events of the whole text, deltas merged, which
 * are well formed, and `parse` gives their result.
 */
export function expectChunkingNeverMatters(text: string, options: RunOptions, ways: Iterable<Chunking>): void {
  const whole = run([text], options);
  expect(eventFault(whole.events)).toBeNull();
  expect(whole.result).toEqual(parse(text, options));

  const expected = mergeEvents(whole.events);
  const expectedText = JSON.stringify(expected);
  for (const { name, chunks } of ways) {
    const received = mergeEvents(run(chunks, options).events);
    // There are thousands of chunkings: the slow and readable comparison is for those that differ.
    if (JSON.stringify(received) !== expectedText) {
      expect(received, name).toEqual(expected);
      expect.fail(`${name}: other events than for the whole text`);
    }
  }
}
