import type { Call, Calls, Rules } from "./calls.ts";
import { Input } from "./input.ts";
import { QuickReader } from "./json/quick-reader.ts";
import type { JsonReader } from "./json/reader.ts";
import { escapeControl, PYTHON_WORDS } from "./json/repairs.ts";
import { anything, type SchemaNode } from "./schema/node.ts";
import { readJson } from "./shapes/arguments.ts";

const UNDECIDED = 0;
const TEXT = 1;
const JSON_TEXT = 2;
const WHOLE = 3;

const QUOTE = 0x22;
const SPECIAL = /["\\\x00-\x1f]/;
/** Text that may still turn out to be JSON: a bracket, a quote, or all of a number or word so far. */
const MAYBE_JSON =
  /^[ \t\r\n]*(?:[[{"]|-?[0-9.eE+-]*[ \t\r\n]*$|t(?:r(?:ue?)?)?[ \t\r\n]*$|f(?:a(?:l(?:se?)?)?)?[ \t\r\n]*$|n(?:u(?:ll?)?)?[ \t\r\n]*$)/;
/** What is longer than this and may still be JSON is read whole. */
const WORD_LENGTH = 64;

/**
 * One argument of a format that writes text instead of JSON: `<parameter=town>|Oban|</parameter>`. The declared schema
 * decides what the text means, never its look. Strings stream as they come, so do lists and objects, through the JSON
 * reader; everything else is typed when it is whole.
 */
export class Argument {
  private readonly call: Call;
  private readonly calls: Calls;
  private readonly key: string;
  private readonly schema: SchemaNode;
  private readonly wire: SchemaNode["wire"];
  /** It is text by what is written beside it, and coercion may make something else of text. */
  private readonly convertible: boolean;
  private mode = UNDECIDED;
  /** Text that is not typed yet. */
  private text = "";
  private offset = -1;
  /** Text that is not written because it may be read again as something else. */
  private paused = false;
  private waiting = "";
  private waitingFrom = 0;

  private inner: Input | null = null;
  private reader: JsonReader | null = null;
  private before = "";

  /** `wire`: how the text is typed, where that is written beside it. */
  constructor(call: Call, calls: Calls, key: string, wire?: SchemaNode["wire"]) {
    this.call = call;
    this.calls = calls;
    this.key = key;
    this.schema = call.tool?.node.key(key) ?? anything;
    this.wire = wire ?? this.schema.wire;
    this.convertible =
      wire === "text" && calls.rules.coerces && this.schema.wire === "json" && this.schema.holds(QUOTE);
  }

  /** Is the raw text the value? */
  get isText(): boolean {
    return this.wire === "text" || this.wire === "text-or-null";
  }

  /** What came while it was paused. */
  get held(): string {
    return this.waiting;
  }

  /** From here on nothing goes out until `resume`. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    const { waiting } = this;
    this.waiting = "";
    if (waiting !== "") this.write(waiting, this.waitingFrom, false);
  }

  /** The next piece of the value, at the offset `from`. `plain`: nothing in it needs an escape. */
  write(piece: string, from: number, plain: boolean): void {
    if (this.mode === TEXT && !this.paused) {
      if (plain) this.call.run(piece, from);
      else this.call.write(escapeText(piece));
      return;
    }
    if (this.paused) {
      if (this.waiting === "") this.waitingFrom = from;
      this.waiting += piece;
      return;
    }
    if (this.mode === JSON_TEXT) return this.read(piece);
    if (this.offset < 0) {
      this.offset = from;
      this.call.place(this.key, from);
    }
    this.text += piece;
    if (this.mode === UNDECIDED) this.decide();
  }

  /** Types what has come as soon as it can mean only one thing. */
  private decide(): void {
    const { wire } = this;
    const { text } = this;
    if (this.convertible) this.mode = WHOLE;
    else if (wire === "text" || (wire === "text-or-null" && !"null".startsWith(text))) return this.stream();
    if (wire === "open" && (text.length > WORD_LENGTH || !MAYBE_JSON.test(text))) {
      if (!MAYBE_JSON.test(text)) return this.stream();
      this.mode = WHOLE;
    }
    if (wire !== "json") return;
    const first = text.trimStart().charCodeAt(0);
    if (Number.isNaN(first)) return;
    this.mode = WHOLE;
    // what is said to be JSON may be text after all where text is admitted
    if (this.schema.wire !== "json") return;
    if ((first !== 0x7b && first !== 0x5b) || (this.calls.rules.coerces && this.schema.holds(first))) return;
    this.mode = JSON_TEXT;
    this.call.place(this.key, this.offset, true);
    this.before = this.call.written();
    this.call.write(this.call.member(this.key));
    this.inner = new Input();
    this.inner.base = this.offset;
    const { depth, coerces, repair } = this.calls.rules;
    const node = coerces ? this.schema : anything;
    this.reader = new QuickReader({ sink: this.call, node, repair, depth: depth - 1 });
    this.read(text);
  }

  /** The raw text is the value. */
  private stream(): void {
    this.mode = TEXT;
    const { text } = this;
    this.text = "";
    this.call.write(`${this.call.member(this.key)}"${escapeText(text)}`);
  }

  private read(piece: string): void {
    const inner = this.inner as Input;
    inner.append(piece);
    (this.reader as JsonReader).step(inner);
  }

  /** The value is complete. */
  end(): void {
    if (this.paused) this.resume();
    const { call } = this;
    if (this.mode === TEXT) return call.write('"');
    if (this.mode === JSON_TEXT) return this.endJson();
    const value = this.typed(this.text.trim());
    call.write(call.member(this.key) + value);
  }

  private endJson(): void {
    const inner = this.inner as Input;
    const reader = this.reader as JsonReader;
    inner.ended = true;
    reader.step(inner);
    if (reader.done && inner.text.slice(inner.pos).trim() === "") return;
    const text = this.calls.input.slice(this.offset, inner.base + inner.text.length);
    const what = reader.fault === null ? "it does not end" : reader.fault.message;
    this.call.problem({
      kind: "wrong-type",
      path: `/${this.key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      message: `${JSON.stringify(this.key)} must be JSON, but cannot be read as such: ${what}`,
      received: "string",
      offset: reader.fault?.offset ?? this.offset,
    });
    this.call.depart(this.before, this.call.member(this.key, true) + quote(text));
  }

  /** The JSON text of a value that is whole. */
  private typed(trimmed: string): string {
    if (this.convertible) return JSON.stringify(this.schema.coerce(this.text));
    return typedText(this.text, trimmed, this.schema, this.wire, this.calls.rules, this.call);
  }
}

/** The JSON text of a value that was written as text. `wire`: how it is typed, where not just the schema says so. */
export function typedText(
  text: string,
  trimmed: string,
  schema: SchemaNode,
  wire: SchemaNode["wire"],
  { coerces, repair, depth }: Rules,
  call: Call,
): string {
  const node = coerces ? schema : anything;
  if (wire === "text") return quote(text);
  if (wire === "text-or-null") return text === "null" ? "null" : quote(text);
  // what is said to be JSON may be any text where the schema admits text
  const certain = wire === "json" && schema.wire !== "text" && schema.wire !== "text-or-null";
  const word = certain ? PYTHON_WORDS.get(trimmed) : undefined;
  const log = word === undefined ? call : undefined;
  const json = readJson(word ?? trimmed, { repair: certain && repair, depth: depth - 1, node, log });
  if (json !== null) return json;
  const value = coerces ? node.coerce(text) : text;
  return typeof value === "string" ? quote(value) : JSON.stringify(value);
}

/** Longer pieces are looked through by the regular expression engine first. */
const SHORT = 16;

/** Text as a JSON string. `JSON.stringify` would escape lone surrogates as well, here or not, as the chunks fall. */
export function quote(text: string): string {
  return `"${escapeText(text)}"`;
}

/** The inside of a JSON string. */
function escapeText(text: string): string {
  if (text.length > SHORT && !SPECIAL.test(text)) return text;
  let escaped = "";
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x20 && code !== 0x22 && code !== 0x5c) continue;
    escaped += text.slice(from, i) + (code < 0x20 ? escapeControl(code) : `\\${text[i]}`);
    from = i + 1;
  }
  return from === 0 ? text : escaped + text.slice(from);
}
