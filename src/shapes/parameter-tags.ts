import { Argument } from "../argument.ts";
import { Call, type Calls } from "../calls.ts";
import type { Reading } from "../format.ts";
import type { Input, Waiting } from "../input.ts";
import type { Ends } from "../json/reader.ts";
import { jsonArguments, ranOut, readJson } from "./arguments.ts";
import { resyncTo } from "./ends.ts";
import { objectCall } from "./json-in-tags.ts";
import { endsName, NAME_LENGTH } from "./pair-value.ts";
import { hasParameter, TaggedValue } from "./tagged-value.ts";
import {
  CALL_CLOSE,
  CALL_OPEN,
  EXACT,
  JSON_CLOSE,
  JSON_OPEN,
  NEAR,
  NONE,
  PARAMETER_CLOSE,
  PARAMETER_GARBLED,
  PARAMETER_OPEN,
  type ParameterTags,
  surely,
  TagScanner,
  TagSet,
  WAIT,
  WRAP_CLOSE,
  WRAP_OPEN,
} from "./tags.ts";

export type { ParameterTags } from "./tags.ts";

/** Behind the wrapper: `<tool_call>|<function=tide_level><parameter=port>Oban</parameter></function></tool_call>`. */
export function wrappedCalls(tags: ParameterTags): Reading {
  const set = new TagSet(tags);
  return (input, calls, _opener, from) => callsIn(input, calls, set, from, false);
}

/** Without the wrapper: `|<function=tide_level>…`. Only a declared name makes it a call; otherwise it is prose. */
export function bareCalls(tags: ParameterTags): Reading {
  const set = new TagSet(tags);
  return function* (input, calls, opener, from) {
    if (!calls.rules.repair) return false;
    input.pos -= opener.length;
    return (yield* oneCall(input, calls, set, from, BARE)) > HALF;
  };
}

/** The same where there is no wrapper: what follows the tag makes a call of any name, and no repair is needed. */
export function ownCalls(tags: ParameterTags): Reading {
  const set = new TagSet(tags);
  return function* (input, calls, opener, from) {
    input.pos -= opener.length;
    return taken(input, calls, from, yield* oneCall(input, calls, set, from, OWN));
  };
}

/**
 * At any of a format's tags that begin with a special token, `<｜DSML｜|tool_calls>…`: the wrapper may be missing or
 * misspelt. Also at its tags without their mark.
 */
export function tokenCalls(tags: ParameterTags): Reading {
  const set = new TagSet(tags);
  return function* (input, calls, opener, from) {
    input.pos -= opener.length;
    const scanner = new TagScanner(set, calls.rules.repair);
    const kind = yield* scanner.next(input);
    const certain = scanner.isToken;
    if (kind === WRAP_OPEN) {
      input.pos = scanner.behind;
      if (certain && (yield* closesAtOnce(input, scanner))) return true;
      return yield* callsIn(input, calls, set, from, !certain, set.marks.length !== 0 && scanner.mark !== 0);
    }
    if (kind === CALL_OPEN) {
      const by = aloneIn(set, certain);
      const read = yield* oneCall(input, calls, set, from, by);
      return by === OWN ? taken(input, calls, from, read) : read > HALF;
    }
    if (!calls.rules.repair || !(yield* misspeltWrapper(input, set, opener))) return false;
    return yield* callsIn(input, calls, set, from, true, true);
  };
}

/** A wrapper without calls: `<｜DSML｜tool_calls>|</｜DSML｜tool_calls>` */
function* closesAtOnce(input: Input, scanner: TagScanner): Waiting<boolean> {
  const from = input.offset;
  yield* input.space();
  const closes = (yield* scanner.next(input)) === WRAP_CLOSE && scanner.mark === 0;
  if (closes) input.pos = scanner.behind;
  else input.back(from);
  return closes;
}

/** What makes a call of an opener without a wrapper. */
function aloneIn(set: TagSet, certain: boolean): number {
  if (!certain) return BARE;
  return set.marks.length === 0 ? OWN : CERTAIN;
}

/** Where an opener is the format's own, a part of one at a cut is part of a call. */
function taken(input: Input, calls: Calls, from: number, read: number): boolean {
  return read > HALF || (read === HALF && cutIn(input, calls, from));
}

/** Longest name of a wrapper that is none. */
const MISSPELT = 32;

/** `|<｜DSML｜toolcalls>`: a tag with its mark and one word. */
function* misspeltWrapper(input: Input, set: TagSet, opener: string): Waiting<boolean> {
  if (!set.marks.some((mark) => opener === set.open + mark)) return false;
  input.pos += opener.length;
  for (let length = 0; length < MISSPELT; length++) {
    const code = yield* input.peek();
    if (code === 0x3e) {
      input.pos++;
      return length > 0;
    }
    if (code === -1 || !/[\w▁]/.test(String.fromCharCode(code))) return false;
    input.pos++;
  }
  return false;
}

/** The calls behind a wrapper. `declared`: only a declared name makes it one. */
function* callsIn(
  input: Input,
  calls: Calls,
  set: TagSet,
  from: number,
  declared: boolean,
  misspelt = false,
): Waiting<boolean> {
  const scanner = new TagScanner(set, calls.rules.repair);
  let start = from;
  let read = false;
  for (;;) {
    const behind = input.offset;
    yield* input.space();
    while (read && calls.rules.repair && (yield* input.take(set.callClose))) yield* input.space();
    if (read) start = input.offset;
    if (!(yield* input.more())) {
      if (!read) return calls.cut(from);
      input.back(behind);
      return true;
    }
    const halfLead = yield* takeLead(input, calls, set);
    if (misspelt && !read) calls.lost = { kind: "near-miss-tag", offset: Math.max(0, from) };
    const json = set.lead.length !== 0 && (yield* objectCall(input, calls, start));
    const by = declared ? STRIPPED : IN_WRAPPER;
    const opened = json ? CALL : halfLead ? HALF : yield* oneCall(input, calls, set, start, by);
    calls.lost = null;
    if (opened <= HALF) {
      if (read && (yield* scanner.next(input)) === WRAP_CLOSE) {
        input.pos = scanner.behind;
        return true;
      }
      // behind a call it may as well be half of a closer, which is dropped
      const residue = read && (halfLead || input.endsInPartOf(set.closers));
      if (opened === HALF && !residue && cutIn(input, calls, start)) return true;
      if (read) input.back(behind);
      return read;
    }
    read = true;
    if (opened === WENT_BACK) return true;
  }
}

/** The output ends in half of a tag, which is part of what was cut off. */
function cutIn(input: Input, calls: Calls, from: number): boolean {
  input.pos = input.text.length;
  return calls.cut(from);
}

/** `|<｜tool_call_begin｜>function<｜tool_sep｜>`: what stands before a call in its wrapper. True: the output ends in it. */
function* takeLead(input: Input, calls: Calls, set: TagSet): Waiting<boolean> {
  const { lead } = set;
  let whole = false;
  for (const literal of lead) {
    whole = yield* input.take(literal);
    if (whole) yield* input.space();
  }
  if (whole && calls.rules.repair) yield* nameBefore(input, calls, set);
  return lead.length !== 0 && (!(yield* input.more()) || input.endsInPartOf(lead));
}

/** `<｜tool_sep｜>|tide_level` and a line break: the name stands before the call's tag too. */
function* nameBefore(input: Input, calls: Calls, set: TagSet): Waiting<void> {
  const from = input.offset;
  while (input.offset - from < NAME_LENGTH && (yield* input.more())) {
    if (endsName(input.text.charCodeAt(input.pos))) break;
    input.pos++;
  }
  if (input.offset === from) return;
  yield* input.space();
  const scanner = new TagScanner(set, true);
  const kind = yield* scanner.next(input);
  if (kind === CALL_OPEN) calls.lost = { kind: "near-miss-tag", offset: from };
  else if (!scanner.ranOut && (yield* input.more())) input.back(from);
}

const NO_CALL = 0;
/** The output ends in what may have become a call. */
const HALF = 1;
const CALL = 2;
/** The call did not end, and the input is back at a call that begins inside it. */
const WENT_BACK = 3;
/** The call goes on. */
const MORE = 4;

/**
 * What makes a call of an opening tag: the wrapper; a declared name in one that is not just as it should be; a declared
 * name alone; what follows the tag, that being a repair or not.
 */
const IN_WRAPPER = 0;
const STRIPPED = 1;
const BARE = 2;
const CERTAIN = 3;
const OWN = 4;

function* oneCall(input: Input, calls: Calls, set: TagSet, from: number, by: number): Waiting<number> {
  const { repair } = calls.rules;
  const scanner = new TagScanner(set, repair);
  const kind = yield* scanner.next(input);
  if (kind !== CALL_OPEN) return scanner.ranOut ? HALF : NO_CALL;
  const marked = scanner.mark >= 0;
  const misspelt = scanner.mark !== 0 && set.marks.length !== 0;
  const named = yield* scanner.named(input, (written, sure) => {
    const known = by === BARE || by === STRIPPED || sure === NEAR ? calls.declares(written) : true;
    return known && (sure === EXACT || repair);
  });
  const { name, sure, selfClosed } = scanner;
  if (!named) return scanner.ranOut ? HALF : NO_CALL;
  if (name === "") return NO_CALL;
  if (by > BARE && !repair && by !== OWN) return NO_CALL;
  const known = sure !== NEAR && calls.declares(name);
  const unsure = sure === NEAR || (by >= BARE && !(known && set.blanks));
  if (unsure && !selfClosed && !(yield* grammarFollows(input, scanner, known))) return NO_CALL;
  const call = calls.begin(from);
  const { nameOf } = set.tags;
  const meant =
    nameOf === undefined || !repair || calls.declares(name) ? name : nameOf(name, (known) => calls.declares(known));
  if (meant !== name) call.repair("near-miss-name", from);
  if (by === BARE || by === CERTAIN) call.repair("missing-opener", from);
  else if (sure !== EXACT || misspelt) call.repair("near-miss-tag", from);
  call.named(Call.nameFor(calls, meant));
  if (selfClosed) {
    call.end(input.offset);
    return CALL;
  }
  return yield* new Parameters(input, calls, scanner, call, marked).read();
}

/**
 * Does a parameter or the call's closer stand here? Behind a name that is declared any tag will do. Where the output
 * ends it may have come; a token or a declared name needs none there.
 */
function* grammarFollows(input: Input, scanner: TagScanner, declared: boolean): Waiting<boolean> {
  const isToken = scanner.isToken;
  const { layout } = scanner.set;
  const from = input.offset;
  yield* input.space();
  const kind = yield* scanner.next(input);
  const code = yield* input.peek();
  const atEnd = input.ended && (declared || isToken || !input.finished) && (scanner.ranOut || code === -1);
  const follows =
    atEnd ||
    code === OBJECT ||
    kind === PARAMETER_OPEN ||
    kind === CALL_CLOSE ||
    kind === JSON_OPEN ||
    (declared ? code === LESS : (yield* input.takeOne(layout)) !== null);
  input.back(from);
  return follows;
}

const LESS = 0x3c;
const OBJECT = 0x7b;
const CDATA = "<![CDATA[";

/** The body of one call: parameters up to its closer. */
class Parameters {
  private readonly input: Input;
  private readonly calls: Calls;
  private readonly scanner: TagScanner;
  private readonly tags: ParameterTags;
  private readonly call: Call;
  private readonly marked: boolean;
  private readonly given = new Set<string>();

  constructor(input: Input, calls: Calls, scanner: TagScanner, call: Call, marked: boolean) {
    this.input = input;
    this.calls = calls;
    this.scanner = scanner;
    this.tags = scanner.set.tags;
    this.call = call;
    this.marked = marked;
  }

  *read(): Waiting<number> {
    const { input, scanner, call } = this;
    const { repair } = this.calls.rules;
    for (;;) {
      const behind = input.offset;
      yield* input.space();
      const kind = yield* scanner.next(input);
      if (kind === CALL_CLOSE) {
        if (!scanner.usual) call.repair("near-miss-tag", input.offset);
        input.pos = scanner.behind;
        return this.complete(input.offset);
      }
      if (kind === PARAMETER_OPEN) {
        const outcome = yield* this.parameter();
        if (outcome !== MORE) return outcome;
      } else if (repair && kind === PARAMETER_CLOSE) {
        call.repair("surplus-tag", input.offset);
        input.pos = scanner.behind;
      } else if (kind === JSON_OPEN && this.given.size === 0 && (yield* scanner.named(input, () => true))) {
        return yield* this.json();
      } else if (repair && this.given.size === 0 && (yield* input.peek()) === OBJECT) {
        call.repair("near-miss-tag", input.offset);
        return yield* this.json();
      } else if (repair && (yield* input.takeOne(scanner.set.layout)) !== null) {
        call.repair("surplus-tag", input.offset);
      } else if (kind === NONE && (yield* this.garbledCloser())) {
        return this.complete(input.offset);
      } else if (scanner.ranOut && (yield* input.more()) && !this.endsInHalfCloser()) {
        input.pos = input.text.length;
        return yield* this.open("The output ends inside a tag.", null);
      } else if (!(yield* input.more()) || (yield* this.endsHere())) {
        return yield* this.unclosed(behind);
      } else {
        return yield* this.broken("Expected a parameter.", input.offset);
      }
    }
  }

  /** `|</｜DSML｜inv>`: behind the values, a closer with a token in it is meant to be the call's. */
  private *garbledCloser(): Waiting<boolean> {
    const { input, call, scanner } = this;
    if (!scanner.hasToken || scanner.ranOut) return false;
    const { closes } = scanner;
    let end = scanner.garbledEnd(input.text, input.pos, input.ended);
    while (end === WAIT) {
      yield;
      end = scanner.garbledEnd(input.text, input.pos, input.ended);
    }
    if (end === NONE || !closes || !this.calls.rules.repair) return false;
    call.repair("near-miss-tag", input.offset);
    input.pos = end;
    return true;
  }

  /** The arguments are one JSON value, and close the call. */
  private *json(): Waiting<number> {
    const { input, scanner } = this;
    yield* jsonArguments(input, this.calls, this.call);
    for (let closers = 0; ; closers++) {
      const end = input.offset;
      yield* input.space();
      const kind = yield* scanner.next(input);
      if ((kind === CALL_CLOSE || kind === JSON_CLOSE) && closers < 2) {
        input.pos = scanner.behind;
      } else {
        if (scanner.ranOut && this.scanner.set.endsInHalf(input.text, input.pos)) input.pos = input.text.length;
        else input.back(end);
        return CALL;
      }
      if (kind === CALL_CLOSE) return CALL;
    }
  }

  /** A wrapper's closer, the next call, an end-of-turn token, or half of a closer at the end. */
  private *endsHere(): Waiting<boolean> {
    const { input, calls, scanner } = this;
    for (;;) {
      const kind = yield* scanner.next(input);
      if (kind !== NONE) return kind !== PARAMETER_GARBLED && kind !== JSON_OPEN;
      if (scanner.hasToken && !scanner.ranOut) return false;
      const here = calls.rules.ends.at(input.text, input.pos, input.ended);
      if (here >= 0) return here === 1 || this.endsInHalfCloser();
      yield;
    }
  }

  private endsInHalfCloser(): boolean {
    const { closers, layout } = this.scanner.set;
    return this.input.endsInPartOf([...closers, ...layout]);
  }

  /** All values are complete, only the closer is missing. */
  private *unclosed(end: number): Waiting<number> {
    const { input, calls, call } = this;
    if (this.endsInHalfCloser()) input.pos = input.text.length;
    if (ranOut(input)) {
      call.fail("truncated", "The output was cut off before the end of the call.", input.offset);
    } else if (!calls.rules.repair) {
      call.fail("invalid-arguments", `${this.scanner.set.callClose} is missing.`, input.offset);
    } else {
      call.repair("missing-closer", end);
    }
    return this.complete(input.offset);
  }

  private complete(end: number): number {
    if (!this.call.broken) this.call.closeMembers();
    this.call.end(end);
    return CALL;
  }

  /** `|<parameter=port>Oban</parameter>` */
  private *parameter(): Waiting<number> {
    const { input, calls, call, scanner, tags, given } = this;
    const { repair } = calls.rules;
    const at = input.offset;
    const { mark } = scanner;
    const strange = this.marked && mark < 0;
    const named = yield* scanner.named(input, (name, sure) =>
      sure === EXACT && !strange ? true : repair && (surely(name, sure) && !strange ? true : hasParameter(call, name)),
    );
    const { name, sure, selfClosed, ateNewline, attributes } = scanner;
    if (!named || (name === "" && !scanner.set.blanks)) {
      if (scanner.ranOut || !(yield* input.more())) {
        input.pos = input.text.length;
        return yield* this.open("The output ends inside a parameter's tag.", null);
      }
      return yield* this.broken(`A ${tags.parameter.open}…> tag needs a name.`, at);
    }
    if (sure !== EXACT || (mark !== 0 && scanner.set.marks.length !== 0)) call.repair("near-miss-tag", at);
    const argument = new Argument(call, calls, name, this.wire(attributes));
    if (!selfClosed) {
      if (tags.newline && !ateNewline) yield* input.take("\n");
      const cdata = tags.cdata === true && (yield* input.take(CDATA));
      const holdsAll = repair && name === tags.allIn && given.size === 0 && this.lacks(name);
      if (holdsAll) argument.pause();
      const value = new TaggedValue(scanner, {
        call,
        argument,
        key: name,
        given,
        ends: calls.rules.ends,
        repair,
        knows: (tool) => calls.declares(tool),
        marked: this.marked && !strange,
        cdata,
      });
      yield* input.run(value);
      if (value.outcome === "open") return yield* this.open("The output ends inside a value.", value.resume);
      if (value.outcome !== "closed") call.repair(value.outcome, input.offset);
      if (holdsAll && (yield* this.isAll(argument.held))) return MORE;
    }
    argument.end();
    given.add(name);
    return MORE;
  }

  /** What the tag says of its value's type. */
  private wire(attributes: ReadonlyMap<string, string>): "text" | "json" | undefined {
    const { type } = this.tags;
    const stated = type && attributes.get(type.attribute);
    if (type === undefined || stated === undefined) return undefined;
    return stated === type.text ? "text" : "json";
  }

  private lacks(name: string): boolean {
    return this.call.tool !== undefined && !hasParameter(this.call, name);
  }

  /** `<parameter name="arguments">{"port": "Oban"}</parameter>|</invoke>`: the value is what the arguments are. */
  private *isAll(text: string): Waiting<boolean> {
    const { input, calls, call, scanner } = this;
    const from = input.offset;
    yield* input.space();
    const kind = yield* scanner.next(input);
    const last = kind === CALL_CLOSE || !(yield* input.more()) || (kind !== PARAMETER_OPEN && (yield* this.endsHere()));
    input.back(from);
    const { repair, depth } = calls.rules;
    const trimmed = text.trim();
    const json =
      last && trimmed.startsWith("{") ? readJson(trimmed, { repair, depth, node: call.node, log: call }) : null;
    if (json === null) return false;
    call.repair("encoded-arguments", from);
    call.write(json);
    return true;
  }

  /** The output ends, and something is still open. `resume`: where a whole call begins inside it. */
  private *open(message: string, resume: number | null): Waiting<number> {
    const { input, call } = this;
    if (!input.finished) call.fail("truncated", message, input.offset);
    else call.fail("invalid-arguments", message, resume ?? input.offset);
    if (resume === null || !input.finished || !input.mayGoBack) {
      call.end(input.offset);
      return CALL;
    }
    call.end(resume);
    input.back(resume);
    return WENT_BACK;
  }

  /** Something is wrong: reading goes on behind the call's closer. */
  private *broken(message: string, offset: number): Waiting<number> {
    const { input, call, scanner } = this;
    call.fail("invalid-arguments", message, offset);
    yield* resyncTo(input, this.outsideEnds());
    if ((yield* scanner.next(input)) === CALL_CLOSE) input.pos = scanner.behind;
    call.end(input.offset);
    return CALL;
  }

  /** What ends a broken call: its own tags do not, but for its closer. */
  private outsideEnds(): Ends {
    const { ends } = this.calls.rules;
    const { scanner } = this;
    return {
      first: ends.first.includes("<") ? ends.first : `${ends.first}<`,
      at: (text, at, ended) => {
        const kind = text.charCodeAt(at) === 0x3c ? scanner.at(text, at, ended) : NONE;
        if (kind === WAIT) return -1;
        if (kind === CALL_CLOSE || kind === WRAP_OPEN) return 1;
        if (kind === CALL_OPEN) {
          const opens = scanner.opensSurely(text, ended);
          if (opens !== NONE) return opens;
        }
        return kind === NONE && !scanner.hasToken ? ends.at(text, at, ended) : 0;
      },
      breaks: (text, at, ended) => ends.breaks(text, at, ended),
    };
  }
}
