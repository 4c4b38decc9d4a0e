import { Argument } from "../argument.ts";
import { Call, type Calls } from "../calls.ts";
import type { Reading } from "../format.ts";
import { BLANKS, type Input, type Waiting } from "../input.ts";
import { declaresProperty } from "../schema/declared.ts";
import { jsonArguments, ranOut } from "./arguments.ts";
import { resyncAt } from "./ends.ts";
import { objectCall } from "./json-in-tags.ts";
import { endsName, hasKey, type KeyValueTags, NAME_LENGTH, type Pair, PairValue, strangeOpener } from "./pair-value.ts";

export type { KeyValueTags } from "./pair-value.ts";

const OBJECT = 0x7b;

const NO_CALL = 0;
const CALL = 1;
/** The call did not end, and the input is back at a call that begins inside it. */
const WENT_BACK = 2;
/** The call goes on. */
const MORE = 3;

/**
 * Behind a call's opener, or that of the section around the calls:
 * `<tool_call>|tide_level<arg_key>port</arg_key><arg_value>Oban</arg_value></tool_call>`.
 */
export function keyValueCalls(tags: KeyValueTags): Reading {
  const { call, section } = tags;
  return function* (input, calls, opener, from) {
    const inSection = opener === section?.open;
    if (inSection) {
      yield* input.space();
      if (!(yield* input.take(call.open))) return cutInMark(input, calls, from, [call.open]);
    }
    let read = false;
    for (let start = from; ; ) {
      const behind = start;
      const json = inSection && (yield* objectCall(input, calls, start));
      const outcome = json ? CALL : yield* oneCall(input, calls, tags, start);
      if (outcome === NO_CALL && read) input.back(behind);
      if (outcome !== NO_CALL) read = true;
      if (outcome !== CALL || section === undefined) return read;
      const end = input.offset;
      do yield* input.space();
      while (yield* input.take(call.close));
      start = input.offset;
      if (yield* input.take(call.open)) continue;
      // behind a call it may as well be half of a closer, which is dropped
      const half = inSection && !input.endsInPartOf([call.close, section.close]) && input.endsInPartOf([call.open]);
      if (half && calls.cut(start)) return true;
      input.back(end);
      return true;
    }
  };
}

function* oneCall(input: Input, calls: Calls, tags: KeyValueTags, from: number): Waiting<number> {
  yield* input.space();
  const nameFrom = input.offset;
  while (input.offset - nameFrom < NAME_LENGTH) {
    const code = yield* input.peek();
    if (code === -1 || endsName(code)) break;
    input.pos++;
  }
  const name = input.slice(nameFrom, input.offset);
  yield* input.space();
  const pairs = new Pairs(input, calls, tags);
  if (name === "" || !(yield* pairs.begins(name))) {
    return cutInMark(input, calls, from, marksOf(tags)) ? CALL : NO_CALL;
  }
  const call = calls.begin(from);
  call.named(Call.nameFor(calls, name));
  return yield* pairs.read(call);
}

/** What may stand between the values of a call. */
function marksOf({ key, value, call, separator }: KeyValueTags): string[] {
  return [key.open, value.open, call.open, call.close, ...(separator === undefined ? [] : [separator])];
}

/** Was the output cut off here, or in one of these marks? Then it was the beginning of a call. */
function cutInMark(input: Input, calls: Calls, from: number, marks: readonly string[]): boolean {
  if (!input.ended || input.finished) return false;
  if (input.pos !== input.text.length && !input.endsInPartOf(marks)) return false;
  input.pos = input.text.length;
  return calls.cut(from);
}

/** The body of one call: pairs of keys and values up to its closer. */
class Pairs {
  private readonly input: Input;
  private readonly calls: Calls;
  private readonly tags: KeyValueTags;
  private call!: Call;
  private readonly given = new Set<string>();
  /** What a value means depends on other values of the call: it is settled when all have come. */
  private held = false;

  constructor(input: Input, calls: Calls, tags: KeyValueTags) {
    this.input = input;
    this.calls = calls;
    this.tags = tags;
  }

  private get repair(): boolean {
    return this.calls.rules.repair;
  }

  /** Does the output end here, or in half of one of the format's tags? */
  private *endsInHalf(): Waiting<boolean> {
    return !(yield* this.input.more()) || this.input.endsInPartOf(marksOf(this.tags));
  }

  /** What stands behind a name, `<tool_call>tide_level|`, says whether it was one. */
  *begins(name: string): Waiting<boolean> {
    const { input, calls, tags } = this;
    const { key, value, call, separator } = tags;
    for (const tag of [key.open, call.close, separator]) if (tag !== undefined && (yield* input.at(tag))) return true;
    if ((yield* input.peek()) === OBJECT) return this.repair || tags.json === true;
    const tool = calls.rules.tools?.get(name);
    if (!this.repair || tool === undefined) return false;
    for (const tag of [value.open, value.close, call.open]) if (yield* input.at(tag)) return true;
    if (!(yield* input.more()) || (yield* this.endsHere())) return input.finished || input.pos !== input.text.length;
    const lost = yield* this.keyWithoutOpener();
    return lost !== null && declaresProperty(tool.node, lost);
  }

  *read(call: Call): Waiting<number> {
    const { input, calls, tags } = this;
    this.call = call;
    // 0x7b: the arguments as a whole are an object
    if (calls.rules.coerces && call.tool?.node.holds(OBJECT) === true) {
      this.held = true;
      call.hold();
    }
    if (tags.separator !== undefined) yield* input.take(tags.separator);
    for (;;) {
      const behind = input.offset;
      yield* input.space();
      if (yield* input.take(tags.call.close)) return this.complete(input.offset);
      let outcome = MORE;
      if (yield* input.take(tags.key.open)) {
        outcome = yield* this.pair(yield* this.key());
      } else if (this.given.size === 0 && (yield* input.peek()) === OBJECT && (this.repair || tags.json === true)) {
        return yield* this.object();
      } else if (this.repair && (yield* input.take(tags.value.close))) {
        call.repair("surplus-tag", input.offset - tags.value.close.length);
      } else if (!(yield* input.more())) {
        return this.unclosed(behind);
      } else {
        const lost = yield* this.lostOpener();
        if (lost !== null) outcome = yield* this.pair(lost);
        else if (yield* this.endsHere()) return this.unclosed(behind);
        else return yield* this.broken("Expected a key.", input.offset);
      }
      if (outcome !== MORE) return outcome;
    }
  }

  /** `tide_level|{"port": "Oban"}`: the arguments as one JSON value. */
  private *object(): Waiting<number> {
    const { input, calls, tags, call } = this;
    if (tags.json !== true) call.repair("near-miss-tag", input.offset);
    yield* jsonArguments(input, calls, call);
    const end = input.offset;
    yield* input.space();
    if (!(yield* input.take(tags.call.close))) input.back(end);
    return CALL;
  }

  /** `<arg_key>|port</arg_key>`. A key that does not end is null. */
  private *key(): Waiting<string | null> {
    const { input, tags } = this;
    const close = tags.key.close ?? tags.value.open;
    yield* input.space();
    while (this.repair && (yield* input.take(tags.key.open))) {
      this.call.repair("surplus-tag", input.offset - tags.key.open.length);
      yield* input.space();
    }
    const from = input.offset;
    while (input.offset - from < NAME_LENGTH) {
      const code = yield* input.peek();
      if (code === -1) return null;
      if (code === 0x3c) {
        if (yield* input.at(close)) {
          const key = input.slice(from, input.offset).trim();
          if (tags.key.close !== undefined) input.pos += close.length;
          return key === "" ? null : key;
        }
        const { key, value, call } = tags;
        for (const tag of [key.open, value.open, value.close, call.open, call.close]) {
          if (yield* input.at(tag)) return null;
        }
      }
      input.pos++;
    }
    return null;
  }

  /** `</arg_key>|<arg_value>`, perhaps with `\\n` before it, as two characters. */
  private *valueOpens(): Waiting<boolean> {
    const { input, tags, call } = this;
    const from = input.offset;
    while (this.repair && (yield* input.take("\\n"))) yield* input.space();
    const strayed = input.offset > from;
    const opened = yield* input.take(tags.value.open);
    if (strayed && opened) call.repair("stray-escape", from);
    else if (strayed) input.back(from);
    return opened;
  }

  /** A declared key whose opener is missing, `|port</arg_key>`, or is that of a call: `|<tool_call>port</arg_key>`. */
  private *lostOpener(): Waiting<string | null> {
    const { input, tags, call } = this;
    if (!this.repair || call.tool === undefined) return null;
    const from = input.offset;
    yield* input.take(tags.call.open);
    const key = yield* this.keyWithoutOpener();
    if (key === null || !hasKey(call, key)) {
      input.back(from);
      return null;
    }
    input.pos += key.length + (tags.key.close as string).length;
    call.repair("near-miss-tag", from);
    return key;
  }

  /** A word with a key's closer behind it; nothing is read. */
  private *keyWithoutOpener(): Waiting<string | null> {
    const { input, tags } = this;
    if (tags.key.close === undefined) return null;
    const from = input.offset;
    let key: string | null = null;
    while (input.offset - from < NAME_LENGTH) {
      const code = yield* input.peek();
      if (code === 0x3c && input.offset > from && (yield* input.at(tags.key.close))) {
        key = input.slice(from, input.offset);
      }
      if (code === -1 || endsName(code)) break;
      input.pos++;
    }
    input.back(from);
    return key;
  }

  /** Behind a key: `|<arg_value>Oban</arg_value>`. */
  private *pair(key: string | null): Waiting<number> {
    const { input, calls, call, tags, given } = this;
    if (key === null) {
      if (yield* this.endsInHalf()) return yield* this.open("The output ends inside a key.", null);
      return yield* this.broken("A key does not end.", input.offset);
    }
    yield* input.space();
    while (this.repair && tags.key.close !== undefined && (yield* input.take(tags.key.close))) {
      call.repair("surplus-tag", input.offset - tags.key.close.length);
      yield* input.space();
    }
    const wire = yield* this.type();
    yield* input.space();
    const opened = yield* this.valueOpens();
    if (!opened) {
      if (yield* this.endsInHalf()) return yield* this.open("The output ends behind a key.", null);
      const empty = (yield* input.at(tags.key.open)) || (yield* input.at(tags.call.close)) || (yield* this.endsHere());
      if (!this.repair || empty) return yield* this.broken(`${JSON.stringify(key)} has no value.`, input.offset);
      call.repair("near-miss-tag", input.offset);
      yield* this.strangeOpener();
    }
    const argument = new Argument(call, calls, key, wire);
    // without its opener a value is one only if it has its closer
    if (!opened) argument.pause();
    const value = new PairValue(tags, { call, calls, argument, key, given });
    yield* input.run(value);
    if (value.outcome === "open") return yield* this.open("The output ends inside a value.", value.resume);
    if (value.outcome === "missing-closer" && !opened) {
      return yield* this.broken(`The value of ${JSON.stringify(key)} has no tags.`, input.offset);
    }
    if (value.outcome !== "closed") call.repair("near-miss-tag", input.offset);
    argument.end();
    given.add(key);
    return MORE;
  }

  /** `|<arg_val>Oban</arg_value>`: the opener is not as it should be, but is no text. */
  private *strangeOpener(): Waiting<void> {
    const { input } = this;
    const begin = strangeOpener(this.tags);
    const from = input.offset;
    if (begin === undefined || !(yield* input.take(begin))) return;
    while (input.offset - from < BLANKS) {
      const code = yield* input.peek();
      if (code === -1 || code === 0x3c) break;
      input.pos++;
      if (code === 0x3e) return;
    }
    input.back(from);
  }

  /** `|<ifm|arg_type>integer</ifm|arg_type>`: a type that is written wins. */
  private *type(): Waiting<"text" | "json" | undefined> {
    const { input, tags } = this;
    if (tags.type === undefined || !(yield* input.take(tags.type.open))) return undefined;
    const from = input.offset;
    for (let length = 0; length < BLANKS; length++) {
      if (yield* input.at(tags.type.close)) {
        const type = input.slice(from, input.offset).trim();
        input.pos += tags.type.close.length;
        return type === "string" ? "text" : "json";
      }
      if (!(yield* input.more())) break;
      input.pos++;
    }
    return undefined;
  }

  /** A closer of the format, the next call, an end-of-turn token, or half of a closer at the end. */
  private *endsHere(): Waiting<boolean> {
    const { input, calls, tags } = this;
    for (;;) {
      const here = calls.rules.ends.at(input.text, input.pos, input.ended);
      if (here < 0) yield;
      else return here === 1 || input.endsInPartOf(input.finished ? [tags.call.close, tags.call.open] : marksOf(tags));
    }
  }

  /** All values are complete, only the closer is missing. */
  private unclosed(end: number): number {
    const { input, call, tags } = this;
    if (input.endsInPartOf(input.finished ? [tags.call.close] : marksOf(tags))) input.pos = input.text.length;
    if (ranOut(input)) {
      call.fail("truncated", "The output was cut off before the end of the call.", input.offset);
    } else if (!this.repair) {
      call.fail("invalid-arguments", `${tags.call.close} is missing.`, input.offset);
    } else {
      call.repair("missing-closer", end);
      if (input.pos !== input.text.length || !input.ended) input.back(end);
    }
    return this.complete(input.offset);
  }

  private complete(end: number): number {
    const { call } = this;
    if (!call.broken) {
      call.closeMembers();
      if (this.held) call.recast((json) => JSON.stringify(call.node.coerce(JSON.parse(json))));
    }
    call.end(end);
    return CALL;
  }

  /** The output ends, and something is still open. `resume`: where a whole call begins inside it. */
  private *open(message: string, resume: number | null): Waiting<number> {
    const { input, call } = this;
    const back = resume !== null && input.finished && input.mayGoBack;
    if (!back) input.pos = input.text.length;
    if (!input.finished) call.fail("truncated", message, input.offset);
    else call.fail("invalid-arguments", message, resume ?? input.offset);
    call.end(back ? (resume as number) : input.offset);
    if (!back) return CALL;
    input.back(resume as number);
    return WENT_BACK;
  }

  /** Something is wrong: reading goes on behind the call's closer. */
  private *broken(message: string, offset: number): Waiting<number> {
    const { input, calls, call, tags } = this;
    call.fail("invalid-arguments", message, offset);
    yield* resyncAt(input, calls.rules.ends, [tags.call.close]);
    yield* input.take(tags.call.close);
    call.end(input.offset);
    return CALL;
  }
}

/** What the chat template writes behind the parts of a call. */
export interface KeyValueLayout {
  name: string;
  key: string;
  value: string;
  end?: string;
}

/** Writes a call: strings as they are, everything else as JSON. */
export function writeKeyValue(
  tags: KeyValueTags,
  { name, key, value, end = "" }: KeyValueLayout,
  call: { name: string; arguments: Record<string, unknown> },
): string {
  const pairs = Object.entries(call.arguments).map(([argument, given]) => {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return `${tags.key.open}${argument}${tags.key.close ?? ""}${key}${tags.value.open}${text}${tags.value.close}${value}`;
  });
  return tags.call.open + call.name + (tags.separator ?? "") + name + pairs.join("") + end + tags.call.close;
}

/** The tags of GLM, from which the others differ by what stands around their names: `<tool_call:opensource>`. */
export function argTags(prefix = "", suffix = ""): KeyValueTags & { call: Pair; key: Pair; value: Pair } {
  const pair = (name: string): Pair => ({ open: `<${prefix}${name}${suffix}>`, close: `</${prefix}${name}${suffix}>` });
  return { call: pair("tool_call"), key: pair("arg_key"), value: pair("arg_value"), stem: `</${prefix}arg_` };
}

/** All tags of a notation. */
export function tagsOf({ section, call, separator, key, type, value }: KeyValueTags): string[] {
  const pairs = [section, call, key, type, value].flatMap((pair) =>
    Object.values((pair ?? {}) as Record<string, string>),
  );
  return separator === undefined ? pairs : [...pairs, separator];
}
