import { isDeepStrictEqual } from "node:util";
import { JSONParser } from "@streamparser/json";
import {
  createParser,
  getFormat,
  type ParseResult,
  type ParserEvent,
  type RejectedCall,
  type ToolCall,
} from "../../src/index.ts";
import type { ParametersSchema } from "../../src/schema/declare.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import type { BrokenReply, Output, Scene } from "../support/arbitraries.ts";
import { type Chunking, chunkings, chunksOf } from "../support/chunks.ts";
import type { RunOptions } from "../support/corpus.ts";
import { Headers } from "../support/headers.ts";
import { eventFault, mergeEvents } from "../support/merge.ts";

/** What came out of a parser; without `end` there is no result. */
export interface Trace {
  events: ParserEvent[];
  result: ParseResult | null;
}

/** The parser under test: ours, or one with a fault that a law must find. `end: false`: the chunks are only fed. */
export type Subject = (chunks: readonly string[], options: RunOptions, end?: boolean) => Trace;

/** Our parser. */
export const ours: Subject = (chunks, { finished, ...options }, end = true) => {
  const events: ParserEvent[] = [];
  const parser = createParser({ ...options, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.feed(chunk);
  return { result: end ? parser.end({ finished }) : null, events };
};

/** What a law says about a subject: null, or in what it was broken. */
export type Fault = string | null;

function show(value: unknown): string {
  return JSON.stringify(value);
}

function resultOf(subject: Subject, text: string, options: RunOptions): ParseResult {
  return subject([text], options).result as ParseResult;
}

/** All calls of a reply, in order. */
function allCalls({ calls, rejected }: ParseResult): (ToolCall | RejectedCall)[] {
  return [...calls, ...rejected].sort((one, other) => one.index - other.index);
}

// --- law 1

/** Chunking never matters. */
export function chunkingFault(subject: Subject, { text, options }: Output): Fault {
  const whole = subject([text], options);
  const malformed = eventFault(whole.events);
  if (malformed !== null) return `${malformed}: ${show(mergeEvents(whole.events))}`;
  const expected = show(mergeEvents(whole.events));
  for (const { name, chunks } of fewChunkings(text)) {
    const received = show(mergeEvents(subject(chunks, options).events));
    if (received !== expected) return `${name}: ${received}\ninstead of ${expected}`;
  }
  return null;
}

/** All chunkings, but of a long text only some of the cuts in two: which ones depends on the text. */
function* fewChunkings(text: string): Generator<Chunking> {
  const step = Math.ceil(text.length / CUTS);
  let cut = 0;
  for (const chunking of chunkings(text)) {
    if (!chunking.name.startsWith("cut in two") || cut++ % step === text.length % step) yield chunking;
  }
}

/** How many of the prefixes or cuts of a long text are tried. The corpus tests try all of theirs. */
const CUTS = 100;

/** Lengths of prefixes: all of a short text, some of a long one. */
function* lengths(text: string): Generator<number> {
  const step = Math.ceil((text.length + 1) / CUTS);
  for (let length = (text.length * 7) % step; length <= text.length; length += step) yield length;
}

/** Nor does it matter for what is out after a part of the text. */
export function frontierFault(subject: Subject, { text, options }: Output): Fault {
  for (const length of lengths(text)) {
    const prefix = text.slice(0, length);
    const whole = show(mergeEvents(subject([prefix], options, false).events));
    const units = show(mergeEvents(subject(chunksOf(prefix, 1), options, false).events));
    if (whole !== units) return `${show(prefix)}: ${units}\nin single units, ${whole}\nwhole`;
  }
  return null;
}

// --- law 2

/** What came out is never taken back. */
export function retractionFault(subject: Subject, { text, options }: Output): Fault {
  const whole = mergeEvents(subject([text], options).events);
  for (const length of lengths(text)) {
    const prefix = text.slice(0, length);
    const part = mergeEvents(subject([prefix], options, false).events);
    if (!isPrefix(part, whole)) return `${show(prefix)}: ${show(part)}\nis no beginning of ${show(whole)}`;
  }
  return null;
}

function isPrefix(part: readonly ParserEvent[], whole: readonly ParserEvent[]): boolean {
  return part.every((event, at) => {
    const other = whole[at];
    if (other === undefined) return false;
    if (at < part.length - 1 || !("text" in event || "delta" in event)) return isDeepStrictEqual(event, other);
    if ("text" in event) return other.type === event.type && other.text.startsWith(event.text);
    return (
      other.type === event.type &&
      other.index === event.index &&
      other.id === event.id &&
      other.delta.startsWith(event.delta)
    );
  });
}

// --- law 3

/**
 * Nothing is lost: between the calls' ranges the events hand on all of the text but markup, and nothing else.
 * Markup: reasoning tags, closers, dropped tokens, what follows an end-of-turn token; and behind a call what belongs to
 * it: blanks with closers or surplus brackets, commas of a list, and the fence around the calls.
 */
export function lossFault(subject: Subject, { text, options }: Output): Fault {
  const { events } = subject([text], options);
  const pieces: { from: number; to: number; out: string; behindCall: boolean }[] = [];
  let from = 0;
  let out = "";
  for (const event of mergeEvents(events)) {
    if ("text" in event) {
      out += event.text;
    } else if ("call" in event) {
      const { start, end } = event.call;
      if (start < from || end < start || end > text.length) return `range ${start} to ${end} behind ${from}`;
      if ("raw" in event.call && event.call.raw !== text.slice(start, end)) return `raw is ${show(event.call.raw)}`;
      pieces.push({ from, to: start, out, behindCall: pieces.length > 0 });
      from = end;
      out = "";
    }
  }
  pieces.push({ from, to: text.length, out, behindCall: pieces.length > 0 });
  const markup = new Markup(options.format as string, options.prefill ?? "", text);
  for (const [at, piece] of pieces.entries()) {
    const outside = text.slice(piece.from, piece.to);
    if (!markup.explains(outside, piece.out, piece.behindCall, at < pieces.length - 1)) {
      return `the text ${show(outside)} came out as ${show(piece.out)}`;
    }
  }
  return null;
}

/** Knows what may be missing from the text outside of calls. */
class Markup {
  private readonly anywhere: readonly string[];
  private readonly closers: readonly string[];
  private readonly stops: readonly string[];
  /** What opens calls, and the tokens of which one directly behind it makes a section without calls. */
  private readonly opens: readonly string[];
  private readonly sectionEnds: readonly string[];
  /** The rest of a marker whose beginning stands in the prefill. */
  private readonly rests: readonly string[];
  private readonly headers: Headers | null;
  /** The output holds a list of calls: blanks in it are layout. */
  private readonly lists: boolean;

  constructor(name: string, prefill: string, text: string) {
    this.lists = /\[\s*\{/.test(text);
    const { reasoning, stops, declaration } = getFormat(name);
    const { closers = [], dropped = [], answer = [], opens } = declaration;
    this.anywhere = [...[...reasoning, ...answer].flatMap(({ open, close }) => [open, close]), ...dropped];
    this.closers = closers;
    this.stops = stops;
    this.opens = Object.keys(opens);
    this.sectionEnds = dropped.filter((token) => closers.includes(token));
    this.headers = declaration.messages ? new Headers(declaration.messages, prefill) : null;
    const all = [...this.anywhere, ...closers, ...stops, ...Object.keys(opens)];
    this.rests = all.flatMap((marker) =>
      Array.from({ length: marker.length - 1 }, (_, at) => at + 1)
        .filter((length) => prefill.endsWith(marker.slice(0, length)))
        .map((length) => marker.slice(length)),
    );
  }

  /** Lengths of the sections without calls at `at`: an opener, perhaps with the rest of its name, and a closing token. */
  private emptySections(text: string, at: number): number[] {
    return this.opens.flatMap((opener) => {
      if (!text.startsWith(opener, at)) return [];
      const behind = at + opener.length;
      const to = behind + (/^\w*>?[ \t\r\n]*/.exec(text.slice(behind))?.[0].length ?? 0);
      return this.sectionEnds.filter((end) => text.startsWith(end, to)).map((end) => to + end.length - at);
    });
  }

  /** Is `out` the text without markup? `before`: a call follows; `behind`: one came before. */
  explains(text: string, out: string, behind: boolean, before: boolean): boolean {
    const seen = new Set<number>();
    const walk = (at: number, done: number, residue: boolean): boolean => {
      const state = (at * (out.length + 1) + done) * 2 + (residue ? 1 : 0);
      if (seen.has(state)) return false;
      seen.add(state);
      if (at === text.length) return done === out.length;
      const skip = (length: number): boolean => length > 0 && walk(at + length, done, residue);
      if (this.headers?.lengths(text, at, behind).some(skip)) return true;
      if (residue && this.residue(text, at, before).some(skip)) return true;
      if (text[at] === out[done] && walk(at + 1, done + 1, false)) return true;
      if (this.anywhere.some((marker) => text.startsWith(marker, at) && skip(marker.length))) return true;
      if (this.emptySections(text, at).some(skip)) return true;
      if (at === 0 && this.rests.some((rest) => text.startsWith(rest) && skip(rest.length))) return true;
      const stops =
        this.stops.some((stop) => text.startsWith(stop, at)) ||
        (at === 0 && this.rests.some((rest) => text.startsWith(rest)));
      if (stops && done === out.length) return true;
      // the fence around the calls
      const fence = !behind && before && done === out.length ? /^\s*```[^\n`]*\n\s*/.exec(text.slice(at)) : null;
      return fence !== null && skip(fence[0].length);
    };
    return walk(0, 0, behind);
  }

  /** Lengths of what may belong to the call before. */
  private residue(text: string, at: number, before: boolean): number[] {
    const blanks = /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    const from = at + blanks;
    const found = this.closers
      .filter((closer) => text.startsWith(closer, from))
      .map((closer) => blanks + closer.length);
    if ("}]".includes(text[from] ?? " ")) found.push(blanks + 1);
    // between the elements of a list
    const comma = /^\s*,\s*/.exec(text.slice(at));
    if (comma !== null) found.push(comma[0].length);
    if (this.lists && from === text.length) found.push(blanks);
    if (text.startsWith("```", from)) found.push(blanks + 3);
    const rest = text.slice(from);
    if (rest !== "" && ["```", ...this.closers].some((closer) => closer.startsWith(rest)))
      found.push(blanks + rest.length);
    // between two calls of one wrapper
    if (before && from === text.length) found.push(blanks);
    return found;
  }
}

// --- law 4

/** The deltas are the arguments, as compact JSON; those of a rejected call are the beginning of some JSON text. */
export function argumentsFault(subject: Subject, { text, options }: Output): Fault {
  const { events } = subject([text], options);
  const malformed = eventFault(events);
  if (malformed !== null) return malformed;
  const deltas = new Map<number, string>();
  for (const event of events) {
    if (event.type === "tool-input-delta") deltas.set(event.index, (deltas.get(event.index) ?? "") + event.delta);
    if (event.type !== "tool-call" && event.type !== "tool-call-rejected") continue;
    const { call } = event;
    const sent = deltas.get(call.index) ?? "";
    if (event.type === "tool-call") {
      if (sent !== call.argumentsText) return `argumentsText ${show(call.argumentsText)}, deltas ${show(sent)}`;
      if (!isDeepStrictEqual(call.arguments, JSON.parse(sent))) return `arguments ${show(call.arguments)} of ${sent}`;
    }
    if (!isJsonPrefix(sent)) return `the deltas ${show(sent)} begin no JSON text`;
    if (!isJsonPrefix(call.argumentsText)) return `argumentsText ${show(call.argumentsText)} begins no JSON text`;
    const structure = sent.replace(/"(?:[^"\\]|\\.)*("|\\?$)/gs, "");
    if (/\s/.test(structure)) return `blanks between the tokens of ${show(sent)}`;
  }
  return null;
}

/** By the oracle: a streaming parser that throws at the first character that cannot be. */
export function isJsonPrefix(text: string): boolean {
  if (text === "") return true;
  const parser = new JSONParser();
  let valid = true;
  parser.onValue = () => {};
  parser.onError = () => {
    valid = false;
  };
  try {
    parser.write(text);
  } catch {
    valid = false;
  }
  return valid;
}

/** Under `coerce` a call's arguments are the coerced raw ones; coercing them again changes nothing. */
export function coercionFault(subject: Subject, text: string, options: RunOptions, tools: Scene["tools"]): Fault {
  const raw = allCalls(resultOf(subject, text, { ...options, tools, validation: "none" }));
  const coerced = resultOf(subject, text, { ...options, tools, validation: "coerce" });
  const strict = resultOf(subject, text, { ...options, tools, validation: "strict" });
  if (allCalls(coerced).length !== raw.length) return `${raw.length} calls, ${allCalls(coerced).length} under coerce`;
  for (const { index, name, arguments: args } of raw) {
    const tool = tools.find((given) => given.name === name);
    if (tool === undefined || args === null) continue;
    const schema = tool.parameters as ParametersSchema;
    const expected = validateArguments(args, schema, { profile: "coerce" });
    const call = coerced.calls.find((given) => given.index === index);
    if ((call !== undefined) !== expected.ok)
      return `call ${index}: ${show(expected)}, but ${show(call ?? coerced.rejected)}`;
    if (call !== undefined && expected.ok) {
      if (!isDeepStrictEqual(call.arguments, expected.value))
        return `${show(call.arguments)}, not ${show(expected.value)}`;
      const again = validateArguments(call.arguments, schema, { profile: "coerce" });
      if (!again.ok || !isDeepStrictEqual(again.value, call.arguments)) return `coerced again: ${show(again)}`;
    }
    const exact = validateArguments(args, schema, { profile: "strict" });
    const taken = strict.calls.find((given) => given.index === index);
    if ((taken !== undefined) !== exact.ok)
      return `strict, call ${index}: ${show(exact)}, but ${show(taken ?? strict.rejected)}`;
    if (taken !== undefined && !isDeepStrictEqual(taken.arguments, args))
      return `strict: ${show(taken.arguments)}, not ${show(args)}`;
  }
  return null;
}

/** What is sent of arguments is what was written, without blanks: strings and numbers verbatim. */
export function verbatimFault(subject: Subject, { turn, text, tools }: Written, options: RunOptions): Fault {
  const received = resultOf(subject, text, { ...options, tools }).calls.map(({ argumentsText }) => argumentsText);
  const expected = turn.calls.map((call) => JSON.stringify(call.arguments));
  return isDeepStrictEqual(received, expected) ? null : `${show(received)}\ninstead of ${show(expected)}`;
}

// --- law 5

/** A turn, and the text that the format wrote for it. */
export interface Written {
  turn: Scene["turn"];
  text: string;
  tools: Scene["tools"] | undefined;
}

/** What the format wrote comes back. */
export function roundTripFault(subject: Subject, { turn, text, tools }: Written, options: RunOptions): Fault {
  const { events, result } = subject([text], { ...options, tools });
  const malformed = eventFault(events);
  if (malformed !== null) return malformed;
  const { content, reasoning, calls, rejected } = result as ParseResult;
  const received = {
    content: content.trim(),
    reasoning: reasoning.trim(),
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    rejected,
  };
  const expected = { content: turn.content.trim(), reasoning: turn.reasoning.trim(), calls: turn.calls, rejected: [] };
  return isDeepStrictEqual(received, expected) ? null : `${show(received)}\ninstead of ${show(expected)}`;
}

// --- law 6

/** Truncation is never completion. For a clean text it is known what stands at each cut. */
export function truncationFault(subject: Subject, text: string, options: RunOptions): Fault {
  const whole = resultOf(subject, text, { ...options, finished: true });
  for (const length of lengths(text)) {
    const prefix = text.slice(0, length);
    const cut = resultOf(subject, prefix, { ...options, finished: false });
    const complete = whole.calls.filter(({ end }) => end <= length);
    if (!isDeepStrictEqual(cut.calls, complete)) return `${show(prefix)}: ${show(cut.calls)}, not ${show(complete)}`;
    const natural = resultOf(subject, prefix, { ...options, finished: true });
    const stand = natural.calls.slice(0, complete.length);
    if (!isDeepStrictEqual(stand, complete)) return `${show(prefix)}, finished: ${show(stand)}, not ${show(complete)}`;
    const invented = natural.calls.slice(complete.length).find(({ repairs }) => repairs.length === 0);
    if (invented !== undefined) return `${show(prefix)}, finished: ${show(invented)} without a repair`;
    const fault = endFault(cut, natural, length);
    if (fault !== null) return `${show(prefix)}: ${fault}`;
  }
  return null;
}

/** What holds for every text: `truncated` means cut off, and a cut completes nothing. */
export function cutFault(subject: Subject, { text, options }: Output): Fault {
  const cut = resultOf(subject, text, { ...options, finished: false });
  const natural = resultOf(subject, text, { ...options, finished: true });
  return endFault(cut, natural, text.length);
}

function endFault(cut: ParseResult, natural: ParseResult, length: number): Fault {
  if (cut.finish !== "truncated") return `finish ${cut.finish} at a cut`;
  const completed = cut.calls.find(
    ({ end, repairs }) => end === length && repairs.some(({ kind }) => completing.has(kind)),
  );
  if (completed !== undefined) return `completed at a cut: ${show(completed)}`;
  const expected = natural.calls.length > 0 ? "tool-calls" : "stop";
  if (natural.finish !== expected) return `finish ${natural.finish}, not ${expected}`;
  const truncated = natural.rejected.find(({ problems }) => problems.some(({ kind }) => kind === "truncated"));
  return truncated === undefined ? null : `truncated, though finished: ${show(truncated)}`;
}

const completing: ReadonlySet<string> = new Set(["missing-bracket", "missing-closer"]);

// --- law 7

/** Clean text needs no repair. */
export function repairFault(subject: Subject, text: string, options: RunOptions): Fault {
  const repairing = resultOf(subject, text, { ...options, repair: true });
  const plain = resultOf(subject, text, { ...options, repair: false });
  if (!isDeepStrictEqual(repairing, plain)) return `${show(repairing)}\nwith repair, ${show(plain)}\nwithout`;
  const repaired = repairing.calls.find(({ repairs }) => repairs.length > 0);
  return repaired === undefined ? null : `repaired: ${show(repaired)}`;
}

// --- law 9

/** One bad call harms no other: the others come out as if it were not there, and so does the text. */
export function siblingsFault(subject: Subject, { pieces, at, broken }: BrokenReply, options: RunOptions): Fault {
  const before = pieces.slice(0, at).join("");
  const behind = pieces.slice(at + 1).join("");
  const result = resultOf(subject, before + broken + behind, options);
  const end = before.length + broken.length;
  const first = resultOf(subject, before, options);
  const last = resultOf(subject, behind, options);
  const harmed =
    differ(
      outline(result, (call) => call.end <= before.length, 0),
      outline(first, () => true, 0),
    ) ??
    differ(
      outline(result, (call) => call.start >= end, end),
      outline(last, () => true, 0),
    );
  if (harmed !== null) return `beside ${show(broken)} ${harmed}: ${show(result)}`;
  // blanks around a call are content, inside its wrapper they are not: law 3 sees to them
  const [content, expected] = [result.content, first.content + last.content].map((text) => text.replace(/\s+/g, ""));
  return content === expected ? null : `content ${show(content)}, not ${show(expected)}`;
}

function differ(received: unknown, expected: unknown): Fault {
  return isDeepStrictEqual(received, expected) ? null : `came ${show(received)}, not ${show(expected)}`;
}

function outline(
  result: ParseResult,
  keep: (call: { start: number; end: number }) => boolean,
  offset: number,
): unknown {
  return allCalls(result)
    .filter(keep)
    .map(({ name, arguments: args, argumentsText, start, end }) => ({
      name,
      args,
      argumentsText,
      start: start - offset,
      end: end - offset,
    }));
}

// --- law 10

/** An early problem is a final one, and no invalid call is among `calls`. */
export function problemFault(subject: Subject, { text, options }: Output, tools: Scene["tools"]): Fault {
  const { events, result } = subject([text], { ...options, tools, validation: "coerce" });
  for (const event of events) {
    if (event.type !== "tool-problem") continue;
    const call = (result as ParseResult).rejected.find(({ index }) => index === event.index);
    if (call === undefined) return `the problem ${show(event.problem)} of a call that is not rejected`;
    if (!call.problems.some((problem) => isDeepStrictEqual(problem, event.problem)))
      return `${show(event.problem)} was taken back`;
  }
  for (const { name, arguments: args } of (result as ParseResult).calls) {
    const tool = tools.find((given) => given.name === name);
    if (tool === undefined) return `a call of ${show(name)}, which is no tool`;
    const valid = validateArguments(args, tool.parameters as ParametersSchema, { profile: "strict" });
    if (!valid.ok) return `${show(args)} among the calls: ${show(valid.problems)}`;
  }
  return null;
}
