import type { SchemaNode } from "../schema/node.ts";
import type { RepairLog } from "./repairs.ts";

/** Where JSON text goes as soon as it can no longer change. */
export interface Sink extends RepairLog {
  write(json: string): void;
  /** The same for text that stands in the output just so, at this offset. */
  verbatim(json: string, from: number): void;
  /** As `verbatim`, inside a string, without quotes and backslashes: who looks for structure need not look here. */
  run(json: string, from: number): void;
  /** Something was repaired: what is written from here on is better not shown before the end. */
  hush(): void;
}

/** What a `Watch` wants done with a value. */
export const CAPTURE = 1;
export const DESCEND = 2;
export const ARGUMENTS = 3;
/** Like CAPTURE, for a name or an id: a quote inside it is no data. */
export const CAPTURE_NAME = 4;
export type Wish = typeof CAPTURE | typeof DESCEND | typeof ARGUMENTS | typeof CAPTURE_NAME;

/**
 * Reads along in the object *around* the arguments. Never called inside them: that was a sixth of the running time.
 */
export interface Watch {
  /** Where the arguments go, and their schema: asked after `value` has answered ARGUMENTS. */
  readonly sink: Sink;
  readonly node: SchemaNode;
  /** A value begins with the character `first`, under `key` or in a list (null). */
  value(key: string | null, depth: number, first: number, offset: number): Wish;
  /** A captured value is complete, as compact JSON. False: stop reading, this is nothing of ours. */
  got(key: string | null, json: string, offset: number): boolean;
  /** The arguments, or a container that was descended into, are complete; `depth` is that of the value. */
  closed(depth: number, offset: number): void;
  /** A key without a value: `{"function=hunt", …}`. True: taken. */
  lone(key: string): boolean;
  /** Could this be a key of an object that is descended into? */
  expects(key: string): boolean;
}

/** Knows what ends a call from outside, for text that went wrong. Both answer 1 yes, 0 no, -1 not yet known. */
export interface Ends {
  /** Characters at which to ask. */
  readonly first: string;
  /** Does a closer or an opener of the format stand here? */
  at(text: string, at: number, ended: boolean): number;
  /** Is this certainly the end of a call, even inside a string that never closes? */
  breaks(text: string, at: number, ended: boolean): number;
}

export interface ReaderOptions {
  sink?: Sink | undefined;
  node?: SchemaNode | undefined;
  watch?: Watch | undefined;
  ends?: Ends | undefined;
  repair: boolean;
  /** The text is a Python literal: single quotes, `True`, `None` and Python's escapes are no repair. */
  python?: boolean | undefined;
  /** Deepest nesting. */
  depth: number;
}

/** Why reading stopped. */
export interface Fault {
  kind: "invalid-arguments" | "limit-exceeded";
  message: string;
  /** Of the first wrong character. */
  offset: number;
  /** Where the token begins that went wrong: what follows is read again from here to find the end of the call. */
  token: number;
  /** The token is a string that never closes: nothing in it can be trusted to be data. */
  inString: boolean;
  /** `offset` is inside a string. */
  within: boolean;
  /** Where the object ends, if its string has run into the next one. */
  next?: number | undefined;
}
