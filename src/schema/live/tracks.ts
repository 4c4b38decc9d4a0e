import { tagOf } from "../tag.ts";
import type { Place } from "./place.ts";

/** Tracks at one value: where schemas branch without end, the last check decides. */
const MOST = 64;

const tags = new WeakMap<readonly Place[], string | null>();

/** The property that says which branch of a union is meant: for the last check nothing else does. */
function tagName(union: readonly Place[]): string | null {
  let name = tags.get(union);
  if (name === undefined) {
    name = tagOf(union.flatMap(({ seeds }) => seeds))?.name ?? null;
    tags.set(union, name);
  }
  return name;
}

/** One branch of a union, as long as the value that was given to the union is read. */
export class Branch {
  readonly fork: Fork;
  failed = false;

  constructor(fork: Fork) {
    this.fork = fork;
  }

  /** What fails in it fails no call. */
  get dead(): boolean {
    return this.failed || (this.fork.owner?.dead ?? false);
  }
}

/** A union of which a branch must hold for a value. */
export class Fork {
  /** The branch that the union itself stands in; null: it must hold. */
  readonly owner: Branch | null;
  readonly union: readonly Place[];
  /** How many keys lead to the value. */
  readonly depth: number;
  readonly branches: Branch[] = [];
  /** Only by the tag did branches fail: who is left is meant. */
  telling = true;
  /** The branch that is meant: what is wrong in it is wrong. */
  sole: Branch | null = null;

  constructor(owner: Branch | null, union: readonly Place[], depth: number) {
    this.owner = owner;
    this.union = union;
    this.depth = depth;
  }

  /** `keys`: the way to the value that fails it. */
  fail(branch: Branch, keys: readonly (string | number)[]): void {
    branch.failed = true;
    if (keys.length !== this.depth + 1 || keys[this.depth] !== tagName(this.union)) this.telling = false;
  }

  get failed(): boolean {
    return this.branches.every(({ failed }) => failed);
  }

  /** Only one branch is left: from now on it is meant. Not before the value is over that has told so. */
  settle(): void {
    if (!this.telling || this.sole !== null) return;
    const left = this.branches.filter(({ failed }) => !failed);
    if (left.length === 1) this.sole = left[0] as Branch;
  }
}

/** Schemas that hold for a list or an object that is open, in some branch or in none. */
export class Track {
  readonly place: Place;
  readonly branch: Branch | null;
  /** The value is held against the place as a whole; the place of a union's branch is looked at by its owner. */
  readonly entered: boolean;
  /** The bits of the required names that came, and all names, where they count. */
  seen = 0;
  readonly names: Set<string> | null;
  /** What holds for the value that comes next in it. */
  next: Place;

  constructor(place: Place, branch: Branch | null, entered: boolean) {
    this.place = place;
    this.branch = branch;
    this.entered = entered;
    this.names = place.countsNames ? new Set() : null;
    this.next = place;
  }

  has(name: string, number: number): boolean {
    return this.names?.has(name) ?? (this.seen & (1 << number)) !== 0;
  }

  get isDead(): boolean {
    return this.branch?.dead ?? false;
  }
}

/** Everything that holds for one open value. */
export class Level {
  readonly tracks: Track[] = [];
  readonly isObject: boolean;
  /** Elements or members that have begun. */
  count = 0;
  /** Where the text of the value begins in what is kept; -1: it is not kept. */
  kept = -1;

  constructor(isObject: boolean) {
    this.isObject = isObject;
  }

  get isFull(): boolean {
    return this.tracks.length >= MOST;
  }
}
