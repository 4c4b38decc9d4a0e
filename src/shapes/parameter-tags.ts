import { Argument } from "../argument.ts";
import { Call, type Calls } from "../calls.ts";
import type { Reading } from "../format.ts";
import type { Input, Waiting } from "../input.ts";
import { jsonArguments, ranOut } from "./arguments.ts";
import { resyncAt } from "./ends.ts";
import { readHeader } from "./tag-header.ts";
import { hasParameter, TaggedValue } from "./tagged-value.ts";

/** The tags of a format that writes one per parameter. */
export interface ParameterTags {
  /** Around the calls, as in `<tool_call>…</tool_call>`. */
  wrap: { open: string; close: string };
  /** Around one call; `open` ends before the name: `<function=`. */
  call: { open: string; close: string };
  /** Around one value: `<parameter=`. */
  parameter: { open: string; close: string };
  /** One line break behind a value's opener and one before its closer is layout. */
  newline: boolean;
}

/** Behind the wrapper: `<tool_call>|<function=tide_level><parameter=port>Oban</parameter></function></tool_call>`. */
export function wrappedCalls(tags: ParameterTags): Reading {
  return function* (input, calls, _opener, from) {
    let start = from;
    let read = false;
    for (;;) {
      const behind = input.offset;
      yield* input.space();
      if (read) start = input.offset;
      if (!(yield* input.more())) {
        if (!read) return calls.cut(from);
        input.back(behind);
        return true;
      }
      const opened = yield* oneCall(input, calls, tags, start, false);
      if (opened === NO_CALL) {
        if (read) input.back(behind);
        const half = input.pos === input.text.length || input.endsInPartOf([tags.call.open]);
        return read || (half && calls.cut(from));
      }
      read = true;
      if (opened === WENT_BACK) return true;
    }
  };
}

/** Without the wrapper: `|<function=tide_level>…`. Only a declared name makes it a call; otherwise it is prose. */
export function bareCalls(tags: ParameterTags): Reading {
  return function* (input, calls, opener, from) {
    if (!calls.rules.repair) return false;
    input.pos -= opener.length;
    return (yield* oneCall(input, calls, tags, from, true)) !== NO_CALL;
  };
}

const NO_CALL = 0;
const CALL = 1;
/** The call did not end, and the input is back at a call that begins inside it. */
const WENT_BACK = 2;
/** The call goes on. */
const MORE = 3;

function* oneCall(input: Input, calls: Calls, tags: ParameterTags, from: number, bare: boolean): Waiting<number> {
  const name = yield* readHeader(input, tags.call.open, (written, exact) => {
    const known = bare || !exact ? calls.declares(written) : true;
    return known && (exact || calls.rules.repair);
  });
  if (name === null || name.text === "") return NO_CALL;
  if (bare && calls.rules.tools === null) return NO_CALL;
  const call = calls.begin(from);
  if (bare) call.repair("missing-opener", from);
  if (!name.exact) call.repair("near-miss-tag", from);
  call.named(Call.nameFor(calls, name.text));
  return yield* new Parameters(input, calls, tags, call).read();
}

/** The body of one call: parameters up to its closer. */
class Parameters {
  private readonly input: Input;
  private readonly calls: Calls;
  private readonly tags: ParameterTags;
  private readonly call: Call;
  private readonly given = new Set<string>();

  constructor(input: Input, calls: Calls, tags: ParameterTags, call: Call) {
    this.input = input;
    this.calls = calls;
    this.tags = tags;
    this.call = call;
  }

  *read(): Waiting<number> {
    const { input, calls, tags, call } = this;
    const { repair } = calls.rules;
    for (;;) {
      const behind = input.offset;
      yield* input.space();
      if (yield* input.take(tags.call.close)) return this.complete(input.offset);
      if (yield* input.at(stem(tags.parameter.open))) {
        const outcome = yield* this.parameter();
        if (outcome !== MORE) return outcome;
      } else if (repair && (yield* input.take(tags.parameter.close))) {
        call.repair("surplus-tag", input.offset - tags.parameter.close.length);
      } else if (repair && this.given.size === 0 && (yield* input.peek()) === 0x7b) {
        call.repair("near-miss-tag", input.offset);
        yield* jsonArguments(input, calls, call);
        const end = input.offset;
        yield* input.space();
        if (!(yield* input.take(tags.call.close))) input.back(end);
        return CALL;
      } else if (!(yield* input.more()) || (yield* this.endsHere())) {
        return yield* this.unclosed(behind);
      } else {
        return yield* this.broken("Expected a parameter.", input.offset);
      }
    }
  }

  /** A wrapper's closer, the next call, an end-of-turn token, or half of a closer at the end. */
  private *endsHere(): Waiting<boolean> {
    const { input, calls, tags } = this;
    const { ends } = calls.rules;
    for (;;) {
      const here = ends.at(input.text, input.pos, input.ended);
      if (here >= 0) return here === 1 || input.endsInPartOf([tags.call.close]);
      yield;
    }
  }

  /** All values are complete, only the closer is missing. */
  private *unclosed(end: number): Waiting<number> {
    const { input, calls, call, tags } = this;
    if (input.endsInPartOf([tags.call.close])) input.pos = input.text.length;
    if (ranOut(input)) {
      call.fail("truncated", "The output was cut off before the end of the call.", input.offset);
    } else if (!calls.rules.repair) {
      call.fail("invalid-arguments", `${tags.call.close} is missing.`, input.offset);
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
    const { input, calls, call, tags, given } = this;
    const at = input.offset;
    const header = yield* readHeader(input, tags.parameter.open, (name, exact) =>
      exact || (calls.rules.repair && hasParameter(call, name)),
    );
    if (header === null || header.text === "") {
      if (!(yield* input.more())) return yield* this.open("The output ends inside a parameter's tag.", null);
      return yield* this.broken(`A ${tags.parameter.open}…> tag needs a name.`, at);
    }
    if (!header.exact) call.repair("near-miss-tag", at);
    const argument = new Argument(call, calls, header.text);
    if (tags.newline && !header.ateNewline) yield* input.take("\n");
    const value = new TaggedValue(tags, {
      call,
      argument,
      key: header.text,
      given,
      ends: calls.rules.ends,
      repair: calls.rules.repair,
      knows: (name) => calls.declares(name),
    });
    yield* input.run(value);
    if (value.outcome === "open") return yield* this.open("The output ends inside a value.", value.resume);
    if (value.outcome !== "closed") call.repair(value.outcome, input.offset);
    argument.end();
    given.add(header.text);
    return MORE;
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
    const { input, calls, call, tags } = this;
    call.fail("invalid-arguments", message, offset);
    yield* resyncAt(input, calls.rules.ends, [tags.call.close]);
    yield* input.take(tags.call.close);
    call.end(input.offset);
    return CALL;
  }
}

/** The tag without its last character: `<parameter`. */
function stem(open: string): string {
  return open.slice(0, -1);
}
