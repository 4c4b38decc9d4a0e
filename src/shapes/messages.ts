import type { Calls } from "../calls.ts";
import type { Bare, FormatDeclaration, Reading } from "../format.ts";
import { FENCE, MarkerTable } from "../grammar.ts";
import { type Input, isBlank, type Pump, type Waiting } from "../input.ts";
import { Until } from "../until.ts";
import { ranOut } from "./arguments.ts";

/** What a message holds. */
export type Holds = "text" | "thought" | "call";

/** The header of a message that is a call. */
export interface CallHeader {
  /** Whom the call is for, as it was written; null: the body says so. */
  recipient: string | null;
  /** Offset of the header's first character. */
  from: number;
  /** The body is not written as it should be, or has lost the token in front of it. */
  nearMiss: boolean;
}

/** How a format frames its messages: `<|start|>assistant<|channel|>final to=user<|message|>The tide is high.<|end|>`. */
export interface MessageLayout {
  /** Begins a message. */
  start: string;
  /** Stands behind `start` where the message is the assistant's. Without it every message is. */
  role?: string;
  /** What else may stand there, by its beginning: a message that is not shown. */
  otherRoles?: readonly string[];
  /** Marks the channel in a header, and what a message of each channel holds. */
  channel?: { token: string; holds: Readonly<Record<string, Holds>> };
  /** Recipients that are no tools, and what a message to them holds; null: the channel says so. */
  recipients?: Readonly<Record<string, Holds | null>>;
  /** Marks a content type in a header, which means nothing to us. */
  type?: string;
  /** Begins the body, and what the message then holds; null: the header says so. */
  bodies: Readonly<Record<string, Holds | null>>;
  /** A blank behind each token is layout, in front of a body too. */
  spaced?: boolean;
  /** Ends a message. Text behind it, without a header, is content. */
  ends: readonly string[];
  /** Ends the turn, unless another message begins behind it. */
  pauses?: readonly string[];
  /** Ends the turn, whatever follows. */
  stops?: readonly string[];
  /** The tool that a recipient is. */
  tool?: (recipient: string, calls: Calls) => string;
  /** Reads the body of a call. What is left of the body is not shown. */
  call: (input: Input, calls: Calls, header: CallHeader) => Waiting<void>;
  /**
   * Is it certainly this layout? Asked at the look-ahead behind a header: formats that share their tokens are told apart
   * by it where both are expected.
   */
  certain?: (recipient: string, token: string, input: Input) => Waiting<boolean>;
}

/** What a format of messages declares: the reading of the first message reads all of them, to the end of the turn. */
export function messages(
  layout: MessageLayout,
): Pick<FormatDeclaration, "opens" | "bare" | "closers" | "dropped" | "stops" | "messages"> {
  const tokens = tokensOf(layout);
  const all: Reading = (input, calls, opener, from) => takeOver(layout, tokens, input, calls, opener, from);
  const certain: Reading = function* (input, calls, opener, from) {
    const { recipient, token } = yield* look(layout, tokens, input);
    if (token === null || !(yield* (layout.certain as NonNullable<typeof layout.certain>)(recipient, token, input)))
      return false;
    return yield* all(input, calls, opener, from);
  };
  const openers = [layout.start, ...(layout.channel ? [layout.channel.token] : []), ...Object.keys(layout.bodies)];
  const readings = layout.certain === undefined ? all : [certain, all];
  const withoutStart = headerWithoutStart(layout, tokens, false);
  const { ends, pauses = [], stops = [] } = layout;
  return {
    opens: Object.fromEntries(openers.map((opener) => [opener, readings])),
    bare:
      layout.role === undefined
        ? nameWithoutStart(layout, tokens)
        : [...(layout.certain === undefined ? [] : [headerWithoutStart(layout, tokens, true)]), withoutStart],
    closers: [...ends, ...pauses, ...stops],
    dropped: [...ends, ...(layout.type ? [layout.type] : [])],
    stops: [...pauses, ...stops],
    messages: layout,
  };
}

/** The tokens of a layout, by what they do, compiled once. */
interface Tokens {
  /** Begin a header. */
  frames: readonly string[];
  /** In a header. */
  inHeader: readonly string[];
  /** In a text; in a fence inside it; in what is not shown; in another's message. */
  inText: MarkerTable;
  inFence: MarkerTable;
  inRest: MarkerTable;
  inForeign: MarkerTable;
}

function tokensOf({ start, channel, type, bodies, ends, pauses = [], stops = [] }: MessageLayout): Tokens {
  const frames = [start, ...(channel ? [channel.token] : []), ...Object.keys(bodies)];
  const closers = [...ends, ...pauses, ...stops];
  const inHeader = [...frames, ...(type ? [type] : []), ...closers];
  return {
    frames,
    inHeader,
    inText: new MarkerTable([...inHeader, FENCE]),
    inFence: new MarkerTable([...closers, FENCE]),
    inRest: new MarkerTable(inHeader),
    inForeign: new MarkerTable([start]),
  };
}

function* takeOver(
  layout: MessageLayout,
  tokens: Tokens,
  input: Input,
  calls: Calls,
  opener: string,
  from: number,
): Waiting<boolean> {
  // whether a message is a thought is for its header to say, not for tags around it
  if (calls.muted) return false;
  const reader = new Messages(layout, tokens, input, calls);
  input.back(from);
  if (from > 0 && !(yield* reader.plausible(opener))) return false;
  yield* reader.read();
  return true;
}

/** Longest word of a header. */
const WORD = 256;

const SPACE = 0x20;
const LESS = 0x3c;
const OPEN_OBJECT = 0x7b;
const BACKTICK = 0x60;

/** What is not shown: the rest of a call's message, what follows the end of the turn, the message of another. */
const REST = "rest";
const PAUSED = "paused";
const FOREIGN = "foreign";
type State = Holds | typeof REST | typeof PAUSED | typeof FOREIGN;

/** Words that name the type of a body. */
const TYPES: ReadonlySet<string> = new Set(["json", "code"]);

const discard: Pump = {
  step(input) {
    input.pos = input.text.length;
    return input.ended;
  },
};

/** Reads messages to the end of the turn. */
class Messages {
  private readonly layout: MessageLayout;
  private readonly tokens: Tokens;
  private readonly input: Input;
  private readonly calls: Calls;
  private state: State = REST;
  private until: Until;

  constructor(layout: MessageLayout, tokens: Tokens, input: Input, calls: Calls) {
    this.layout = layout;
    this.tokens = tokens;
    this.input = input;
    this.calls = calls;
    this.until = this.reader(REST);
  }

  private enter(state: State): void {
    this.state = state;
    this.until = this.reader(state);
  }

  private reader(state: State): Until {
    const { calls } = this;
    const { inText, inFence, inRest, inForeign } = this.tokens;
    if (state === "text") return new Until(inText, inFence, (piece) => calls.text(piece));
    if (state === "thought") return new Until(inText, inFence, (piece) => calls.thought(piece));
    const table = state === FOREIGN ? inForeign : inRest;
    return new Until(table, table, () => {});
  }

  /** From the header at the input's position on. `startLost`: the token that begins it stands in the prompt. */
  *read(startLost = false): Waiting<void> {
    const { input, layout } = this;
    // nothing goes back before this: the text that was read need not be kept
    input.release();
    yield* this.header(startLost);
    for (;;) {
      yield* input.run(this.until);
      const marker = this.until.found;
      if (marker === null) break;
      if (layout.stops?.includes(marker)) {
        yield* input.run(discard);
      } else if (marker === FENCE) {
        this.until.openFence(input);
      } else if (layout.ends.includes(marker)) {
        input.pos += marker.length;
        if (this.state !== PAUSED) yield* this.behindEnd();
      } else if (layout.pauses?.includes(marker)) {
        input.pos += marker.length;
        this.enter(PAUSED);
      } else if (yield* this.begins(marker)) {
        yield* this.header(false);
      } else if (marker === layout.start || marker === layout.channel?.token) {
        this.until.pass(input, marker.length);
      } else {
        input.pos += marker.length;
      }
    }
    input.mark();
  }

  /** Behind a message: `<|end|>| <|start|>`. Blanks in front of a header are layout, anything else is content. */
  private *behindEnd(): Waiting<void> {
    const { input } = this;
    const from = input.mark();
    this.enter("text");
    yield* input.space();
    const frame = yield* input.takeOne(this.tokens.frames);
    const startLost = frame === null && (yield* this.startLost());
    if (frame !== null) input.pos -= frame.length;
    else if (!startLost) input.back(from);
    input.release();
    if (frame !== null || startLost) yield* this.header(startLost);
  }

  /** A header that has lost the token that begins it: `<|end|>|assistant<|channel|>final`. */
  private *startLost(): Waiting<boolean> {
    const { input, layout, tokens, calls } = this;
    const { role } = layout;
    if (role === undefined || !calls.rules.repair || !((yield* input.at(role)) || (yield* input.at("to="))))
      return false;
    const from = input.offset;
    const { token } = yield* look(layout, tokens, input);
    input.back(from);
    return token !== null && token !== layout.start && tokens.frames.includes(token);
  }

  /** Does a message begin with the token at the input's position? */
  private *begins(token: string): Waiting<boolean> {
    const { bodies } = this.layout;
    if (Object.hasOwn(bodies, token)) return bodies[token] !== null;
    if (token === this.layout.type) return false;
    if (this.state === PAUSED || this.state === FOREIGN) return true;
    return yield* this.plausible(token);
  }

  /** In the middle of a text a token begins a message only if a header follows that is one; otherwise it is text. */
  *plausible(token: string): Waiting<boolean> {
    const { input, layout } = this;
    const { start, role, otherRoles = [], channel, bodies } = layout;
    if (Object.hasOwn(bodies, token)) return bodies[token] !== null;
    if (token === start && role === undefined) return true;
    const from = input.mark();
    input.pos += token.length;
    yield* input.space();
    const words = token === start ? [role as string, ...otherRoles] : Object.keys(channel?.holds ?? {});
    const known = (yield* input.takeOne(words)) !== null;
    input.back(from);
    input.release();
    return known;
  }

  /** `|<|start|>assistant to=functions.tide_level<|channel|>commentary json<|message|>`, its words in any order. */
  private *header(startLost: boolean): Waiting<void> {
    const { input } = this;
    const from = input.mark();
    const call = yield* this.headerWords(from, startLost);
    if (call !== null) {
      this.enter(REST);
      yield* this.layout.call(input, this.calls, call);
    }
    input.release();
  }

  /** Reads a header. Answers that of a call; otherwise the state says what follows. */
  private *headerWords(from: number, startLost: boolean): Waiting<CallHeader | null> {
    const { input, layout, tokens } = this;
    let channel: string | null = null;
    let recipient: string | null = null;
    /** The next word is the channel, the recipient, the type of the body. */
    let wants: "channel" | "recipient" | "type" | null = null;
    /** Where a text begins that has lost the token in front of it; -1: here none can. */
    let textFrom = -1;
    /** The first word that may belong to such a text. */
    let word = "";
    if (startLost) {
      yield* input.space();
      if (layout.role) yield* input.take(layout.role);
      textFrom = input.offset;
    }
    for (;;) {
      yield* input.space();
      const token = yield* input.takeOne(tokens.inHeader);
      if (token === layout.start) {
        recipient = null;
        channel = null;
        word = "";
        wants = null;
        if (!(yield* this.isOurs())) return this.shows(FOREIGN);
        textFrom = input.offset;
      } else if (token !== null && token === layout.channel?.token) {
        wants = "channel";
        word = "";
        textFrom = -1;
      } else if (token !== null && token === layout.type) {
        wants = "type";
        word = "";
      } else if (token !== null && Object.hasOwn(layout.bodies, token)) {
        if (layout.spaced) yield* input.take(" ");
        const holds = layout.bodies[token] ?? this.holds(channel, recipient);
        return holds === "call" ? { recipient, from, nearMiss: false } : this.shows(holds);
      } else if (token !== null || !(yield* input.more())) {
        return yield* this.headerEnds(
          from,
          token,
          recipient ?? (wants === "recipient" ? "" : null),
          channel,
          word,
          textFrom,
        );
      } else {
        const first = yield* input.peek();
        const toTool = recipient !== null && this.holds(channel, recipient) === "call";
        if (first === OPEN_OBJECT && toTool) return { recipient, from, nearMiss: true };
        const written = yield* this.word();
        if (written.startsWith("to=") && layout.recipients !== undefined) {
          word = "";
          wants = written === "to=" ? "recipient" : null;
          if (wants === null) recipient = this.nearer(recipient, written.slice(3));
        } else if (wants === "recipient") {
          recipient = this.nearer(recipient, written);
          wants = null;
        } else if (wants === "channel") {
          wants = null;
          if (Object.hasOwn(layout.channel?.holds ?? {}, written)) {
            channel = written;
            textFrom = input.offset;
          }
        } else if (wants === "type") {
          wants = null;
        } else if (textFrom >= 0 && recipient === null && (word !== "" || written === "")) {
          return this.textAt(textFrom, channel);
        } else {
          word = written;
          // no word: text that belongs to nothing, up to the next token
          if (written === "") input.pos++;
        }
      }
    }
  }

  /** The last recipient that is a tool. */
  private nearer(before: string | null, recipient: string): string {
    return before !== null && this.holds(null, recipient) !== "call" ? before : recipient;
  }

  /** The header comes to its end without a body. */
  private *headerEnds(
    from: number,
    token: string | null,
    recipient: string | null,
    channel: string | null,
    word: string,
    textFrom: number,
  ): Waiting<null> {
    const { input, calls, layout } = this;
    const cut = token === null && ranOut(input);
    if (token !== null) input.pos -= token.length;
    if (recipient !== null && this.holds(channel, recipient) === "call") {
      const call = calls.begin(from);
      const name = cut ? "" : (layout.tool?.(recipient, calls) ?? recipient);
      if (name !== "") call.named(name);
      if (cut) call.fail("truncated", "The output was cut off in the header of a call.", input.offset);
      else call.fail("invalid-arguments", "The call has no arguments.", input.offset);
      call.end(input.offset);
    } else if (word !== "" && textFrom >= 0 && recipient === null && !cut && !TYPES.has(word)) {
      return this.textAt(textFrom, channel);
    }
    // the token is read again outside of the header
    this.enter(token === null || !layout.ends.includes(token) ? REST : "text");
    return null;
  }

  /** A text that has lost the token in front of it: `<|channel|>final| The tide is high.` */
  private textAt(from: number, channel: string | null): null {
    this.input.back(from);
    return this.shows(this.holds(channel, null) === "thought" ? "thought" : "text");
  }

  private shows(state: State): null {
    this.enter(state);
    return null;
  }

  /** Behind the token that begins a message: is it the assistant's? */
  private *isOurs(): Waiting<boolean> {
    const { input, layout } = this;
    if (layout.role === undefined) return true;
    const from = input.offset;
    yield* input.space();
    if (yield* input.take(layout.role)) return true;
    if ((yield* input.at("<")) || (yield* input.at("to="))) {
      input.back(from);
      return true;
    }
    return false;
  }

  /** What a message holds: the recipient decides, then the channel. */
  private holds(channel: string | null, recipient: string | null): Holds {
    const { layout, calls } = this;
    const byChannel = (channel === null ? undefined : layout.channel?.holds[channel]) ?? "text";
    if (recipient === null) return byChannel;
    const { recipients = {} } = layout;
    if (!Object.hasOwn(recipients, recipient) || calls.declares(recipient)) return "call";
    return recipients[recipient] ?? byChannel;
  }

  /** A run of characters that are neither blank nor may begin a token or a value. */
  private *word(): Waiting<string> {
    const { input } = this;
    const from = input.offset;
    while (input.offset - from < WORD) {
      const code = yield* input.peek();
      if (code === -1 || isBlank(code) || code === LESS || code === OPEN_OBJECT || code === BACKTICK) break;
      input.pos++;
    }
    return input.slice(from, input.offset);
  }
}

/** What a header that was looked at says. */
interface SeenHeader {
  role: boolean;
  recipient: string;
  /** The token behind the words. */
  token: string | null;
}

/** Looks at a header, `|assistant to=functions.tide_level code<|channel|>`, up to its next token. */
function* look(layout: MessageLayout, tokens: Tokens, input: Input): Waiting<SeenHeader> {
  yield* input.space();
  const role = layout.role !== undefined && (yield* input.take(layout.role));
  yield* input.space();
  const from = input.offset;
  if (yield* input.take("to=")) yield* input.space();
  const begun = input.offset;
  for (let length = 0; begun > from && length < WORD; length++) {
    const code = yield* input.peek();
    if (code === -1 || isBlank(code) || code === LESS) break;
    input.pos++;
  }
  const recipient = input.slice(begun, input.offset);
  yield* input.space();
  return { role, recipient, token: yield* input.takeOne(tokens.inHeader) };
}

/**
 * The token that begins the first header stands in the prompt: `| to=functions.tide_level<|channel|>commentary`. `surely`:
 * only where it is certainly this layout.
 */
function headerWithoutStart(layout: MessageLayout, tokens: Tokens, surely: boolean): Bare {
  const first = new Set(["t", ...(layout.role ?? "")].slice(0, 2).map((letter) => letter.charCodeAt(0)));
  const begins = (code: number): boolean => first.has(code);
  return {
    starts: (code) => code === SPACE || begins(code),
    onlyFirst: true,
    read: function* (input, calls, from, fresh) {
      if (!fresh || calls.muted) return false;
      yield* input.take(" ");
      if (!begins(yield* input.peek())) return false;
      const seen = yield* look(layout, tokens, input);
      if (seen.recipient === "" && !seen.role) return false;
      if (seen.token === null) return seen.recipient !== "" && !(yield* input.more()) && calls.cut(from);
      if (surely && layout.certain !== undefined && !(yield* layout.certain(seen.recipient, seen.token, input)))
        return false;
      input.back(from);
      yield* new Messages(layout, tokens, input, calls).read(true);
      return true;
    },
  };
}

/** A word that may be the name of a tool. */
function* toolName(input: Input): Waiting<boolean> {
  const from = input.offset;
  while (input.offset - from < WORD && /[\w.:-]/.test(String.fromCharCode(yield* input.peek()))) input.pos++;
  return input.offset > from;
}

/** The same where the header is the name of the tool: `|tide_level<|content_invoke_tool_json|>`. */
function nameWithoutStart(layout: MessageLayout, tokens: Tokens): Bare {
  const ofCalls = Object.entries(layout.bodies).flatMap(([token, holds]) => (holds === "call" ? [token] : []));
  return {
    starts: (code) => !isBlank(code) && code !== LESS,
    onlyFirst: true,
    read: function* (input, calls, from, fresh) {
      if (!fresh || calls.muted) return false;
      const { tools } = calls.rules;
      const named = tools === null ? yield* toolName(input) : (yield* input.takeOne(tools.names)) !== null;
      if (!named || (yield* input.takeOne(ofCalls)) === null) return false;
      input.back(from);
      yield* new Messages(layout, tokens, input, calls).read(true);
      return true;
    },
  };
}
