import type { Calls } from "./calls.ts";
import type { ReasoningTags } from "./format.ts";
import { type Candidate, FENCE, type Grammar, MarkerTable } from "./grammar.ts";
import type { Input, Pump, Waiting } from "./input.ts";
import { Until } from "./until.ts";

/** Longest info string of a fence that may hold the message's calls. */
const INFO = 32;

/** Reads what follows the end of the turn, and shows nothing of it. */
const discard: Pump = {
  step(input) {
    input.pos = input.text.length;
    return input.ended;
  },
};

/**
 * The outer reading of most formats: content, reasoning, openers of calls, end-of-turn tokens.
 */
export class Outline {
  /** The format whose opener came first. */
  format: string | null = null;

  private readonly input: Input;
  private readonly calls: Calls;
  private readonly grammar: Grammar;
  /** The message began with a fence around its calls, which is not closed yet. */
  private fenceOpen = false;
  private anyCall = false;
  /** The closer that the answer's tag waits for, and how many tags of its kind stand inside the answer. */
  private answerCloser: string | null = null;
  private answersInside = 0;

  constructor(input: Input, calls: Calls, grammar: Grammar) {
    this.input = input;
    this.calls = calls;
    this.grammar = grammar;
  }

  *read(thought: ReasoningTags | null): Waiting<void> {
    const { input, calls, grammar } = this;
    const until = new Until(grammar.inContent, grammar.inFence, (piece) => calls.text(piece));
    if (grammar.bares.length !== 0) until.bare = (code, fresh) => this.mayStartBare(code, fresh);
    const anywhere = grammar.bares.map(({ bare }) => bare.anywhere ?? "").join("");
    if (anywhere !== "") until.midLine = new MarkerTable(anywhere);
    let atStart = true;
    if (thought !== null) {
      if ((yield* this.think(thought, true)) === STOPPED) return yield* input.run(discard);
      atStart = false;
    }
    for (;;) {
      yield* input.run(until);
      const marker = until.found;
      if (marker === null) return;
      const fresh = until.fresh;
      if (marker === "") {
        if (yield* this.bare(fresh, until.startsLine)) yield* this.behindCall(until);
        else until.pass(input, 1);
      } else if (grammar.stops.includes(marker)) {
        if (yield* this.endsTurn(marker)) return yield* input.run(discard);
        input.pos += marker.length;
      } else if (
        grammar.dropped.includes(marker) ||
        (grammar.answers.length !== 0 && (yield* this.framesAnswer(marker, until)))
      ) {
        input.pos += marker.length;
      } else if (marker === FENCE) {
        if (fresh && (yield* this.fencedCall())) yield* this.behindCall(until);
        else until.openFence(input);
      } else if (grammar.opens.has(marker) && (yield* this.attempt(marker, calls))) {
        yield* this.behindCall(until);
      } else if (grammar.opens.has(marker) && (yield* this.emptySection(marker))) {
        until.behindCall();
      } else {
        const tags = grammar.reasoning.find(({ open, anywhere }) => open === marker && (fresh || anywhere === true));
        if (tags !== undefined) {
          input.pos += marker.length;
          if ((yield* this.think(tags, false)) === STOPPED) return yield* input.run(discard);
          until.behindCall();
        } else if (fresh && atStart && !this.anyCall && grammar.reasoning.some(({ close }) => close === marker)) {
          input.pos += marker.length;
        } else {
          until.pass(input, marker.length);
        }
      }
      atStart &&= until.fresh;
    }
  }

  /** What ends the turn in one format may end a message in another: `|<|end|><|start|>assistant`. */
  private *endsTurn(marker: string): Waiting<boolean> {
    const { input, grammar } = this;
    if (grammar.frames.length === 0) return true;
    const from = input.mark();
    input.pos += marker.length;
    const next = yield* input.takeOne(grammar.frames);
    input.back(from);
    input.release();
    return next === null;
  }

  /** Is this marker layout around the answer? `|<response>The tide is high.|</response>` */
  private *framesAnswer(marker: string, until: Until): Waiting<boolean> {
    const { answerCloser, grammar } = this;
    if (answerCloser === null) {
      const tags = until.opensLine ? grammar.answers.find(({ open }) => open === marker) : undefined;
      if (tags !== undefined) this.answerCloser = tags.close;
      return tags !== undefined;
    }
    if (marker === answerCloser) {
      // a tag that the answer only mentions has no closer: then the one before a call or the end is that of the answer
      if (this.answersInside > 0 && !(yield* this.endsAnswer(marker))) {
        this.answersInside--;
        return false;
      }
      this.answerCloser = null;
      this.answersInside = 0;
      return true;
    }
    if (grammar.answers.some(({ open, close }) => open === marker && close === answerCloser)) this.answersInside++;
    return false;
  }

  private *endsAnswer(closer: string): Waiting<boolean> {
    const { input, grammar } = this;
    const from = input.mark();
    input.pos += closer.length;
    yield* input.space();
    const next = [...grammar.opens.keys(), ...grammar.stops];
    const ends = !(yield* input.more()) || (yield* input.takeOne(next)) !== null;
    input.back(from);
    input.release();
    return ends;
  }

  private mayStartBare(code: number, fresh: boolean): boolean {
    return this.grammar.bares.some(({ bare }) => bare.starts(code) && (fresh || bare.onlyFirst !== true));
  }

  /** A call without a marker: `|{"name": "tide_level", …}` */
  private *bare(fresh: boolean, opensLine: boolean): Waiting<boolean> {
    const { input, calls, grammar } = this;
    const char = input.text[input.pos] as string;
    const code = char.charCodeAt(0);
    const from = input.mark();
    let read = false;
    for (const { bare, format } of grammar.bares) {
      if (!bare.starts(code) || (bare.onlyFirst === true && !fresh) || !input.mayGoBack) continue;
      if (!opensLine && bare.anywhere?.includes(char) !== true) continue;
      read = yield* bare.read(input, calls, from, fresh && !this.anyCall, opensLine);
      if (read) {
        this.format ??= format;
        break;
      }
      input.back(from);
    }
    input.release();
    return read;
  }

  /** Tries the readings of the opener at the input's position, `|<tool_call>`, until one says that it was a call. */
  private *attempt(marker: string, calls: Calls): Waiting<boolean> {
    const { input, grammar } = this;
    const from = input.mark();
    let read = false;
    for (const { reading, format } of grammar.opens.get(marker) as readonly Candidate[]) {
      if (!input.mayGoBack) break;
      input.pos += marker.length;
      read = yield* reading(input, calls, marker, from);
      if (read) {
        if (!calls.muted) this.format ??= format;
        break;
      }
      input.back(from);
    }
    input.release();
    return read;
  }

  /** A section without calls, `|<｜tool_calls_begin｜><｜tool_calls_end｜>`, where its closer is a token. */
  private *emptySection(marker: string): Waiting<boolean> {
    const { input, grammar } = this;
    const from = input.mark();
    input.pos += marker.length;
    yield* input.space();
    const closed = (yield* input.takeOne(grammar.closingTokens)) !== null;
    if (!closed) input.back(from);
    input.release();
    return closed;
  }

  /** The message begins with a fence: if a call is the first thing in it, both fence lines are layout. */
  private *fencedCall(): Waiting<boolean> {
    const { input, grammar } = this;
    if (this.anyCall) return false;
    const from = input.mark();
    input.pos += FENCE.length;
    let read = false;
    if (yield* this.infoLine()) {
      yield* input.space();
      const code = yield* input.peek();
      const opener = yield* input.takeOne([...grammar.opens.keys()]);
      if (opener !== null) {
        input.pos -= opener.length;
        read = yield* this.attempt(opener, this.calls);
      } else if (code !== -1 && this.mayStartBare(code, true)) {
        read = yield* this.bare(true, true);
      }
    }
    if (!read) input.back(from);
    this.fenceOpen = read;
    input.release();
    return read;
  }

  private *infoLine(): Waiting<boolean> {
    for (let length = 0; length < INFO; length++) {
      const code = yield* this.input.peek();
      if (code === -1 || code === 0x60) return false;
      this.input.pos++;
      if (code === 0x0a) return true;
    }
    return false;
  }

  /** Drops what belongs to the call before it: its closers, surplus brackets, the end of the fence around it. */
  private *behindCall(until: Until): Waiting<void> {
    const { input, calls } = this;
    this.anyCall = true;
    until.behindCall();
    for (;;) {
      const from = input.mark();
      yield* input.space();
      const more = yield* this.residue(calls.rules.repair);
      if (!more) input.back(from);
      input.release();
      if (!more) return;
    }
  }

  private *residue(repairing: boolean): Waiting<boolean> {
    const { input, grammar } = this;
    if ((yield* input.takeOne(grammar.closers)) !== null) return true;
    const code = yield* input.peek();
    if (input.endsInPartOf(grammar.closers)) {
      input.pos = input.text.length;
      return true;
    }
    // a bracket may also be the beginning of a token
    if (repairing && (code === 0x7d || code === 0x5d) && !(yield* this.stands(grammar.brackets))) {
      input.pos++;
      return true;
    }
    if (!this.fenceOpen || !(yield* input.take(FENCE))) return false;
    this.fenceOpen = false;
    return true;
  }

  private *stands(markers: readonly string[]): Waiting<boolean> {
    for (const marker of markers) if (yield* this.input.at(marker)) return true;
    return false;
  }

  // --- thoughts: `<think>|They ask for the tide.</think>`

  private *think(tags: ReasoningTags, prefilled: boolean): Waiting<typeof STOPPED | typeof CLOSED> {
    const { input, calls, grammar } = this;
    const table = grammar.inThought.get(tags.open) as MarkerTable;
    const closers = grammar.thoughtClosers.get(tags.open) as readonly string[];
    const fenced = new MarkerTable([...closers, ...grammar.inFence.markers]);
    const until = new Until(table, fenced, (piece) => calls.thought(piece));
    let reopened = !prefilled;
    for (;;) {
      yield* input.run(until);
      const marker = until.found;
      if (marker === null || grammar.stops.includes(marker)) return STOPPED;
      if (closers.includes(marker)) {
        input.pos += marker.length;
        return CLOSED;
      }
      if (marker === tags.open && until.fresh && !reopened) {
        reopened = true;
        input.pos += marker.length;
      } else if (marker === FENCE) {
        until.openFence(input);
      } else if (grammar.opens.has(marker) && grammar.callInThought === "now") {
        if (yield* this.attempt(marker, calls)) yield* this.behindCall(until);
        else until.pass(input, marker.length);
      } else if (grammar.opens.has(marker) && grammar.callInThought === "held") {
        if (yield* this.callEndsThought(marker, tags, fenced)) return CLOSED;
        if (input.text.startsWith(marker, input.pos)) until.pass(input, marker.length);
      } else {
        until.pass(input, marker.length);
      }
    }
  }

  /**
   * A call marker in an open thought: `They ask for the tide. |<tool_call>…`. Reads on, muted, to the thought's closer or
   * the end. If the closer comes, all of it was a thought. If the output ends first, the thought ended here (true).
   */
  private *callEndsThought(first: string, tags: ReasoningTags, fenced: MarkerTable): Waiting<boolean> {
    const { input, calls, grammar } = this;
    const start = input.mark();
    const dry = calls.dry();
    const until = new Until(grammar.inThought.get(tags.open) as MarkerTable, fenced, () => {});
    let marker: string | null = first;
    while (marker !== null && !grammar.stops.includes(marker)) {
      if (grammar.opens.has(marker)) {
        const from = input.offset;
        const { completed } = dry;
        const read: boolean = yield* this.attempt(marker, dry);
        if (!read || dry.completed === completed) {
          input.back(from);
          if (dry.completed === 0) break;
          until.pass(input, marker.length);
        } else {
          until.behindCall();
        }
      } else if (marker === FENCE) {
        until.openFence(input);
      } else {
        if (grammar.thoughtClosers.get(tags.open)?.includes(marker)) break;
        until.pass(input, marker.length);
      }
      yield* input.run(until);
      marker = until.found;
    }
    const ends = dry.completed > 0 && (marker === null ? input.finished : grammar.stops.includes(marker));
    if (ends) {
      input.back(start);
    } else if (dry.completed > 0) {
      const shown = Math.max(0, start);
      if (input.offset > shown) calls.thought(input.slice(shown, input.offset));
    }
    input.release();
    return ends;
  }
}

const STOPPED = 0;
const CLOSED = 1;
