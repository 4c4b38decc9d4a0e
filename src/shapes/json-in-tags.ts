import type { Calls } from "../calls.ts";
import type { Bare, Reading } from "../format.ts";
import { FENCE } from "../grammar.ts";
import type { Input, Waiting } from "../input.ts";
import { dropFenceEnd, takeFence } from "./arguments.ts";
import { type EnvelopeOptions, envelopes, rejectNameless } from "./envelope.ts";

export interface JsonInTagsOptions extends Pick<EnvelopeOptions, "idLast" | "nameIsKey" | "row" | "python"> {
  /** Markers of which one stands between the opener and the JSON: `<|action_start|>|<|plugin|>{…}`. */
  second?: readonly string[];
  /** The opener ends with the bracket of the list: `functools[|{…}]`. */
  opensList?: boolean;
  /** The JSON stands in a Markdown fence, which is part of the marker. */
  fence?: boolean;
  /** What may stand between two objects that are not in a list; a comma if nothing is said. */
  separator?: string;
}

/**
 * JSON behind an opener: `<tool_call>|{"name": "tide_level", "arguments": {"port": "Oban"}}</tool_call>`.
 * One object, a list of them, or several glued, on lines, or with a comma between. The object is the call; the closer is
 * residue that the outline drops.
 */
export function jsonInTags(options: JsonInTagsOptions = {}): Reading {
  const { second, opensList, fence = false, separator = "," } = options;
  return function* (input, calls, _opener, from) {
    let read = false;
    let fenced = false;
    let start = from;
    if (opensList) input.pos--;
    if (second !== undefined) {
      yield* input.space();
      if ((yield* input.takeOne(second)) === null && input.endsInPartOf(second)) return calls.cut(from);
    }
    for (;;) {
      yield* input.space();
      if ((fence || calls.rules.repair) && (yield* takeFence(input))) fenced = true;
      else if (fence && !read && ((yield* input.peek()) === -1 || input.endsInPartOf([FENCE]))) return calls.cut(from);
      else if (fence && !read) return false;
      const first = yield* input.peek();
      if (first === -1 && !read) return calls.cut(from);
      if (first !== 0x7b && first !== 0x5b) break;
      const object = input.offset;
      if (yield* envelopes(input, calls, start, options)) read = true;
      else if (!options.row || (yield* input.peek()) === -1) break;
      else if (read) rejectNameless(calls, object, input.offset);
      if (fenced) {
        yield* dropFenceEnd(input, calls.rules.repair);
        fenced = false;
      }
      // the first call begins at the marker, with what stands before it
      if (read) start = input.offset;
      yield* input.space();
      if (yield* input.take(separator)) yield* input.space();
      if ((yield* input.peek()) !== 0x7b) break;
    }
    if (read) input.back(start);
    return read;
  };
}

/** The same for one object where a call of other notation may stand. */
export function* objectCall(input: Input, calls: Calls, from: number): Waiting<boolean> {
  const start = input.offset;
  yield* input.space();
  if ((yield* input.peek()) === OBJECT && (yield* envelopes(input, calls, from, {}))) return true;
  input.back(start);
  return false;
}

/** The first token of a marker was lost, or stands in the prompt: `|function call<|role_sep|>{…}` begins the message. */
export function lostToken(rest: string, readings: readonly Reading[]): Bare {
  return {
    starts: (code) => code === rest.charCodeAt(0),
    onlyFirst: true,
    read: function* (input, calls, from, first) {
      if (!first || !calls.rules.repair || !(yield* input.take(rest))) return false;
      const behind = input.offset;
      let read = false;
      for (const reading of readings) {
        input.back(behind);
        calls.lost = { kind: "missing-opener", offset: Math.max(0, from) };
        read = yield* reading(input, calls, rest, from);
        if (read) break;
      }
      calls.lost = null;
      return read;
    },
  };
}

/** The word that some models put before a list: an ordinary one, and a marker only together with the bracket. */
export const functools: Readonly<Record<string, Reading>> = Object.fromEntries(
  ["", " ", "\n"].map((blank) => [`functools${blank}[`, jsonInTags({ opensList: true })]),
);

const OBJECT = 0x7b;
const LIST = 0x5b;

/** Objects, or lists of them, without any marker: a call only where the object says so itself. */
export function bareObjects(options: { separator?: string } = {}): Bare {
  const { separator } = options;
  return {
    starts: (code) => code === OBJECT || code === LIST,
    read: function* (input, calls, from, first) {
      if (calls.rules.tools?.names.length === 0) return false;
      if (!(yield* envelopes(input, calls, from, { bare: true, first }))) return false;
      while (separator !== undefined) {
        const end = input.offset;
        yield* input.space();
        const more = (yield* input.take(separator)) || (calls.rules.repair && (yield* input.take(",")));
        yield* input.space();
        if (!more || (yield* input.peek()) !== OBJECT || !(yield* envelopes(input, calls, end, { bare: true }))) {
          input.back(end);
          break;
        }
      }
      return true;
    },
  };
}

/** The marker was stripped: a message that *is* a list of calls. */
export function bareList(options: Pick<EnvelopeOptions, "idLast" | "python"> = {}): Bare {
  return {
    starts: (code) => code === LIST,
    onlyFirst: true,
    read: function* (input, calls, from, first) {
      if (!first || !calls.rules.repair || (calls.rules.tools?.names.length ?? 0) === 0) return false;
      return yield* envelopes(input, calls, from, { ...options, bare: true, lostOpener: true });
    },
  };
}

/**
 * The opener was lost: an object at the start of a line is a call if the orphaned closer follows it, or if it is the whole
 * message. It is read to its end before it is decided. `alsoLists`: so is a list of them, and what a Markdown fence holds.
 */
export function orphan(closers: string | readonly string[], options: { alsoLists?: boolean } = {}): Bare {
  const all = [closers].flat();
  const ends = options.alsoLists ? [...all, FENCE] : all;
  return {
    starts: (code) => code === OBJECT || (code === LIST && options.alsoLists === true),
    read: function* (input, calls, from, first) {
      if (!calls.rules.repair || (calls.rules.tools?.names.length ?? 0) === 0) return false;
      const dry = calls.dry();
      if (!(yield* run(input, dry, from, { bare: true, first })) || dry.completed === 0) return false;
      yield* input.space();
      const closer = yield* input.takeOne(first ? ends : all);
      if (closer === null && !(first && (yield* endsMessage(input)))) return false;
      input.back(from);
      return yield* run(input, calls, from, { bare: true, first, lostOpener: true });
    },
  };
}

/** Is this the end of the message, but for the end of a Markdown fence around it? */
function* endsMessage(input: Input): Waiting<boolean> {
  if (yield* input.take(FENCE)) yield* input.space();
  return (yield* input.peek()) === -1 || input.endsInPartOf([FENCE]);
}

/** Objects, or lists of them, one behind the other. */
function* run(input: Input, calls: Calls, from: number, options: EnvelopeOptions): Waiting<boolean> {
  let end = from;
  for (let code = OBJECT; code === OBJECT || code === LIST; code = yield* input.peek()) {
    if (!(yield* envelopes(input, calls, input.offset, options))) break;
    end = input.offset;
    yield* input.space();
  }
  input.back(end);
  return end > from;
}
