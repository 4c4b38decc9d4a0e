import { Call, type Calls } from "../calls.ts";
import type { Bare, Reading } from "../format.ts";
import { FENCE } from "../grammar.ts";
import { type Input, isBlank, type Waiting } from "../input.ts";
import type { Ends } from "../json/reader.ts";
import { jsonArguments } from "./arguments.ts";
import { endsHere, resyncAt } from "./ends.ts";

/** Longest name of a tool. */
const NAME_LENGTH = 256;

/** What a header says. */
export interface Header {
  name: string;
  id?: string;
  /** It departs from what the format writes. */
  nearMiss?: boolean;
}

export interface HeaderOptions {
  /** What stands between the name and the arguments. The first is the usual one; `""`: an object may follow directly. */
  separators: readonly string[];
  /** Marks an id between the name and the separator. */
  id?: string;
  /**
   * Marks what stands before the name: `k3v9x1<|tool_call:name|>|tide_level`. That is the id, or else always this word,
   * which says nothing, and without which it is another notation.
   */
  lead?: { mark: string; word?: string };
  /** Reads a header that holds more than the name. It may hold blanks, and ends at the line's end. */
  header?: (text: string, calls: Calls) => Header;
  /** Words that are no names. */
  reserved?: readonly string[];
  /** The separator is a sign that occurs in other text too: only an object behind it, or nothing at all, makes a call. */
  needsObject?: boolean;
  /** The name stands directly behind the opener. */
  glued?: boolean;
  /** Only a declared name makes a call. */
  needsDeclared?: boolean;
  /** The name of a declared tool makes a call even where the separator is missing. */
  separatorOptional?: boolean;
  /** The format writes a Markdown fence around the object. */
  fence?: boolean;
  /** Nothing and null are no arguments. */
  needsValue?: boolean;
  /** The opener frames a message: what stands behind it is a call, readable or not. */
  certain?: boolean;
}

/** `|tide_level[CALL_ID]000000001[ARGS]{"port": "Oban"}`: a name, perhaps an id, a separator, one JSON value. */
export function headerJson(options: HeaderOptions): Reading {
  const { lead, id: idMark, separatorOptional, certain, needsObject, glued, fence, needsValue } = options;
  const separators = options.separators.filter((separator) => separator !== "");
  const marks = [...separators, ...(idMark ? [idMark] : []), ...(lead ? [lead.mark] : [])];
  const direct = separators.length < options.separators.length;
  const stops = {
    marks: fence ? [...marks, FENCE] : marks,
    object: direct || separatorOptional === true,
    line: options.header !== undefined,
  };

  function* read(input: Input, calls: Calls, opener: string, from: number): Waiting<boolean> {
    const { ends, repair } = calls.rules;
    const outer = separatorOptional || certain || glued ? ends : null;
    if (!glued) yield* input.space();
    let text = yield* word(input, stops, outer);
    let mark = yield* takeMark(input, marks);
    let id = "";
    const led = lead !== undefined && mark === lead.mark;
    if (led) {
      if (lead.word === undefined) id = text;
      else if (text !== lead.word) return false;
      yield* input.space();
      text = yield* word(input, stops, outer);
      mark = yield* takeMark(input, marks);
    }
    if (mark !== null && mark === idMark && text !== "") {
      id = yield* word(input, stops, outer);
      mark = yield* takeMark(input, marks);
    }
    // without an opener only half a separator shows that a call was meant
    if (mark === null && (opener === "" ? input.endsInPartOf(marks) : yield* endsInMarker(input, marks)))
      return calls.cut(from);
    if (text === "" || (lead?.word !== undefined && !led)) return false;
    const header = options.header?.(text, calls) ?? nameIn(text, calls);
    const declared = calls.declares(header.name);
    if (!declared && (options.needsDeclared || options.reserved?.includes(header.name))) return false;
    let lost = false;
    if (needsObject || mark === null) {
      yield* input.space();
      const code = yield* input.peek();
      const object = code === OPEN_OBJECT || (fence === true && (yield* input.at(FENCE)));
      if (mark !== null) {
        if (!object && (code === -1 ? input.finished : !(yield* endsHere(input, ends)))) return false;
      } else if (!direct || !object) {
        const known = declared && ((led && lead.word !== undefined) || (separatorOptional && repair));
        if (!known && input.endsInPartOf(fence ? [FENCE] : [])) return calls.cut(from);
        if (!known || !(led || object || (yield* input.at(FENCE)) || (yield* endsHere(input, ends)))) return false;
        lost = !led;
      }
    }
    const call = calls.begin(from);
    if (header.nearMiss) call.repair("near-miss-name", Math.max(0, from));
    if (lost) call.repair("near-miss-tag", input.offset);
    if (id !== "" || header.id !== undefined) call.identify(header.id ?? id);
    call.named(header.name);
    yield* jsonArguments(input, calls, call, { fence, needsValue });
    if (header.nearMiss && text.endsWith("(")) yield* input.take(")");
    return true;
  }

  return function* (input, calls, opener, from) {
    const body = input.offset;
    if (yield* read(input, calls, opener, from)) return true;
    if (!certain || !input.mayGoBack) return false;
    input.back(body);
    yield* unreadable(input, calls, from, options);
    return true;
  };
}

/** A header that is a name, with blanks or quotes around it that no declared name has. */
function nameIn(text: string, calls: Calls): Header {
  const name = Call.nameFor(calls, text);
  const bare = /^(["'])(.+)\1$/.exec(name)?.[2] ?? /^(.+)\($/.exec(name)?.[1];
  if (bare === undefined || !calls.rules.repair || calls.declares(name) || !calls.knows(bare)) return { name };
  return { name: bare, nearMiss: true };
}

/** The same without its opener: a run of name characters and the separator make a call. */
export function headerWithoutOpener(options: HeaderOptions, onlyFirst = false): Bare {
  const read = headerJson(options);
  return {
    starts: (code) => !isBlank(code),
    onlyFirst,
    read: (input, calls, from) => read(input, calls, "", from),
  };
}

/** What stands behind an opener that frames a message, but is no call: rejected, with a name if it begins with one. */
function* unreadable(input: Input, calls: Calls, from: number, options: HeaderOptions): Waiting<void> {
  const { ends } = calls.rules;
  yield* input.space();
  const text = yield* word(input, { marks: options.separators, object: true, line: false }, ends);
  const { name } = options.header?.(text, calls) ?? { name: text };
  const call = calls.begin(from);
  if (calls.declares(name)) call.named(name);
  call.fail("invalid-arguments", "The name of a tool and its arguments must follow.", input.offset);
  yield* resyncAt(input, ends, []);
  call.end(input.offset);
}

/** A mark, before or behind white space: a line break may be one itself. */
function* takeMark(input: Input, marks: readonly string[]): Waiting<string | null> {
  const mark = yield* input.takeOne(marks);
  if (mark !== null) return mark;
  yield* input.space();
  return yield* input.takeOne(marks);
}

/** Nothing more comes, or only half a marker. */
function* endsInMarker(input: Input, marks: readonly string[]): Waiting<boolean> {
  return !(yield* input.more()) || input.endsInPartOf(marks);
}

const OPEN_OBJECT = 0x7b;
const NEWLINE = 0x0a;

/** Where a word ends. */
interface Stops {
  marks: readonly string[];
  /** At the start of an object. */
  object: boolean;
  /** At the end of the line, not at each blank. */
  line: boolean;
}

/** A run of characters that are neither blank nor the start of what stands behind a name. */
function* word(input: Input, { marks, object, line }: Stops, ends: Ends | null): Waiting<string> {
  const from = input.offset;
  while (input.offset - from < NAME_LENGTH) {
    const code = yield* input.peek();
    if (code === -1 || (line ? code === NEWLINE : isBlank(code)) || (object && code === OPEN_OBJECT)) break;
    let marked = false;
    for (const mark of marks) marked ||= mark.charCodeAt(0) === code && (yield* input.at(mark));
    if (marked || (ends?.first.includes(input.text[input.pos] as string) && (yield* endsHere(input, ends)))) break;
    input.pos++;
  }
  return input.slice(from, input.offset).trim();
}
