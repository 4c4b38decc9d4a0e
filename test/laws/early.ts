import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { createParser, type ParseResult, type ParserEvent, type Problem } from "../../src/index.ts";
import type { ParametersSchema } from "../../src/schema/declare.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import { plainText, type Tool, unchecked, writesMarkers } from "../support/arbitraries.ts";
import { chunksOf, randomChunks } from "../support/chunks.ts";
import { generateId, type RunOptions } from "../support/corpus.ts";
import { eventFault, mergeEvents } from "../support/merge.ts";
import type { Fault } from "./laws.ts";

/** A reply with calls, some of which do not fit their schemas, and the tools it is read with. */
export interface Reply {
  text: string;
  tools: Tool[];
  options: RunOptions & { validation: "strict" | "coerce" };
}

/** An event, and how much of the text had been fed when it came; infinity for those of the end. */
export interface Told {
  event: ParserEvent;
  at: number;
}

export interface Reading {
  told: Told[];
  result: ParseResult;
}

/** The parser under test: ours, or one with a fault that a law must find. */
export type Reader = (chunks: readonly string[], options: RunOptions) => Reading;

/** Our parser. */
export const ours: Reader = (chunks, { finished, ...options }) => {
  const told: Told[] = [];
  let at = 0;
  const parser = createParser({ ...options, onEvent: (event) => told.push({ event, at }) });
  for (const chunk of chunks) {
    at += chunk.length;
    parser.feed(chunk);
  }
  at = Number.POSITIVE_INFINITY;
  return { result: parser.end({ finished }), told };
};

// --- what is generated

/** A schema with values that fit it, and values of which most do not, though coercion mends some. */
interface Kind {
  schema: Record<string, unknown>;
  fits: fc.Arbitrary<unknown>;
  others: fc.Arbitrary<unknown>;
}

const from = fc.constantFrom<unknown[]>;
const place = { type: "object", properties: { lat: { type: "number" }, lon: { type: "number" } }, required: ["lat"] };
const shape = {
  oneOf: [
    { type: "object", properties: { kind: { const: "point" }, at: place }, required: ["kind", "at"] },
    { type: "object", properties: { kind: { const: "line" }, length: { type: "integer" } }, required: ["kind"] },
  ],
};
const tree = {
  type: "object",
  properties: { size: { type: "integer" }, next: { $ref: "#/$defs/tree" } },
  additionalProperties: false,
};

const kinds: Kind[] = [
  { schema: { type: "string" }, fits: plainText, others: from(5, true, null, ["a"], { a: "b" }) },
  {
    schema: { type: "integer", minimum: 0, maximum: 100 },
    fits: fc.nat({ max: 100 }),
    others: from(101, -5, 2.5, "7", "7.0", " 12 ", "many", "700", true, null, [3], { a: 3 }),
  },
  {
    schema: { type: "number", multipleOf: 0.5, exclusiveMinimum: 0 },
    fits: from(0.5, 1, 12.5),
    others: from(0, 0.3, "1.5", "0.3", "wide", "1e1", [1]),
  },
  { schema: { type: "boolean" }, fits: fc.boolean(), others: from("true", "No", "maybe", 1, 7, null, [true]) },
  {
    schema: { enum: ["calm", "fresh", "gale"] },
    fits: from("calm", "fresh", "gale"),
    others: from("strong", "calmer", "ca", "", "CALM", 3, null, ["calm"]),
  },
  { schema: { enum: [1, "1", "two", null, [1]] }, fits: from(1, "1", "two", null, [1]), others: from(2, "3", [2], {}) },
  { schema: { const: "fixed" }, fits: fc.constant("fixed"), others: from("fix", "fixed!", "x", 1, ["fixed"]) },
  {
    schema: { type: "string", minLength: 2, maxLength: 8 },
    fits: from("Oban", "\u{1f600}\u{1f600}", 'a"b', "日本"),
    others: from("", "a", "Ullapool!", "a much longer text \\ with more", "\u{1f600}", 123456789, 12),
  },
  { schema: { type: "string", pattern: "^[a-z]+$" }, fits: from("abc", "x"), others: from("ABC", "", "a b", 5) },
  {
    schema: { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 3 },
    fits: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    others: from([], [1, 2, 3, 4], ["1", "2"], ["x"], [1, [2]], 5, "[1, 2]", "5", { a: 1 }, null),
  },
  {
    schema: { type: "array", uniqueItems: true, contains: { const: 1 } },
    fits: from([1], [1, 2]),
    others: from([1, 1], [2], [], "1", [1, "1"]),
  },
  { schema: { type: "array", minItems: 2, minProperties: 1 }, fits: from([1, [2]], [{}, {}]), others: from([1], {}) },
  {
    schema: { ...place, additionalProperties: false },
    fits: from({ lat: 1 }, { lat: 1, lon: 2.5 }),
    others: from({ lon: 1 }, { lat: "1" }, { lat: "north" }, { lat: 1, z: 2 }, '{"lat": 1}', [1], "x", {}),
  },
  {
    schema: { anyOf: [{ type: "string", maxLength: 3 }, { type: "integer" }, { type: "null" }] },
    fits: from("abc", 5, null),
    others: from("abcd", "5", 2.5, [1], true),
  },
  {
    schema: shape,
    fits: from({ kind: "point", at: { lat: 1 } }, { kind: "line", length: 3 }, { length: 2, kind: "line" }),
    others: from({ kind: "pond" }, { kind: "point" }, { kind: "line", length: "3" }, { at: {}, kind: "point" }, "x"),
  },
  {
    schema: { anyOf: [shape, { type: "array", items: shape }] },
    fits: from([{ kind: "line" }]),
    others: from([{}], 1),
  },
  {
    schema: {
      type: "object",
      propertyNames: { pattern: "^[a-z]+$" },
      maxProperties: 2,
      additionalProperties: { type: "number" },
    },
    fits: from({}, { a: 1 }, { a: 1, b: 2 }),
    others: from({ A: 1 }, { a: 1, b: 2, c: 3 }, { a: "1" }, { a: [1] }, [], "x"),
  },
  {
    schema: { $ref: "#/$defs/tree" },
    fits: from({ size: 1 }, { next: { next: {} } }),
    others: from({ next: { next: { size: "big" } } }, { next: { more: 1 } }, { next: 5 }, { next: { size: "3" } }),
  },
  {
    schema: { not: { const: "no" }, if: { type: "string" }, then: { maxLength: 4 } },
    fits: from("yes"),
    others: from("no", "never", 5),
  },
  { schema: {}, fits: from("x", 5, null, [1], { a: 1 }), others: fc.constant("y") },
  { schema: { type: ["integer", "null"] }, fits: from(1, null), others: from("null", "1", "x", 1.5, [], {}) },
];

const keys = ["port", "days", "unit", "at", "a", "b"];

interface Member {
  key: string;
  kind: Kind;
  required: boolean;
}

const members = fc.uniqueArray(
  fc.record<Member>({
    key: fc.constantFrom(...keys),
    kind: fc.constantFrom(...kinds),
    required: fc.constantFrom(true, false, false),
  }),
  { selector: ({ key }) => key, minLength: 1, maxLength: 4 },
);

const ofRoot = from(
  {},
  {},
  { additionalProperties: false },
  { additionalProperties: false },
  { maxProperties: 3 },
  { dependentRequired: { a: ["b"] } },
);

/** How a model writes arguments: some fit and some do not, or all could be mended by coercion. */
export type Manner = "any" | "careless";

/** A tool, and arguments for it. */
function toolWith(
  name: string,
  manner: Manner,
): fc.Arbitrary<{ tool: Tool; args: fc.Arbitrary<Record<string, unknown>> }> {
  return fc.tuple(members, ofRoot).map(([list, rest]) => {
    const properties = Object.fromEntries(list.map(({ key, kind }) => [key, kind.schema]));
    const required = list.filter((member) => member.required).map(({ key }) => key);
    const entries = fc
      .tuple(...list.map((member) => (manner === "any" ? entry(member) : carelessEntry(member))), extra[manner])
      .chain((found) => fc.shuffledSubarray(found.flat(), { minLength: found.flat().length }));
    return {
      tool: { name, parameters: { type: "object", properties, required, ...(rest as object), $defs: { tree } } },
      args: entries.map((found) => Object.fromEntries(found)),
    };
  });
}

type Entries = [string, unknown][];

function entry({ key, kind: { fits, others } }: Member): fc.Arbitrary<Entries> {
  const value = fc.oneof({ weight: 3, arbitrary: fits }, { weight: 2, arbitrary: others });
  const one = value.map((given): Entries => [[key, given]]);
  return fc.oneof({ weight: 6, arbitrary: one }, fc.constant<Entries>([]));
}

function carelessEntry({ key, kind: { fits }, required }: Member): fc.Arbitrary<Entries> {
  const value = fc.oneof(fits, fits.map(loosened));
  const one = value.map((given): Entries => [[key, given]]);
  return required ? one : fc.oneof({ weight: 6, arbitrary: one }, fc.constant<Entries>([]));
}

/** A value as careless models write it: coercion knows what is meant. */
function loosened(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.length === 1 ? value[0] : value.map(loosened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, loosened(one)]));
}

const nothing = fc.constant<Entries>([]);

const extra: Record<Manner, fc.Arbitrary<Entries>> = {
  any: fc.oneof({ weight: 3, arbitrary: nothing }, from([["extra", "more of it"]], [["extra", [1]]]) as typeof nothing),
  careless: nothing,
};

/** Replies of one to three calls, as the format writes them, whole or cut off. */
export function replies(format: string, manner: Manner = "any"): fc.Arbitrary<Reply> {
  // without a marker, a call of no declared tool is text
  const unknown = manner === "any" && writesMarkers(format) ? ["lookup"] : [];
  return fc.tuple(toolWith("forecast", manner), toolWith("tide", manner)).chain(([one, other]) => {
    const names = fc.constantFrom("forecast", "forecast", "forecast", "tide", "tide", "tide", ...unknown);
    const call = names.chain((name) => (name === "tide" ? other : one).args.map((args) => ({ name, arguments: args })));
    return fc
      .record({
        content: fc.oneof(fc.constant(""), plainText),
        calls: fc.array(call, { minLength: 1, maxLength: 3 }),
        cut: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.nat({ max: 10_000 })),
        validation: fc.constantFrom(...(manner === "any" ? (["strict", "coerce"] as const) : (["coerce"] as const))),
        finished: fc.boolean(),
      })
      .map(({ content, calls, cut, validation, finished }) => {
        const whole = unchecked(format, { content, calls });
        const tools = [one.tool, other.tool];
        return {
          text: cut === null ? whole : whole.slice(0, cut % (whole.length + 1)),
          tools,
          options: { format, tools, validation, finished: cut === null || finished, generateId },
        };
      });
  });
}

// --- the laws

function* chunkingsOf(text: string): Generator<[name: string, chunks: string[]]> {
  for (const size of [1, 2, 4, 11]) yield [`chunks of ${size}`, chunksOf(text, size)];
  for (const seed of [1, 2, 3]) yield [`random chunks, seed ${seed}`, randomChunks(text, seed)];
}

function eventsOf({ told }: Reading): ParserEvent[] {
  return mergeEvents(told.map(({ event }) => event));
}

interface Early {
  problem: Problem;
  index: number;
  at: number;
}

function problemsOf({ told }: Reading): Early[] {
  return told.flatMap(({ event, at }) =>
    event.type === "tool-problem" ? [{ problem: event.problem, index: event.index, at }] : [],
  );
}

function show(value: unknown): string {
  return JSON.stringify(value);
}

/**
 * Sound: of a call whose arguments the check of finished arguments accepts, no problem is told, in any chunking; under
 * `coerce` these are the arguments that coercion mends too. Any other call is rejected, and each early problem is one
 * that this check finds as well.
 */
export function soundnessFault(read: Reader, { text, tools, options }: Reply): Fault {
  const { validation } = options;
  const raw = read([text], { ...options, validation: "none" }).result;
  for (const [name, chunks] of chunkingsOf(text)) {
    const reading = read(chunks, options);
    for (const call of raw.calls) {
      const schema = tools.find((tool) => tool.name === call.name)?.parameters as ParametersSchema;
      const final = validateArguments(call.arguments, schema, { profile: validation });
      const early = problemsOf(reading).filter(({ index }) => index === call.index);
      const isCall = reading.result.calls.some(({ index }) => index === call.index);
      if (isCall !== final.ok)
        return `${name}, call ${call.index}: ${isCall ? "a call" : "rejected"}, but ${show(final)}`;
      const wrong = early.find(({ problem }) => final.ok || !final.problems.some((one) => agree(problem, one)));
      if (wrong !== undefined) return `${name}: ${show(wrong.problem)} was told, but ${show(final)}`;
    }
  }
  return null;
}

/** A union of which no branch fits, and what is wrong in the branch that is meant, are one thing. */
function agree(early: Problem, final: Problem): boolean {
  if (early.path === final.path) return true;
  if (early.kind === "no-branch") return final.path.startsWith(`${early.path}/`);
  return final.kind === "no-branch" && early.path.startsWith(`${final.path}/`);
}

/**
 * Problems, their order and their offsets do not depend on the chunks, and each comes with the chunk that holds the
 * character at which it is certain. The offset is in the call's text; the rejected call has the same problems.
 */
export function arrivalFault(read: Reader, { text, options }: Reply): Fault {
  const units = read(chunksOf(text, 1), options);
  const malformed = eventFault(units.told.map(({ event }) => event));
  if (malformed !== null) return malformed;
  const expected = eventsOf(units);
  const certain = problemsOf(units);
  for (const { index, problem, at } of certain) {
    const call = units.result.rejected.find((rejected) => rejected.index === index);
    if (call === undefined) return `${show(problem)} of a call that is not rejected`;
    const { offset = -1 } = problem;
    if (offset < call.start || offset > call.end || offset > at)
      return `${show(problem)} told at ${at}, of a call from ${call.start} to ${call.end}`;
    const told = certain.filter((one) => one.index === index).map((one) => one.problem);
    if (!isDeepStrictEqual(told, call.problems)) return `told ${show(told)}, rejected for ${show(call.problems)}`;
  }
  for (const [name, chunks] of chunkingsOf(text)) {
    const reading = read(chunks, options);
    if (!isDeepStrictEqual(eventsOf(reading), expected))
      return `${name}: ${show(eventsOf(reading))}\nin single units: ${show(expected)}`;
    for (const [i, { at, problem }] of problemsOf(reading).entries()) {
      const due = endOfChunk(chunks, (certain[i] as Early).at);
      if (at !== due) return `${name}: ${show(problem)} came at ${at}, but was certain at ${due}`;
    }
  }
  return null;
}

/** Where the chunk ends with which the text is as long as that; infinity where none is. */
function endOfChunk(chunks: readonly string[], length: number): number {
  let end = 0;
  for (const chunk of chunks) {
    end += chunk.length;
    if (end >= length) return end;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * With `stopOnProblem` the first problem that would be told ends the reading, with the call rejected for it, `used` is
 * where it stands, whatever the chunks, and what is fed after that changes nothing. Without a problem nothing stops.
 */
export function stopFault(read: Reader, { text, options }: Reply): Fault {
  const plain = read([text], options);
  const [first] = problemsOf(plain);
  const stopping = { ...options, stopOnProblem: true };
  const whole = read([text], stopping);
  if (first === undefined) {
    return isDeepStrictEqual(whole.result, plain.result) ? null : `stopped without a problem: ${show(whole.result)}`;
  }
  const { result } = whole;
  const { used = -1, calls, rejected } = result;
  const call = rejected.at(-1);
  if (call === undefined || !isDeepStrictEqual(call.problems, [first.problem]))
    return `stopped for ${show(call?.problems)}, the first problem is ${show(first.problem)}`;
  if (used !== first.problem.offset || used > text.length || used < call.start) return `used ${used}: ${show(first)}`;
  if (call.raw !== text.slice(call.start, used)) return `raw ${show(call.raw)}, used ${used}`;
  if (
    !isDeepStrictEqual(
      calls,
      plain.result.calls.filter(({ index }) => index < first.index),
    )
  )
    return `the calls before it are ${show(calls)}`;
  for (const [name, chunks] of chunkingsOf(text)) {
    const ignored = Number.isFinite(first.at) ? ["more", "\n"] : [];
    const reading = read([...chunks, ...ignored], stopping);
    if (!isDeepStrictEqual(eventsOf(reading), eventsOf(whole)))
      return `${name}: ${show(eventsOf(reading))}\nwhole: ${show(eventsOf(whole))}`;
  }
  return null;
}
