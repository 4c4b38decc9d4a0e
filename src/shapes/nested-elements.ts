import { Argument, quote, typedText } from "../argument.ts";
import { Call, type Calls } from "../calls.ts";
import type { Reading } from "../format.ts";
import type { Input, Waiting } from "../input.ts";
import { declaresProperty, emptyText } from "../schema/declared.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { jsonArguments, ranOut, readJson } from "./arguments.ts";
import { endsHere, resyncAt } from "./ends.ts";
import { BEFORE, CLOSER, DATA, OTHER, STRUCTURE, skipBlanks, TagText, type TextSink, WAIT } from "./tag-text.ts";

/** A notation in which a call's arguments are elements of its own, nested as the values are. */
export interface ElementTags {
  /** Stands before every tag; what does not follow it is no tag. */
  token: string;
  /** Names of the elements around the calls, around one call, around one item of a list. */
  wrap: string;
  call: string;
  item: string;
}

/** Behind the wrapper's opener, or at the opener of a call whose wrapper is missing. */
export function nestedCalls(tags: ElementTags): Reading {
  const wrapper = `${tags.token}<${tags.wrap}>`;
  return function* (input, calls, opener, from) {
    const wrapped = opener === wrapper;
    if (!wrapped) {
      if (!calls.rules.repair) return false;
      input.pos -= opener.length;
    }
    let start = from;
    let read = false;
    for (;;) {
      const behind = input.offset;
      yield* input.space();
      if (read) start = input.offset;
      const called = yield* new Elements(input, calls, tags).call(start, wrapped);
      if (called === RESUMED) return true;
      if (called === NO_CALL) {
        // behind a call it may as well be half of a closer, which is dropped
        const residue = read && (input.pos === input.text.length || input.endsInPartOf(closersOf(tags)));
        if (wrapped && input.ended && !residue && isHalf(input, tags)) {
          input.pos = input.text.length;
          if (calls.cut(start)) return true;
        }
        input.back(behind);
        return read;
      }
      read = true;
    }
  };
}

function closersOf({ token, wrap, call }: ElementTags): string[] {
  return [`${token}</${wrap}>`, `${token}</${call}>`];
}

/** Is what is left the beginning of a call's opener? */
function isHalf(input: Input, { token, call }: ElementTags): boolean {
  const rest = input.text.slice(input.pos);
  const open = `${token}<${call} name=`;
  return open.startsWith(rest) || (rest.startsWith(open) && !rest.includes(">", open.length));
}

const NO_CALL = 0;
const CALLED = 1;
/** The call did not end, and the input is back at a call that begins inside it. */
const RESUMED = 2;

/** Longest name of an element, and longest opener of a call. */
const NAME_LENGTH = 256;
const HEADER_LENGTH = 320;
const OBJECT = 0x7b;

interface Tag {
  closes: boolean;
  name: string;
  /** `<parameter name="port">`: what the attribute says; null: there is none. */
  attribute: string | null;
  /** Offset behind its `>` in the text. */
  to: number;
}

/** The tag behind the token at `i`: null: none, undefined: not yet known. */
function tagAt(text: string, i: number, ended: boolean): Tag | null | undefined {
  if (i >= text.length) return ended ? null : undefined;
  if (text.charCodeAt(i) !== 0x3c) return null;
  const closes = text.charCodeAt(i + 1) === 0x2f;
  const from = closes ? i + 2 : i + 1;
  for (let to = from; to - from <= NAME_LENGTH; to++) {
    if (to >= text.length) return ended ? null : undefined;
    const code = text.charCodeAt(to);
    if (code === 0x3e) return tagOf(closes, text.slice(from, to), to + 1);
    if (code === 0x3c || code === 0x0a) return null;
  }
  return null;
}

const WITH_ATTRIBUTE = /^([^\s=]+)\s+name\s*=\s*("[^"\n]*"|'[^'\n]*'|[^\s"']+)\s*$/;

/** What a tag is made of; null: it is none. */
function tagOf(closes: boolean, inside: string, to: number): Tag | null {
  const match = WITH_ATTRIBUTE.exec(inside);
  if (match === null)
    return inside === "" || /=\s*["']/.test(inside) ? null : { closes, name: inside, attribute: null, to };
  const [, name = "", written = ""] = match;
  const attribute = written.replace(/^["']|["']$/g, "").trim();
  return closes || attribute === "" ? null : { closes, name, attribute, to };
}

/** Reads the elements of one call. */
class Elements {
  private readonly input: Input;
  private readonly calls: Calls;
  private readonly tags: ElementTags;
  private current: Call | null = null;
  /** Names of the elements that are open around a value. */
  private readonly around: string[] = [];

  constructor(input: Input, calls: Calls, tags: ElementTags) {
    this.input = input;
    this.calls = calls;
    this.tags = tags;
  }

  private get open(): Call {
    return this.current as Call;
  }

  /** `|<invoke name="tide_level"><port>Oban</port></invoke>` */
  *call(from: number, wrapped: boolean): Waiting<number> {
    const { input, calls } = this;
    const { repair } = calls.rules;
    const header = yield* this.header();
    if (header === null || (header.unusual && !repair)) return NO_CALL;
    input.pos += header.length;
    if (!wrapped && !(yield* this.grammarFollows(calls.declares(header.name)))) return NO_CALL;
    const call = calls.begin(from);
    this.current = call;
    if (!wrapped) call.repair("missing-opener", from);
    else if (header.unusual) call.repair("near-miss-tag", from);
    call.named(Call.nameFor(calls, header.name));
    return yield* this.members();
  }

  private *header(): Waiting<{ name: string; length: number; unusual: boolean } | null> {
    const { input, tags } = this;
    const open = `${tags.token}<${tags.call}`;
    if (!(yield* input.at(open))) return null;
    for (let length = open.length + 1; length <= HEADER_LENGTH; length++) {
      if (!(yield* input.more(length))) return null;
      if (input.text.charCodeAt(input.pos + length - 1) !== 0x3e) continue;
      const inside = input.text.slice(input.pos + open.length, input.pos + length - 1);
      const name = tagOf(false, `${tags.call} ${inside}`, 0)?.attribute ?? null;
      return name === null ? null : { name, length, unusual: inside !== ` name="${name}"` };
    }
    return null;
  }

  /** Does an element or the call's closer stand here? Where the output ends it may have come; a declared name needs none. */
  private *grammarFollows(declared: boolean): Waiting<boolean> {
    const { input } = this;
    const from = input.offset;
    yield* input.space();
    const atEnd = !(yield* input.more()) && (declared || !input.finished);
    const follows = atEnd || (yield* input.at(this.tags.token)) || (declared && (yield* input.at("{")));
    input.back(from);
    return follows;
  }

  /** The tag behind white space and the token, without reading it. */
  private *nextTag(): Waiting<Tag | null> {
    const { input, tags } = this;
    for (;;) {
      const { text, ended } = input;
      const i = skipBlanks(text, input.pos);
      const rest = text.length - i;
      if (text.startsWith(tags.token, i)) {
        const tag = tagAt(text, i + tags.token.length, ended);
        if (tag !== undefined) return tag;
      } else if (ended || rest >= tags.token.length || !tags.token.startsWith(text.slice(i))) {
        return null;
      }
      yield;
    }
  }

  /** The arguments, up to the call's closer. */
  private *members(): Waiting<number> {
    const { input, calls, tags, open: call } = this;
    const given = new Set<string>();
    for (;;) {
      const behind = input.offset;
      const tag = yield* this.nextTag();
      if (tag?.closes && tag.name === tags.call) {
        input.pos = tag.to;
        return this.complete();
      }
      if (this.isElement(tag)) {
        const key = this.enter(tag);
        const outcome = yield* this.member(tag.name, key, given);
        if (outcome !== null) return outcome;
        given.add(key);
        continue;
      }
      yield* input.space();
      if (calls.rules.repair && given.size === 0 && (yield* input.peek()) === OBJECT) {
        call.repair("near-miss-tag", input.offset);
        yield* jsonArguments(input, calls, call);
        const close = yield* this.nextTag();
        if (close?.closes && close.name === tags.call) input.pos = close.to;
        return CALLED;
      }
      if (!(yield* input.more()) || this.endsInHalf() || (yield* endsHere(input, calls.rules.ends))) {
        return this.unclosed(behind);
      }
      if (this.endsInTag()) return this.unfinished(null);
      return yield* this.broken("Expected an element.");
    }
  }

  /** The opener of an element, whose key stands in an attribute where the notation of another model is taken for this. */
  private isElement(tag: Tag | null): tag is Tag {
    const { wrap, call } = this.tags;
    if (tag === null || tag.closes || tag.name === wrap) return false;
    return tag.attribute === null || (tag.name !== call && this.calls.rules.repair);
  }

  /** Reads the opener of an element, and answers its key. */
  private enter({ name, attribute, to }: Tag): string {
    if (attribute !== null) this.open.repair("near-miss-tag", this.input.offset);
    this.input.pos = to;
    return attribute ?? name;
  }

  /** Does the output end in the token, or in a tag behind it? */
  private endsInTag(): boolean {
    const { text, pos, ended } = this.input;
    const { token } = this.tags;
    if (!ended) return false;
    if (!text.startsWith(token, pos)) return token.startsWith(text.slice(pos));
    return tagAt(text, pos + token.length, false) === undefined;
  }

  private endsInHalf(): boolean {
    const { token, call } = this.tags;
    return this.input.endsInPartOf([`${token}</${call}>`]);
  }

  private complete(): number {
    if (!this.open.broken) this.open.closeMembers();
    this.open.end(this.input.offset);
    return CALLED;
  }

  /** All elements are complete, only the closer is missing. */
  private unclosed(end: number): number {
    const { input, calls, open: call } = this;
    if (this.endsInHalf()) input.pos = input.text.length;
    if (ranOut(input)) call.fail("truncated", "The output was cut off before the end of the call.", input.offset);
    else if (!calls.rules.repair)
      call.fail("invalid-arguments", "The closing tag of the call is missing.", input.offset);
    else call.repair("missing-closer", end);
    return this.complete();
  }

  private *broken(message: string): Waiting<number> {
    const { input, calls, tags, open: call } = this;
    const close = `${tags.token}</${tags.call}>`;
    call.fail("invalid-arguments", message, input.offset);
    yield* resyncAt(input, calls.rules.ends, [close]);
    yield* input.take(close);
    call.end(input.offset);
    return CALLED;
  }

  /** The output ends inside an element. `resume`: where a whole call begins inside it. */
  private unfinished(resume: number | null): number {
    const { input, open: call } = this;
    if (resume === null) input.pos = input.text.length;
    const message = "The output ends inside a value.";
    if (!input.finished) call.fail("truncated", message, input.offset);
    else call.fail("invalid-arguments", message, resume ?? input.offset);
    const again = resume !== null && input.finished && input.mayGoBack;
    call.end(again ? resume : input.offset);
    if (again) input.back(resume);
    return again ? RESUMED : CALLED;
  }

  /** Behind `<port>`: one argument. Null: it is read; else the call is over. */
  private *member(name: string, key: string, given: ReadonlySet<string>): Waiting<number | null> {
    const { calls, open: call } = this;
    const node = call.tool?.node.key(key) ?? anything;
    const siblings = { node: call.tool?.node ?? anything, given };
    call.place(key, this.input.offset);
    if (node.wire !== "text" && (yield* this.childrenFollow())) {
      const value = yield* this.children(name, node, 1);
      if (typeof value !== "string") return value.outcome;
      const { coerces, depth } = calls.rules;
      const json = coerces ? readJson(value, { repair: false, depth: depth - 1, node }) : value;
      call.write(call.member(key) + (json ?? value));
      return null;
    }
    if (node.wire === "json") {
      const value = yield* this.text(name, node, siblings);
      if (typeof value !== "string") return value.outcome;
      call.write(call.member(key) + value);
      return null;
    }
    const argument = new Argument(call, calls, key);
    const over = yield* this.run(argument, name, siblings);
    if (over !== null) return over;
    argument.end();
    return null;
  }

  private *run(sink: TextSink, name: string, siblings: Siblings): Waiting<number | null> {
    const { input, calls, tags, around, open: call } = this;
    const text = new ElementText(tags, calls, sink, name, { ...siblings, around });
    yield* input.run(text);
    if (text.outcome === "open") return this.unfinished(text.resume);
    if (text.outcome !== "closed") call.repair(text.outcome, input.offset);
    if (text.outcome === "missing-closer") input.pos -= tags.token.length;
    return null;
  }

  /** The text of an element, typed by its schema: its JSON. */
  private *text(name: string, node: SchemaNode, siblings: Siblings): Waiting<string | Over> {
    const collector = new Collector();
    const outcome = yield* this.run(collector, name, siblings);
    if (outcome !== null) return { outcome };
    const { text } = collector;
    const trimmed = text.trim();
    if (trimmed === "" && node.wire === "json") return emptyText(node) ?? quote(text);
    return typedText(text, trimmed, node, node.wire, this.calls.rules, this.open);
  }

  private *childrenFollow(): Waiting<boolean> {
    const tag = yield* this.nextTag();
    return this.isElement(tag);
  }

  /** The elements in an element, up to its closer: a list if all are items, else an object. Its JSON. */
  private *children(name: string, node: SchemaNode, depth: number): Waiting<string | Over> {
    const { input, calls, tags } = this;
    const values: string[] = [];
    const keys: string[] = [];
    const given = new Set<string>();
    const isList = (): boolean => keys.every((key) => key === tags.item) && !declaresProperty(node, tags.item);
    if (depth >= calls.rules.depth) {
      this.open.fail(
        "limit-exceeded",
        `The arguments are nested more than ${calls.rules.depth} levels deep.`,
        input.offset,
      );
      return { outcome: yield* this.broken("They are too deep.") };
    }
    this.around.push(name);
    for (;;) {
      const tag = yield* this.nextTag();
      if (tag?.closes && tag.name === name) {
        input.pos = tag.to;
        this.around.pop();
        if (isList()) return `[${values.join(",")}]`;
        return `{${keys.map((key, at) => `${quote(key)}:${values[at]}`).join(",")}}`;
      }
      if (!this.isElement(tag)) {
        yield* input.space();
        if (!(yield* input.more()) || this.endsInTag()) return { outcome: this.unfinished(null) };
        return { outcome: yield* this.broken(`Expected the end of ${JSON.stringify(name)} or an element in it.`) };
      }
      const key = this.enter(tag);
      const asItem = key === tags.item && !declaresProperty(node, tags.item);
      const child = asItem ? node.item(values.length) : node.key(key);
      const nested = child.wire !== "text" && (yield* this.childrenFollow());
      const value = nested
        ? yield* this.children(tag.name, child, depth + 1)
        : yield* this.text(tag.name, child, { node, given });
      if (typeof value !== "string") return value;
      keys.push(key);
      values.push(value);
      given.add(key);
    }
  }
}

/** The call is over. */
interface Over {
  outcome: number;
}

/** What may stand beside an element. */
interface Siblings {
  node: SchemaNode;
  given: ReadonlySet<string>;
}

interface Surroundings extends Siblings {
  /** Names of the elements around it. */
  around: readonly string[];
}

/** Collects the text of an element that is typed when it is whole. */
class Collector implements TextSink {
  text = "";
  write(piece: string): void {
    this.text += piece;
  }
  pause(): void {}
}

/**
 * `|Oban]<]minimax[>[</port>`: the text of an element up to its closer. Whatever does not follow the token is data, and
 * so is any tag that nothing makes sense of.
 */
class ElementText extends TagText {
  private readonly tags: ElementTags;
  private readonly calls: Calls;
  private readonly name: string;
  private readonly siblings: Surroundings;
  /** Elements that are open inside the text, which is what makes them text. */
  private readonly inside = new Set<string>();

  constructor(tags: ElementTags, calls: Calls, sink: TextSink, name: string, siblings: Surroundings) {
    super({ argument: sink, newline: false, repair: calls.rules.repair });
    this.tags = tags;
    this.calls = calls;
    this.name = name;
    this.siblings = siblings;
    this.suffix = tags.token;
  }

  protected decide(text: string, i: number, input: Input): number {
    const { token, call, wrap } = this.tags;
    const from = i - token.length;
    if (from < input.pos || !text.startsWith(token, from)) return DATA;
    const tag = tagAt(text, i, input.ended);
    if (!tag) return tag === undefined ? WAIT : DATA;
    const { name, to } = tag;
    if (tag.closes && name === call) return this.callClosesTo(text, to, input);
    if (tag.closes) return this.elementCloses(tag, text, i, input);
    if (name === wrap) return this.wrapper(text, from, to, input);
    const { node, given } = this.siblings;
    const key = tag.attribute ?? name;
    const sibling = (tag.attribute !== null || name !== this.name) && !given.has(key) && declaresProperty(node, key);
    if (sibling && this.repair) return BEFORE;
    this.inside.add(name);
    return DATA;
  }

  /** `|</port>`, or the closer of an element inside the text, or around it, or one that was meant to be this. */
  private elementCloses({ name, to }: Tag, text: string, i: number, { ended }: Input): number {
    const own = name === this.name;
    if (!own && (!this.repair || name === this.tags.wrap || this.inside.delete(name))) return DATA;
    const next = this.follows(text, to, ended);
    if (next !== STRUCTURE) return next === WAIT ? WAIT : DATA;
    this.length = to - i;
    if (own) return CLOSER;
    if (skipBlanks(text, to) === text.length) return DATA;
    if (this.siblings.around.includes(name)) return BEFORE;
    this.outcome = "near-miss-tag";
    return CLOSER;
  }

  /** A tag, the end of the turn, or the end. */
  protected follows(text: string, from: number, ended: boolean): number {
    const i = skipBlanks(text, from);
    if (i === text.length) return ended ? STRUCTURE : WAIT;
    const { token } = this.tags;
    if (text.startsWith(token, i)) return STRUCTURE;
    if (token.startsWith(text.slice(i))) return ended ? STRUCTURE : WAIT;
    const here = this.calls.rules.ends.at(text, i, ended);
    return here === 1 ? STRUCTURE : here < 0 ? WAIT : OTHER;
  }

  /** A wrapper with a call of a declared tool: if this value never ends, a call begins here. */
  private wrapper(text: string, from: number, to: number, input: Input): number {
    if (this.resume !== null) return DATA;
    const { token, call } = this.tags;
    const open = `${token}<${call} name="`;
    const at = skipBlanks(text, to);
    if (at === text.length || (text.length - at < open.length && open.startsWith(text.slice(at)))) {
      return input.ended ? DATA : WAIT;
    }
    if (!text.startsWith(open, at)) return DATA;
    const end = text.indexOf('"', at + open.length);
    if (end < 0) return input.ended || text.length - at > HEADER_LENGTH ? DATA : WAIT;
    if (!this.calls.declares(text.slice(at + open.length, end))) return DATA;
    this.resume = input.base + from;
    this.pausesHere = true;
    return DATA;
  }
}
