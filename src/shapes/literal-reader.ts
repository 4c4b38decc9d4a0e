import type { Call } from "../calls.ts";
import { Input, isBlank, type Pump } from "../input.ts";
import { APOSTROPHE, BACKSLASH, COLON_SIGN, COMMA, NEITHER, NO, QUOTE, YES } from "../json/lexical.ts";
import { QuickReader } from "../json/quick-reader.ts";
import type { JsonReader } from "../json/reader.ts";
import { escapeControl, PYTHON_WORDS } from "../json/repairs.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { matchLength } from "./ends.ts";
import { type Escape, stringEscape } from "./literal-escapes.ts";
import {
  ARGUMENTS,
  CLOSE_ROUND,
  type Container,
  container,
  EQUALS,
  KEY_LENGTH,
  LIST,
  LiteralQuotes,
  type LiteralReaderOptions,
  NO_COMMA,
  OBJECT,
  ROUND,
  WAIT,
  WORD,
} from "./literal-quotes.ts";

/** What is expected next. */
const KEY = 0;
const COLON = 1;
const VALUE = 2;
const AFTER = 3;
const STRING = 4;
const BARE = 5;
const OVER = 6;

const TWO_WAYS = "A quote in a string can be read in two ways.";

/** What may be as long as it likes. */
const NUMBER_SO_FAR = /^\s*-?[0-9][0-9.eE+-]*$/;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const PYTHON_NUMBER = /^([+-]?)((?:[0-9](?:_?[0-9])*)?)(?:(\.)([0-9]*))?([eE][+-]?[0-9]+)?$/;
const JSON_WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/**
 * Reads the arguments of a call that are no JSON, and writes them as JSON: to a `JsonReader`, which knows what may go out
 * and what the schema makes of it. Where a string ends is decided by what follows its quote.
 */
export class LiteralReader extends LiteralQuotes implements Pump {
  /** `done`: the bracket is closed. `unclosed`: only brackets are missing. `open`: the output ended before. */
  outcome: "done" | "unclosed" | "open" | "fault" = "open";
  message = "The output ends inside the arguments.";
  kind: "invalid-arguments" | "limit-exceeded" = "invalid-arguments";
  faultAt = 0;
  /** A string does not end. */
  inString = false;
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
  private base = 0;
  /** No escapes. */
  private raw = false;
  /** The argument that is read. */
  private argument = "";
  /** An escape of a letter was decoded in this string. */
  private decoded = false;
  /** The backslashes of this string are data. */
  private literalEscapes = false;
  /** Something stands in this string that would end a call. */
  private heldEnd = false;

  constructor(options: LiteralReaderOptions) {
    super(options);
    const { call, depth } = options;
    this.limit = depth;
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
        if (this.top.undecided && (code === COMMA || code === this.top.close)) {
          this.becomeSet();
          return this.write(`"${this.word}"`, i);
        }
        if (code !== COLON_SIGN && !(code === EQUALS && this.repair)) return this.fail("Expected a colon.", input, i);
        this.gotKey(JSON.parse(`"${this.word}"`) as string);
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
    if (code === this.top.close) return this.close(text, i, input);
    const here = this.ends.first.includes(text[i] as string) ? this.ends.at(text, i, this.final) : NO;
    if (here === WAIT) return WAIT;
    if (here === YES) {
      this.state = OVER;
      this.outcome = "unclosed";
      return i;
    }
    return this.fail("Expected a comma or a closing bracket.", input, i);
  }

  private close(text: string, i: number, input: Input): number {
    if (this.doubted && this.open.length === 1) {
      const ends = this.callEndsAt(text, i + 1);
      if (ends === WAIT) return WAIT;
      if (ends !== YES) return this.neverEnds(input, i, TWO_WAYS);
    }
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
    const { kind, undecided } = this.open.pop() as Container;
    if (undecided) this.out += "{";
    this.out += kind === LIST ? "]" : "}";
  }

  private push(kind: number, close: number): void {
    this.separate();
    const undecided = this.python && kind === OBJECT;
    if (!undecided) this.out += kind === LIST ? "[" : "{";
    this.open.push(container(kind, close, this.node, undecided));
    this.state = kind === LIST ? VALUE : KEY;
  }

  /** `{'a'|, 'b'}` is a list. */
  private becomeSet(): void {
    const { top } = this;
    top.kind = LIST;
    top.undecided = false;
    this.out += "[";
    this.node = top.node.item(top.count++);
  }

  /** The comma before the next element. */
  private separate(): void {
    if (!this.comma) return;
    this.comma = false;
    this.out += ",";
  }

  /** Closes a bracket in which nothing stands, or nothing behind a comma. */
  private closeEmpty(text: string, i: number, input: Input): number {
    if (this.comma && !this.python) {
      if (!this.repair) return this.fail("A comma too many.", input, i);
      this.mend("trailing-comma", input.base + i);
      this.comma = false;
    }
    return this.close(text, i, input);
  }

  // --- keys

  private key(text: string, i: number, input: Input): number {
    const { top } = this;
    const code = text.charCodeAt(i);
    if (code === top.close) return this.closeEmpty(text, i, input);
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
        if (key === "") break;
        if (!sure || (this.python && !keyword && !JSON_NUMBER.test(key))) this.mend("near-miss-tag", input.base + from);
        this.gotKey(key);
        this.state = VALUE;
        return at + 1;
      }
      if (this.top.undecided && at > from && (code === COMMA || code === this.top.close)) {
        this.becomeSet();
        this.top.count = 0;
        this.state = VALUE;
        return from;
      }
      if (code === 0x7b || code === 0x7d || code === this.top.close) break;
      if (this.ends.first.includes(text[at] as string)) {
        const here = this.ends.at(text, at, this.final);
        if (here === WAIT) return WAIT;
        if (here === YES) break;
      }
      if ((this.python && "()[],'\"".includes(text[at] as string)) || at - from > KEY_LENGTH) break;
      if (this.tokenAt(text, at) > 0) break;
    }
    return this.fail(keyword ? "An argument has no name." : "Expected a key.", input, from);
  }

  private gotKey(key: string): void {
    const { top } = this;
    if (top.undecided) this.out += "{";
    top.undecided = false;
    this.separate();
    if (this.top.kind === ARGUMENTS) this.argument = key;
    this.out += `${JSON.stringify(key)}:`;
    this.node = top.node.key(key);
    top.given.add(key);
  }

  // --- values

  private value(text: string, i: number, input: Input): number {
    const { top } = this;
    const code = text.charCodeAt(i);
    if (top.kind === LIST) {
      if (code === top.close) return this.closeEmpty(text, i, input);
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

  // --- strings

  private startString(i: number, length: number, quote: string, raw: boolean, inKey: boolean): number {
    this.stringAt = this.base + i;
    this.quote = quote;
    this.raw = raw;
    this.inKey = inKey;
    this.dubious = false;
    this.heldEnd = false;
    this.decoded = false;
    this.literalEscapes = false;
    this.state = STRING;
    this.quoted = true;
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
          const surplus = this.surplusToken(text, i + token);
          if (surplus === WAIT) break;
          let closes = surplus > 0 ? YES : this.closesAt(text, i + token);
          if (closes === NO && this.repair && !this.inKey) closes = this.besides(text, i, token, input);
          if (closes === WAIT) break;
          this.emit(text.slice(from, i));
          if (surplus > 0) this.mend("near-miss-tag", input.base + i + token);
          if (closes === YES) return this.endString(i + token + surplus);
          if (closes === NO_COMMA) return this.endWithoutComma(i + token, input);
          if (this.heldEnd) return this.neverEnds(input, i);
          if (closes === NEITHER) return this.neverEnds(input, i, TWO_WAYS);
          if (!this.repair) return this.fail("A quote stands inside a string.", input, i);
          if (!this.dubious) this.mend("inner-quote", input.base + i);
          this.dubious = true;
          this.doubted = true;
          this.emit(quote === "'" ? quote : '\\"'.repeat(quote[0] === '"' ? quote.length : 1));
          i += token - 1;
          from = i + 1;
          continue;
        }
      }
      if (code === close && quote === this.quoteToken && this.repair) {
        const over = this.lostQuote(text, i, input);
        if (over === WAIT) break;
        if (over === YES || over === NEITHER) {
          this.emit(text.slice(from, i));
          if (this.dubious || this.inKey || over === NEITHER) return this.neverEnds(input, i);
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
        const found = this.escape(text, i);
        if (found === null) break;
        if (found.invalid) {
          const broken = text[i + 1] === "u" && this.jsonEscapes;
          if (!this.repair || this.decoded || broken) return this.fail("An invalid escape in a string.", input, i);
          this.emit(text.slice(from, i));
          this.mend("invalid-escape", input.base + i);
          this.literalEscapes = true;
          from = i;
        }
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

  private neverEnds(input: Input, i: number, message = "A string does not end."): number {
    this.inString = true;
    return this.fail(message, input, i);
  }

  /** `"Oban"` where strings stand between quote tokens: it is JSON's. */
  private get jsonEscapes(): boolean {
    return !this.python && this.quote === '"';
  }

  /** What the backslash at `i` means. One invalid escape shows that those of this string were meant as they stand. */
  private escape(text: string, i: number): Escape | null {
    const letter = text[i + 1] ?? "";
    const sign = "\\\"'".includes(letter);
    if (this.literalEscapes && letter !== "" && !sign) return { json: "\\\\", length: 1 };
    const found = stringEscape(text, i, this.final, this.jsonEscapes);
    if (found !== null && found.length > 1 && !sign && letter !== "u") this.decoded = true;
    return found;
  }

  private endString(i: number): number {
    this.dubious = false;
    this.quoted = false;
    if (!this.inKey) {
      this.out += '"';
      this.state = AFTER;
      return i;
    }
    this.state = COLON;
    return i;
  }

  /** `city:<|"|>Oban<|"|>| unit:` */
  private endWithoutComma(i: number, input: Input): number {
    this.mend("missing-comma", input.base + i);
    this.endString(i);
    this.comma = true;
    this.state = KEY;
    return i;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
