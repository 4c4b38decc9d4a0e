import { Call, type Calls } from "../calls.ts";
import type { Input, Waiting } from "../input.ts";
import { QuickReader } from "../json/quick-reader.ts";
import {
  ARGUMENTS,
  CAPTURE,
  CAPTURE_NAME,
  DESCEND,
  type Fault,
  type Sink,
  type Watch,
  type Wish,
} from "../json/reader.ts";
import { anything, type SchemaNode } from "../schema/node.ts";
import { giveArguments, isOver, ranOut, report } from "./arguments.ts";
import { resync } from "./ends.ts";

const NAME_KEYS: ReadonlySet<string> = new Set(["name", "tool_name", "function"]);
const ARGUMENT_KEYS: ReadonlySet<string> = new Set(["arguments", "parameters", "args"]);
const ID_KEYS: ReadonlySet<string> = new Set(["id", "tool_call_id"]);

export interface EnvelopeOptions {
  /** The id stands behind the arguments (Mistral's list): the call is announced at its id or its end. */
  idLast?: boolean;
  /**
   * No marker stands before the object, so it is a call only when it says so: a declared name and arguments, and no
   * other key before. `whole`: nor is it one in the middle of a message, or with anything beside it.
   */
  bare?: boolean;
  /** What it means that there is no marker: where the format has one, a repair. */
  lostOpener?: boolean;
  /** Objects stand one behind the other in their wrapper: like those of a list, a broken one ends by its own balance. */
  row?: boolean;
  /** The only key of the object is the name, and its value the arguments: `{"tide_level": {"port": "Oban"}}`. */
  nameIsKey?: boolean;
  /** It is written as a Python literal. */
  python?: boolean;
  /** The bare object begins the message: then even an undeclared name makes a call, if it is exactly call-shaped. */
  first?: boolean;
}

function isUsual(key: string): boolean {
  return NAME_KEYS.has(key) || ARGUMENT_KEYS.has(key) || ID_KEYS.has(key) || key === "type";
}

/**
 * The object around the arguments: `{"name": "tide_level", "arguments": {…}, "id": "…"}`, alone or in a list, with the
 * keys in any order, or one level down under `function`.
 */
class Envelope implements Watch {
  node: SchemaNode = anything;
  /** Calls that were begun. */
  count = 0;
  /** The call that is open. */
  call: Call | null = null;
  /** Behind the last call that came to its end. */
  end = 0;
  /** Elements stand in a list. */
  list = false;

  private readonly calls: Calls;
  private readonly options: EnvelopeOptions;
  private elements = 0;
  private start: number;
  private name: string | null = null;
  private id: string | null = null;
  private json: string | null = null;
  private jsonOffset = 0;
  private streamed = false;
  /** The key that is the name. */
  private nameKey: string | null = null;
  private argumentsKey: string | null = null;
  private extras: string[] = [];
  private repairs: Parameters<Sink["repair"]>[] = [];

  constructor(calls: Calls, start: number, options: EnvelopeOptions) {
    this.calls = calls;
    this.start = start;
    this.options = options;
  }

  /** Repairs around the arguments belong to the call once it is begun. */
  get sink(): Sink {
    const repair = (...repair: Parameters<Sink["repair"]>): void => void this.repairs.push(repair);
    return this.call ?? { write() {}, verbatim() {}, run() {}, hush() {}, repair };
  }

  value(key: string | null, depth: number, first: number, offset: number): Wish {
    const level = this.list ? depth - 1 : depth;
    if (depth === 0 && first === 0x5b) {
      this.list = true;
      return DESCEND;
    }
    if (level <= 0) {
      // the first call begins at the marker before the list, with what stands before it
      if (depth > 0 && this.elements++ > 0) this.reset(this.count === 0 ? this.start : offset);
      return first === 0x7b ? DESCEND : CAPTURE;
    }
    if (this.options.nameIsKey && level === 1 && this.takesKey(key as string, first, offset)) {
      if (first !== 0x7b || this.streamed) return CAPTURE;
      this.streamed = true;
      this.node = (this.call as Call).node;
      return ARGUMENTS;
    }
    if (key === "function" && first === 0x7b) return DESCEND;
    if (
      ARGUMENT_KEYS.has(key as string) &&
      first === 0x7b &&
      !this.streamed &&
      this.json === null &&
      this.name !== null
    ) {
      if (this.call === null && this.isOurs()) this.begin();
      if (this.call !== null) {
        this.streamed = true;
        this.node = this.call.node;
        return ARGUMENTS;
      }
    }
    return first === 0x22 && (NAME_KEYS.has(key as string) || ID_KEYS.has(key as string)) ? CAPTURE_NAME : CAPTURE;
  }

  got(key: string | null, json: string, offset: number): boolean {
    if (key === null) {
      // an element that is no object: the calls beside it stand
      if (!this.list || this.options.bare) return false;
      if (this.count > 0) this.nameless(offset);
      this.end = offset;
      return true;
    }
    if (key === this.nameKey) {
      if (!this.streamed) this.json = json;
      this.jsonOffset = offset - json.length;
      return true;
    }
    if (NAME_KEYS.has(key) && this.name === null) {
      if (!json.startsWith('"')) return false;
      return this.named(JSON.parse(json));
    }
    if (ARGUMENT_KEYS.has(key)) {
      if (!this.streamed) this.json = json;
      this.jsonOffset = offset - json.length;
      this.argumentsKey = key;
    } else if (ID_KEYS.has(key) && json.startsWith('"')) {
      this.id = JSON.parse(json);
      this.call?.identify(this.id as string);
      if (this.options.idLast) this.call?.announce();
    } else if (key !== "type") {
      this.extras.push(`${JSON.stringify(key)}:${json}`);
      return this.call !== null || !this.options.bare;
    }
    return true;
  }

  closed(depth: number, offset: number): void {
    if (depth === (this.list ? 1 : 0)) this.finish(offset);
  }

  /** `{"function=hunt", "arguments": …}`: a tag's opener in place of a name. */
  lone(key: string): boolean {
    const name = key.startsWith("function=") ? key.slice(9) : "";
    if (!this.calls.rules.repair || !this.calls.declares(name)) return false;
    this.repairs.push(["near-miss-name", this.start]);
    return this.named(name);
  }

  expects(key: string): boolean {
    return isUsual(key) || (this.options.nameIsKey === true && this.calls.declares(key));
  }

  /**
   * Is this key the name? An object that is written with the usual keys is read as usual. A second key besides the name
   * would make it two calls, or none.
   */
  private takesKey(key: string, first: number, offset: number): boolean {
    if (this.nameKey !== null) {
      if (this.call?.broken === false) this.call.fail("invalid-arguments", "An object must hold one call.", offset);
      return key === this.nameKey;
    }
    const isObject = first === 0x7b;
    const usual = isObject ? ARGUMENT_KEYS.has(key) && !this.calls.declares(key) : isUsual(key);
    if (this.name !== null || usual || key.trim() === "") return false;
    this.nameKey = key;
    return this.named(key);
  }

  private named(written: string): boolean {
    this.name = Call.nameFor(this.calls, written);
    if (this.name === "") return false;
    if (this.name !== written) this.repairs.push(["near-miss-name", this.start]);
    if (!this.options.bare) this.begin();
    return true;
  }

  /** A bare object is ours as soon as its name is that of a tool. */
  private isOurs(): boolean {
    return this.calls.knows(this.name as string);
  }

  private begin(): void {
    const call = this.calls.begin(this.start);
    if (this.options.lostOpener && this.count === 0) call.repair("missing-opener", this.start);
    for (const repair of this.repairs) call.repair(...repair);
    this.repairs = [];
    if (this.id !== null) call.identify(this.id);
    call.named(this.name as string, this.options.idLast === true && this.id === null);
    this.call = call;
    this.count++;
  }

  /** The object is closed: it is the call, whatever follows. */
  finish(end: number): void {
    // `{"arguments": {…}}`, and nothing else: then that is the name
    const alone = this.name === null && this.id === null && this.extras.length === 0 ? this.argumentsKey : null;
    if (this.options.nameIsKey && alone !== null) this.named(alone);
    if (this.call === null && this.name !== null && this.isCallShaped()) this.begin();
    const { call } = this;
    if (call !== null) {
      if (call.broken) this.json = null;
      else if (this.json === "null") this.json = null;
      else if (this.json !== null) giveArguments(call, this.calls, this.json, this.jsonOffset);
      else if (!this.streamed && this.extras.length !== 0 && this.calls.rules.repair) {
        call.hush();
        call.repair("flattened-arguments", this.start);
        giveArguments(call, this.calls, `{${this.extras.join(",")}}`, this.start);
      }
      call.end(end);
    } else if (this.count > 0) {
      this.nameless(end);
    }
    this.end = end;
    this.reset(this.count === 0 ? this.start : end);
  }

  private isCallShaped(): boolean {
    if (this.isOurs()) return this.extras.length === 0;
    const offered = this.calls.rules.tools?.names.length !== 0;
    return offered && this.options.first === true && this.extras.length === 0 && this.json?.startsWith("{") === true;
  }

  private nameless(end: number): void {
    rejectNameless(this.calls, this.start, end);
    this.count++;
  }

  /** The call cannot be read on. */
  abandon(input: Input, fault: Fault | null): Call {
    if (this.call === null) {
      this.call = this.calls.begin(this.start);
      this.count++;
    }
    if (!this.call.broken) report(this.call, input, fault);
    return this.call;
  }

  /** Forgets the call that is open: the next begins at `start`. */
  reset(start: number): void {
    this.start = start;
    this.call = null;
    this.name = null;
    this.id = null;
    this.json = null;
    this.streamed = false;
    this.nameKey = null;
    this.argumentsKey = null;
    if (this.extras.length !== 0) this.extras = [];
    if (this.repairs.length !== 0) this.repairs = [];
  }
}

/** Something without a name stands among calls. */
export function rejectNameless(calls: Calls, from: number, to: number): void {
  const call = calls.begin(from);
  call.fail("invalid-arguments", 'A call needs a "name".', from);
  call.end(to);
}

/**
 * Reads one object, or a list of objects, each of which is a call.
 * @returns whether there was a call in it.
 */
export function* envelopes(input: Input, calls: Calls, from: number, options: EnvelopeOptions): Waiting<boolean> {
  const { ends, repair, depth } = calls.rules;
  const envelope = new Envelope(calls, from, options);
  const reader = new QuickReader({
    watch: envelope,
    ends: options.bare ? undefined : ends,
    repair,
    depth,
    python: options.python,
  });
  for (;;) {
    yield* input.run(reader);
    if (reader.done) return envelope.count > 0;
    const between = envelope.call === null && envelope.list && reader.depth === 1;
    if (reader.unclosed && (between || (repair && !ranOut(input)))) {
      if (envelope.call === null && envelope.count === 0 && options.bare) return false;
      if (between) {
        if (envelope.count > 0) input.back(envelope.end);
        return envelope.count > 0;
      }
      reader.finish(input);
      return envelope.count > 0;
    }
    const { fault } = reader;
    if (envelope.call === null && envelope.count === 0) {
      const around = envelope.list ? 1 : 0;
      const inElement = fault !== null && fault.next === undefined && reader.depth > around;
      if (!inElement || !(envelope.list || options.row) || options.bare || isOver(input))
        return !options.bare && calls.cut(from);
      // an element without a name: those behind it may have one
      reader.recover(around);
      continue;
    }
    if (between) {
      // what follows the last call of the list is none, and is read again as something else
      input.back(envelope.end);
      yield* input.space();
      if (!(yield* input.take(","))) input.back(envelope.end);
      return true;
    }
    const call = envelope.abandon(input, fault);
    if (fault?.next !== undefined) {
      // its string has run into the next object, which stands
      input.back(fault.next);
      call.end(fault.next);
      if (!envelope.list) return true;
      envelope.reset(fault.next);
      reader.leave();
      continue;
    }
    if (fault === null || fault.inString || isOver(input) || !(envelope.list || options.bare || options.row)) {
      if (fault !== null && !options.bare) yield* resync(input, ends, fault);
      call.end(input.offset);
      return true;
    }
    // in a list the object's own balance ends it, so that its siblings stand
    reader.recover(envelope.list ? 1 : 0);
  }
}
