import type { Input } from "../input.ts";
import type { RepairLog } from "./repairs.ts";
import type { Ends, Fault, ReaderOptions, Sink, Watch } from "./types.ts";

// What the reader expects next, or is inside of.
export const VALUE = 0;
export const KEY = 1;
export const COLON = 2;
export const AFTER = 3;
export const STRING = 4;
export const FRESH = 5;
export const NUMBER = 6;
export const WORD = 7;
export const COMMENT = 8;
export const SKIP = 9;
export const DONE = 10;
export const BAD = 11;
export const UNCLOSED = 12;

/** Why a value is read whole before anything of it goes on. */
export const NONE = 0;
export const COERCE = 1;
export const WATCH = 2;

/**
 * The output side of the JSON reader. What is read is not copied token by token. The text at hand from `from` on is the
 * *span*, source text without blanks; up to `safe` it may go out, behind `held`, which waits from earlier chunks. Only a
 * blank, a repair or the end of the chunk cuts the span.
 */
export abstract class Span {
  fault: Fault | null = null;

  protected state: number = VALUE;
  protected sink: Sink | undefined;
  protected readonly watch: Watch | undefined;
  protected readonly ends: Ends | undefined;
  protected readonly repairing: boolean;
  protected readonly python: boolean;
  /** Inside the object around the arguments. */
  protected watching: boolean;
  protected capture: number = NONE;

  /** Text of this chunk that goes out. */
  protected out = "";
  /** Text that may not go out yet, and where it stands in the output just so (-1: it differs from the output). */
  protected held = "";
  protected heldFrom = -1;
  /** Position in the text at hand where the span begins, and up to where it may go out (-1: nothing may). */
  protected from = 0;
  protected safe = -1;

  protected inKey = false;
  /** The string that is read goes out as it comes. */
  protected streams = false;
  /** Offset of the token that is read. */
  protected token = 0;

  constructor(options: ReaderOptions) {
    this.sink = options.sink;
    this.watch = options.watch;
    this.ends = options.ends;
    this.repairing = options.repair;
    this.python = options.python === true;
    this.watching = options.watch !== undefined;
  }

  /** Moves the span up to `i` out of the text: what is safe to `out`, the rest to `held`. */
  protected cut(input: Input, i: number): void {
    const { from, safe } = this;
    if (i < from) return;
    const { text } = input;
    if (this.watching && this.capture === NONE && !(this.inKey && this.state === STRING)) {
      this.held = "";
    } else if (safe >= from) {
      // an empty span can be safe too: then what is held from earlier chunks goes out
      this.out += this.held + text.slice(from, safe);
      this.held = text.slice(safe, i);
      this.heldFrom = input.base + safe;
    } else if (i > from) {
      this.hold(text.slice(from, i), input.base + from);
    }
    this.from = i;
    this.safe = -1;
  }

  protected hold(piece: string, offset: number): void {
    if (this.held === "") this.heldFrom = offset;
    else if (this.heldFrom + this.held.length !== offset) this.heldFrom = -1;
    this.held += piece;
  }

  /** Text that does not stand in the output. */
  protected put(piece: string): void {
    this.heldFrom = -1;
    this.held += piece;
  }

  /** All that was read may go out. */
  protected release(): void {
    this.out += this.held;
    this.held = "";
  }

  /** The end of the chunk: hands on what may go. */
  protected flush(input: Input, i: number): void {
    if (this.streams && this.state === STRING && i > this.from) this.safe = i;
    const { from, safe } = this;
    if (this.out === "" && safe >= from && !this.watching) {
      // the usual case: one piece of the output, as it stands
      const { text, base } = input;
      if (this.held === "" && from === 0 && safe === text.length) {
        this.from = i;
        this.safe = -1;
        (this.sink as Sink).verbatim(text, base);
        return;
      }
      const piece = this.held + text.slice(from, safe);
      const at = this.held === "" || this.heldFrom + this.held.length === base + from ? base + safe - piece.length : -1;
      this.held = safe < i ? text.slice(safe, i) : "";
      this.heldFrom = base + safe;
      this.from = i;
      this.safe = -1;
      if (piece === "") return;
      if (at >= 0 && this.heldFrom >= 0) (this.sink as Sink).verbatim(piece, at);
      else (this.sink as Sink).write(piece);
      return;
    }
    this.cut(input, i);
    this.send();
  }

  protected send(): void {
    const { out } = this;
    if (out === "") return;
    this.out = "";
    this.sink?.write(out);
  }

  protected note(kind: Parameters<RepairLog["repair"]>[0], input: Input, i: number): void {
    if (this.streams) this.safe = i;
    this.cut(input, i);
    if (this.python && (kind === "single-quotes" || kind === "python-word")) return;
    this.send();
    this.sink?.hush();
    (this.sink ?? this.watch?.sink)?.repair(kind, kind === "python-word" ? this.token : input.base + i);
  }

  protected fail(
    input: Input,
    i: number,
    message: string,
    kind: Fault["kind"] = "invalid-arguments",
    inString = false,
  ): number {
    const offset = input.base + i;
    const within = this.state === STRING;
    this.fault = { kind, message, offset, token: within ? this.token : offset, inString, within };
    this.state = BAD;
    if (within && this.streams) this.safe = i;
    return i;
  }

  protected stop(offset: number, message: string, inString = false): void {
    const token = this.state === NUMBER || this.state === WORD || inString ? this.token : offset;
    const at = inString ? offset : token;
    this.fault = { kind: "invalid-arguments", message, offset: at, token, inString, within: inString };
    this.state = BAD;
  }
}
