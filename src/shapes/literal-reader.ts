import type { Call } from "../calls.ts";
import { Input, isBlank, type Pump } from "../input.ts";
import { QuickReader } from "../json/quick-reader.ts";
import type { Ends, JsonReader } from "../json/reader.ts";
import { escapeControl, PYTHON_WORDS } from "../json/repairs.ts";
import { declaresProperty } from "../schema/declared.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { matchLength } from "./ends.ts";
import { stringEscape } from "./literal-escapes.ts";
import { skipBlanks } from "./tag-text.ts";

/** How a format writes the arguments of a call, where that is not JSON. */
export interface LiteralNotation {
  /**
   * A token on both sides of a string, in which there are no escapes: `{port:<|"|>Oban<|"|>}`. Keys are bare. Without
   * one the notation is Python's: `(port='Oban')`.
   */
  quote?: string | undefined;
  /** What closes a call. */
  closer?: string | undefined;
}

export interface LiteralReaderOptions {
  call: Call;
  notation: LiteralNotation;
  /** The bracket that closes the arguments, whose opener was read. */
  close: string;
  ends: Ends;
  repair: boolean;
  depth: number;
}

/** What goes on in a bracket. */
const ARGUMENTS = 0;
const OBJECT = 1;
const LIST = 2;

interface Container {
  kind: number;
  close: number;
  node: SchemaNode;
  count: number;
}

/** What is expected next. */
const KEY = 0;
const COLON = 1;
const VALUE = 2;
const AFTER = 3;
const STRING = 4;
const BARE = 5;
const OVER = 6;

/** More text is needed. */
const WAIT = -1;

const YES = 1;
const NO = 0;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const COLON_SIGN = 0x3a;
const ROUND = 0x28;
const CLOSE_ROUND = 0x29;

/** Longest key, and longest look-ahead for one. */
const KEY_LENGTH = 256;
/** What may be as long as it likes. */
const NUMBER_SO_FAR = /^\s*-?[0-9][0-9.eE+-]*$/;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const PYTHON_NUMBER = /^([+-]?)((?:[0-9](?:_?[0-9])*)?)(?:(\.)([0-9]*))?([eE][+-]?[0-9]+)?$/;
const WORD = /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u;
const JSON_WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/**
 * Reads the arguments of a call that are no JSON, and writes them as JSON: to a `JsonReader`, which knows what may go out
 * and what the schema makes of it. Where a string ends is decided by what follows its quote.
 */
export class LiteralReader implements Pump {
  /** `done`: the bracket is closed. `unclosed`: only brackets are missing. `open`: the output ended before. */
  outcome: "done" | "unclosed" | "open" | "fault" = "open";
  message = "The output ends inside the arguments.";
  kind: "invalid-arguments" | "limit-exceeded" = "invalid-arguments";
  faultAt = 0;
  /** A string does not end. */
  inString = false;
  /** Where the last string begins. */
  stringAt = 0;
  /** Brackets that are open. */
  readonly open: Container[];

  private readonly call: Call;
  private readonly quoteToken: string | undefined;
  private readonly closers: readonly string[];
  private readonly ends: Ends;
  private readonly repair: boolean;
  private readonly json: JsonReader;
  private readonly rewritten = new Input();
  /** Brackets that are open in a bare word. */
  private inner = 0;
  /** Deepest nesting. */
  private readonly limit: number;

  private state = KEY;
  private node: SchemaNode = anything;
  private comma = false;
  private out = "";
  private word = "";
  private quote = "";
  private base = 0;
  /** No escapes. */
  private raw = false;
  private inKey = false;
  /** The argument that is read. */
  private argument = "";
  /** A quote of this string was read as data. */
  private dubious = false;
  /** Something stands in this string that would end a call. */
  private heldEnd = false;
  /** Nothing more will come: what is undecided is decided now. */
  private final = false;
  /** The output was cut off: what ends here is not complete. */
  private cut = false;

  constructor({ call, notation, close, ends, repair, depth }: LiteralReaderOptions) {
    this.call = call;
    this.limit = depth;
    this.quoteToken = notation.quote;
    this.closers = notation.closer === undefined ? [] : [notation.closer];
    this.ends = ends;
    this.repair = repair;
    this.open = [{ kind: ARGUMENTS, close: close.charCodeAt(0), node: call.tool?.node ?? anything, count: 0 }];
    const write = (json: string): void => call.write(json);
    this.json = new QuickReader({
      sink: { write, verbatim: write, run: write, hush() {}, repair() {} },
      node: call.node,
      repair: false,
      depth,
    });
    this.out = "{";
  }

  step(input: Input): boolean {
    const { text } = input;
    let i = input.pos;
    this.base = input.base;
    while (this.state !== OVER) {
      const next = this.read(text, i, input);
      if (next !== WAIT) {
        i = next;
        continue;
      }
      if (!input.ended) break;
      if (this.final) {
        i = text.length;
        this.inString = this.state === STRING;
        this.state = OVER;
      }
      this.final = true;
      this.cut = !input.finished;
    }
    input.pos = i;
    this.flush(input);
    return this.state === OVER;
  }

  /** Closes the brackets that are missing. */
  finish(offset: number): void {
    this.call.repair("missing-bracket", offset);
    while (this.open.length > 0) this.pop();
    this.hand();
  }

  private flush(input: Input): void {
    this.hand();
    const { fault } = this.json;
    if (fault === null || this.outcome === "fault") return;
    this.state = OVER;
    this.outcome = "fault";
    this.kind = fault.kind;
    this.message = fault.message;
    this.faultAt = input.offset;
  }

  private hand(): void {
    if (this.out === "") return;
    this.rewritten.append(this.out);
    this.out = "";
    this.json.step(this.rewritten);
  }

  private fail(message: string, input: Input, i: number): number {
    this.state = OVER;
    // who knows what would have followed
    if (this.cut) return input.text.length;
    this.outcome = "fault";
    this.message = message;
    this.faultAt = input.base + i;
    return i;
  }

  private get python(): boolean {
    return this.quoteToken === undefined;
  }

  private get top(): Container {
    return this.open[this.open.length - 1] as Container;
  }

  /** Something was put right; what is written from here on is better not shown before the end. */
  private mend(kind: Parameters<Call["repair"]>[0], offset: number): void {
    this.hand();
    this.call.hush();
    this.call.repair(kind, offset);
  }

  /** Reads on from `i`; answers up to where, or WAIT. */
  private read(text: string, from: number, input: Input): number {
    if (this.state === STRING) return this.string(text, from, input);
    if (this.state === BARE) return this.bare(text, from, input);
    let i = from;
    while (i < text.length && isBlank(text.charCodeAt(i))) i++;
    if (i > from) return i;
    if (i === text.length) {
      if (!this.final || this.cut || this.state !== AFTER) return WAIT;
      this.state = OVER;
      this.outcome = "unclosed";
      return i;
    }
    switch (this.state) {
      case KEY:
        return this.key(text, i, input);
      case COLON: {
        const code = text.charCodeAt(i);
        if (code !== COLON_SIGN && !(code === EQUALS && this.repair)) return this.fail("Expected a colon.", input, i);
        this.state = VALUE;
        return i + 1;
      }
      case VALUE:
        if (this.top.kind === ARGUMENTS) this.call.place(this.argument, input.base + i);
        return this.value(text, i, input);
      default:
        return this.after(text, i, input);
    }
  }

  // --- structure

  /** Behind a value: `port:1|,` */
  private after(text: string, i: number, input: Input): number {
    const code = text.charCodeAt(i);
    if (code === COMMA) {
      this.comma = true;
      this.state = this.top.kind === LIST ? VALUE : KEY;
      return i + 1;
    }
    if (code === this.top.close) return this.close(i);
    const here = this.ends.first.includes(text[i] as string) ? this.ends.at(text, i, this.final) : NO;
    if (here === WAIT) return WAIT;
    if (here === YES) {
      this.state = OVER;
      this.outcome = "unclosed";
      return i;
    }
    return this.fail("Expected a comma or a closing bracket.", input, i);
  }

  private close(i: number): number {
    this.comma = false;
    this.pop();
    if (this.open.length === 0) {
      this.state = OVER;
      this.outcome = "done";
    } else {
      this.state = AFTER;
    }
    return i + 1;
  }

  private pop(): void {
    const { kind } = this.open.pop() as Container;
    this.out += kind === LIST ? "]" : "}";
  }

  private push(kind: number, close: number): void {
    this.separate();
    this.out += kind === LIST ? "[" : "{";
    this.open.push({ kind, close, node: this.node, count: 0 });
    this.state = kind === LIST ? VALUE : KEY;
  }

  /** The comma before the next element. */
  private separate(): void {
    if (!this.comma) return;
    this.comma = false;
    this.out += ",";
  }

  /** Closes a bracket in which nothing stands, or nothing behind a comma. */
  private closeEmpty(i: number, input: Input): number {
    if (this.comma && !this.python) {
      if (!this.repair) return this.fail("A comma too many.", input, i);
      this.mend("trailing-comma", input.base + i);
    }
    return this.close(i);
  }

  // --- keys

  private key(text: string, i: number, input: Input): number {
    const { top } = this;
    const code = text.charCodeAt(i);
    if (code === top.close) return this.closeEmpty(i, input);
    if (top.kind === OBJECT || !this.python) {
      const token = this.tokenAt(text, i);
      if (token === WAIT) return WAIT;
      if (token > 0) return this.startString(i, token, this.quoteToken as string, true, true);
      if (code === QUOTE || code === APOSTROPHE) {
        return this.startString(i, 1, text[i] as string, false, true);
      }
    }
    return this.bareKey(text, i, input);
  }

  /** `|port:`, or in Python's arguments `|port=`. */
  private bareKey(text: string, from: number, input: Input): number {
    const keyword = this.python && this.top.kind === ARGUMENTS;
    for (let at = from; ; at++) {
      if (at === text.length) return WAIT;
      const code = text.charCodeAt(at);
      const key = text.slice(from, at).trim();
      const sure = code === (keyword ? EQUALS : COLON_SIGN);
      if (sure || (this.repair && (code === EQUALS || code === COLON_SIGN) && WORD.test(key))) {
        if (this.python && key === "") break;
        if (!sure || (this.python && !keyword && !JSON_NUMBER.test(key))) this.mend("near-miss-tag", input.base + from);
        this.gotKey(key);
        this.state = VALUE;
        return at + 1;
      }
      if (code === 0x7b || code === 0x7d || (this.python && "()[],'\"".includes(text[at] as string))) break;
      if (at - from > KEY_LENGTH) break;
      if (this.tokenAt(text, at) > 0) break;
    }
    return this.fail(keyword ? "An argument has no name." : "Expected a key.", input, from);
  }

  private gotKey(key: string): void {
    this.separate();
    if (this.top.kind === ARGUMENTS) this.argument = key;
    this.out += `${JSON.stringify(key)}:`;
    this.node = this.top.node.key(key);
  }

  /** Length of the quote token at `i`; 0: there is none, WAIT: it may be. */
  private tokenAt(text: string, i: number): number {
    return this.quoteToken === undefined ? 0 : matchLength([this.quoteToken], text, i, this.final);
  }

  // --- values

  private value(text: string, i: number, input: Input): number {
    const { top } = this;
    const code = text.charCodeAt(i);
    if (top.kind === LIST) {
      if (code === top.close) return this.closeEmpty(i, input);
      this.node = top.node.item(top.count++);
    }
    const token = this.tokenAt(text, i);
    if (token === WAIT) return this.again(WAIT);
    if (token > 0) return this.startString(i, token, this.quoteToken as string, true, false);
    if (code === QUOTE || code === APOSTROPHE) {
      const quote = text[i] as string;
      if (this.python) {
        if (text.length - i < 3 && !this.final) return this.again(WAIT);
        if (text.startsWith(quote.repeat(3), i)) return this.startString(i, 3, quote.repeat(3), false, false);
      } else {
        if (!this.repair) return this.fail("Expected a quote token.", input, i);
        this.mend("near-miss-tag", input.base + i);
      }
      return this.startString(i, 1, quote, false, false);
    }
    if (this.python && /[rRuU]/.test(text[i] as string)) {
      if (text.length - i < 2 && !this.final) return this.again(WAIT);
      const quote = text[i + 1];
      if (quote === '"' || quote === "'") return this.startString(i, 2, quote, /[rR]/.test(text[i] as string), false);
    }
    if (code === 0x7b || code === 0x5b || (code === ROUND && this.python)) {
      if (this.open.length >= this.limit) {
        this.kind = "limit-exceeded";
        return this.fail(`Nested deeper than ${this.limit} levels.`, input, i);
      }
      this.push(code === 0x7b ? OBJECT : LIST, code === ROUND ? CLOSE_ROUND : code + 2);
      return i + 1;
    }
    this.word = "";
    this.inner = 0;
    this.state = BARE;
    return i;
  }

  /** The same element is looked at again when more has come. */
  private again(verdict: number): number {
    if (this.top.kind === LIST) this.top.count--;
    return verdict;
  }

  private write(json: string, i: number): number {
    this.separate();
    this.out += json;
    this.state = AFTER;
    return i;
  }

  private get wantsText(): boolean {
    return this.node.wire === "text" || this.node.wire === "text-or-null";
  }

  /** A number or a word; where a quote token was forgotten, text. */
  private bare(text: string, from: number, input: Input): number {
    const { top } = this;
    let i = from;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (
        this.python &&
        this.word.length + i - from === KEY_LENGTH &&
        !NUMBER_SO_FAR.test(this.word + text.slice(from, i))
      ) {
        return this.fail("A value has no quotes.", input, i);
      }
      if (this.python && this.skipsInner(text[i] as string)) continue;
      const token = this.tokenAt(text, i);
      if (token === WAIT) break;
      if (token > 0) return this.endsInToken(text, from, i, token, input);
      const comma = code === COMMA;
      const closes = code === top.close;
      const ends = this.ends.first.includes(text[i] as string) ? this.ends.at(text, i, this.final) : NO;
      if (ends === WAIT) break;
      if (!comma && !closes && ends === NO) continue;
      const word = (this.word + text.slice(from, i)).trim();
      const literal = this.literal(word, input.base + i);
      if (literal !== null) return this.write(literal, i);
      if (comma && !this.python && this.repair && top.kind !== LIST && word !== "") {
        const next = this.keyFollows(text, i + 1);
        if (next === WAIT) break;
        if (next === NO) continue;
      }
      if (this.python || !this.repair || !this.wantsText || word === "") {
        return this.fail(`${JSON.stringify(word.slice(0, 64))} is no value.`, input, i);
      }
      this.mend("near-miss-tag", input.base + i);
      return this.write(quoted(word), i);
    }
    this.word += text.slice(from, i);
    if (i > from) return i;
    if (!this.final || this.cut || i < text.length) return WAIT;
    const literal = this.literal(this.word.trim(), input.base + i);
    return literal === null ? WAIT : this.write(literal, i);
  }

  /** `float('inf'|)`: what stands in brackets of its own is no value, and does not end it either. */
  private skipsInner(char: string): boolean {
    if ("([{".includes(char)) this.inner++;
    else if (this.inner > 0 && ")]}".includes(char)) return this.inner-- > 0;
    return this.inner > 0;
  }

  /** `port:Dinard, north quay|<|"|>`: the token at the front was forgotten. */
  private endsInToken(text: string, from: number, i: number, token: number, input: Input): number {
    const closes = this.closesAt(text, i + token);
    if (closes === WAIT) {
      this.word += text.slice(from, i);
      return i > from ? i : WAIT;
    }
    if (closes === NO || !this.repair) return this.fail("A quote token stands inside a value.", input, i);
    this.mend("near-miss-tag", input.base + i);
    return this.write(quoted((this.word + text.slice(from, i)).trimStart()), i + token);
  }

  /** A bare word as JSON, null if it is none. */
  private literal(word: string, offset: number): string | null {
    if (JSON_WORDS.has(word) || JSON_NUMBER.test(word)) return word;
    const json = PYTHON_WORDS.get(word);
    if (json !== undefined) {
      // templates in Python write `None` where they mean null
      if (!this.python && json !== "null") {
        if (!this.repair) return null;
        this.call.repair("python-word", offset);
      }
      return json;
    }
    const number = this.python ? PYTHON_NUMBER.exec(word) : null;
    if (number === null) return null;
    const [, sign = "", whole = "", point = "", fraction = "", exponent = ""] = number;
    if (whole === "" && fraction === "") return null;
    const digits = whole.replaceAll("_", "");
    if (/^0[0-9]/.test(digits)) {
      if (!this.repair) return null;
      this.mend("python-word", offset);
      if (this.wantsText) return quoted(word);
    }
    const short = digits.replace(/^0+(?=[0-9])/, "") || "0";
    return `${sign === "-" ? "-" : ""}${short}${point === "" ? "" : `.${fraction || "0"}`}${exponent}`;
  }

  /** `,| days:`: does the next key stand there? Of a tool that was declared, a declared one. */
  private keyFollows(text: string, from: number): number {
    const i = skipBlanks(text, from);
    for (let at = i; at - i < KEY_LENGTH; at++) {
      if (at === text.length) return this.final ? NO : WAIT;
      const code = text.charCodeAt(at);
      if (code === COLON_SIGN || code === EQUALS) {
        const key = unquote(text.slice(i, at).trim());
        if (key === "") return NO;
        return this.call.tool === undefined || declaresProperty(this.top.node, key) ? YES : NO;
      }
      const token = this.tokenAt(text, at);
      if (token === WAIT) return WAIT;
      if (token > 0 || ",{}[]()\n".includes(text[at] as string)) return NO;
    }
    return NO;
  }

  // --- strings

  private startString(i: number, length: number, quote: string, raw: boolean, inKey: boolean): number {
    this.stringAt = this.base + i;
    this.quote = quote;
    this.raw = raw;
    this.inKey = inKey;
    this.dubious = false;
    this.heldEnd = false;
    this.state = STRING;
    this.word = "";
    if (!inKey) {
      this.separate();
      this.out += '"';
    }
    return i + length;
  }

  private emit(json: string): void {
    if (this.inKey) this.word += json;
    else this.out += json;
  }

  private string(text: string, start: number, input: Input): number {
    const { quote, ends } = this;
    const mark = quote.charCodeAt(0);
    const { close } = this.top;
    let from = start;
    let i = start;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const char = text[i] as string;
      if (code === mark) {
        const token = matchLength([quote], text, i, this.final);
        if (token === WAIT) break;
        if (token > 0) {
          const closes = this.closesAt(text, i + token);
          if (closes === WAIT) break;
          this.emit(text.slice(from, i));
          if (closes === YES) return this.endString(i + token);
          if (this.heldEnd) return this.neverEnds(input, i);
          if (!this.repair) return this.fail("A quote stands inside a string.", input, i);
          if (!this.dubious) this.mend("inner-quote", input.base + i);
          this.dubious = true;
          this.emit(quote === "'" ? quote : '\\"'.repeat(quote[0] === '"' ? quote.length : 1));
          i += token - 1;
          from = i + 1;
          continue;
        }
      }
      if (code === close && quote === this.quoteToken && this.repair) {
        const over = this.lostQuote(text, i);
        if (over === WAIT) break;
        if (over === YES) {
          this.emit(text.slice(from, i));
          if (this.dubious || this.inKey) return this.neverEnds(input, i);
          this.mend("near-miss-tag", input.base + i);
          return this.endString(i);
        }
      }
      if (ends.first.includes(char)) {
        const breaks = ends.breaks(text, i, this.final);
        if (breaks === WAIT) break;
        if (breaks === YES) {
          // in a string without a fault nothing but its quote means anything; but one that goes on behind the end of a
          // call, up to a quote that ends nothing, has lost its own
          this.heldEnd = true;
          if (!this.dubious) continue;
          this.emit(text.slice(from, i));
          return this.neverEnds(input, i);
        }
      }
      if (code === BACKSLASH && !this.raw) {
        const found = stringEscape(text, i, this.final);
        if (found === null) break;
        this.emit(text.slice(from, i) + found.json);
        i += found.length - 1;
        from = i + 1;
      } else if (code === QUOTE || code === BACKSLASH) {
        this.emit(`${text.slice(from, i)}\\${char}`);
        from = i + 1;
      } else if (code < 0x20) {
        this.emit(text.slice(from, i) + escapeControl(code));
        from = i + 1;
      }
    }
    if (i === text.length && !input.ended && i > from && isHighSurrogate(text.charCodeAt(i - 1))) i--;
    this.emit(text.slice(from, i));
    return i > start ? i : WAIT;
  }

  private neverEnds(input: Input, i: number): number {
    this.inString = true;
    return this.fail("A string does not end.", input, i);
  }

  private endString(i: number): number {
    if (!this.inKey) {
      this.out += '"';
      this.state = AFTER;
      return i;
    }
    this.gotKey(JSON.parse(`"${this.word}"`) as string);
    this.state = COLON;
    return i;
  }

  /** Does a string end with the quote before `from`? What follows says so: white space and one word at most. */
  private closesAt(text: string, from: number): number {
    const i = skipBlanks(text, from);
    if (i === text.length) return this.final ? YES : WAIT;
    const code = text.charCodeAt(i);
    if (this.state === STRING && this.inKey) return code === COLON_SIGN || (code === EQUALS && this.repair) ? YES : NO;
    const { kind, close } = this.top;
    if (code === close) return kind === ARGUMENTS && this.python ? this.callEndsAt(text, i + 1) : YES;
    if (code === COMMA) {
      if (kind === ARGUMENTS && this.python) return this.keywordFollows(text, i + 1);
      if (kind !== LIST && this.quote !== this.quoteToken && this.state === STRING && !this.python) {
        return this.keyFollows(text, i + 1);
      }
      return YES;
    }
    return this.callEndsHere(text, i);
  }

  /** `,| days=` or `,| )` */
  private keywordFollows(text: string, from: number): number {
    let i = skipBlanks(text, from);
    const word = i;
    while (i < text.length && i - word < KEY_LENGTH && /[\p{L}\p{N}_$.-]/u.test(text[i] as string)) i++;
    if (i === text.length) return this.final ? NO : WAIT;
    if (i === word) return text.charCodeAt(i) === CLOSE_ROUND ? YES : NO;
    i = skipBlanks(text, i);
    if (i === text.length) return this.final ? NO : WAIT;
    return text.charCodeAt(i) === EQUALS ? YES : NO;
  }

  /** `)|, next(`, `)|]`, `)|` and a line break, the end, or a closer: not `)` in the text of a string. */
  private callEndsAt(text: string, from: number): number {
    const i = skipBlanks(text, from);
    if (text.slice(from, i).includes("\n")) return YES;
    if (i === text.length) return this.final ? YES : WAIT;
    if (",;])".includes(text[i] as string)) return YES;
    return this.callEndsHere(text, i);
  }

  /** A closer, an opener or an end-of-turn token; at the end of the output half of one. */
  private callEndsHere(text: string, i: number): number {
    if (!this.ends.first.includes(text[i] as string)) return NO;
    const here = this.ends.at(text, i, false);
    return here === WAIT && this.final ? YES : here;
  }

  /** `error|}<tool_call|>`: brackets for all that is open, and then nothing but the end of the call. */
  private lostQuote(text: string, from: number): number {
    let i = from;
    for (let level = this.open.length - 1; level >= 0; level--) {
      i = skipBlanks(text, i);
      if (i === text.length) return this.final ? NO : WAIT;
      if (text.charCodeAt(i) !== (this.open[level] as Container).close) return NO;
      i++;
    }
    i = skipBlanks(text, i);
    const closer = matchLength(this.closers, text, i, this.final);
    if (closer <= 0 || this.cut) return closer < 0 ? WAIT : NO;
    return this.ends.breaks(text, i, this.final);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function unquote(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
