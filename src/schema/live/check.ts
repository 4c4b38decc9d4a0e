import type { Problem } from "../../events.ts";
import { Gathered } from "../../gathered.ts";
import { check, Run } from "../check.ts";
import { checkKey, missing } from "../check-children.ts";
import { badLength, characters, numeric } from "../check-values.ts";
import type { Schema } from "../schema.ts";
import { INTEGER, NUMBER, OBJECT, STRING } from "../value.ts";
import { noBranchLeft, notAmong, wrongKind } from "./failures.ts";
import { type Place, placeOf } from "./place.ts";
import { LiveText, unitsOf } from "./text.ts";
import { Branch, Fork, Level, Track } from "./tracks.ts";

/** Gets each problem once, and the position in the piece up to which it was certain. */
export type Report = (problem: Problem, at: number) => void;

/** Text that may be read once more, in all, in the shortest of arguments. */
const SLACK = 4096;

/** The string that is watched. */
interface OpenText {
  level: Level;
  raw: string;
  /** What is in it, as far as `enum`, `const` and `maxLength` want to know. */
  text: string;
  characters: number;
  /** Where it can still become too long, or none of the values that are meant. */
  limited: Track[];
}

/**
 * Holds arguments against their schema while their JSON text goes out. What it reports, the check of the finished
 * arguments reports as well: it knows nothing that they could still mend. What it cannot tell before the end it leaves
 * to that check.
 */
export class LiveCheck extends LiveText {
  private readonly root: Schema;
  private readonly relaxed: boolean;
  private readonly report: Report;
  private readonly levels: Level[] = [];
  private readonly forks: Fork[] = [];
  private string: OpenText | null = null;
  private readonly told = new Set<string>();
  private decided: boolean;
  /** The text of the containers that have to be read as a whole, and how much of it there is. */
  private readonly kept = new Gathered();
  private keptLength = 0;
  /** Position in the piece from which on text is kept; -1: none is. */
  private keptFrom = -1;
  private length = 0;
  private reread = 0;

  /** `alone`: nothing but the schema has to be asked. */
  constructor(root: Schema, relaxed: boolean, report: Report, alone = true) {
    super();
    this.decided = alone;
    this.root = root;
    this.relaxed = relaxed;
    this.report = report;
  }

  /** All was decided while it came: nothing is left for the last check. */
  override get isDecided(): boolean {
    return this.decided && !this.root.document.dynamic;
  }

  override feed(json: string): void {
    // what a dynamic reference means depends on the way from the root, which only the last check goes
    if (this.root.document.dynamic) return;
    if (this.keptFrom >= 0) this.keptFrom = 0;
    super.feed(json);
    this.length += json.length;
    if (this.keptFrom >= 0) this.keep(this.piece.length);
  }

  // --- values

  protected override open(kind: number): void {
    this.settle();
    const level = this.enter(kind);
    // the arguments as a whole are looked at in the end
    if (this.levels.push(level) === 1) return;
    for (const { place, entered } of level.tracks) if (entered && place.whole) return this.keepFrom(level);
  }

  protected override openText(): boolean {
    this.settle();
    if (!this.asksText()) return false;
    const level = this.enter(STRING);
    const limited = level.tracks.filter(({ place }) => place.texts.length > 0 || Number.isFinite(place.longest));
    this.string = { level, raw: "", text: "", characters: 0, limited };
    return level.tracks.length > 0;
  }

  /** Does anything that holds for the next value not admit every string? */
  private asksText(): boolean {
    const above = this.levels[this.levels.length - 1];
    if (above === undefined) return true;
    this.begin(above);
    for (const { next } of above.tracks) {
      if (!next.free && (next.watchesText || !(next.kinds & STRING))) return true;
    }
    return false;
  }

  protected override text(json: string, at: number): void {
    const string = this.string as OpenText;
    string.raw += json;
    if (string.limited.length === 0) return;
    const { text: before, characters: count } = string;
    if (!json.includes("\\")) {
      // most strings are as they should be: where one goes wrong is found out only then
      string.text += json;
      string.characters += characters(json);
      if (string.limited.every((track) => track.isDead || isWithin(track, string))) return;
      string.text = before;
      string.characters = count;
    }
    for (const [unit, end] of unitsOf(json)) {
      string.text += unit;
      if ((unit.charCodeAt(0) & 0xfc00) !== 0xdc00) string.characters++;
      this.at = at + end;
      string.limited = string.limited.filter((track) => !track.isDead && this.limitText(track, string));
    }
  }

  /** False: the limit is passed, which is told once, whatever follows. */
  private limitText(track: Track, string: OpenText): boolean {
    if (isWithin(track, string)) return true;
    const { place, branch } = track;
    const { text, characters } = string;
    if (characters > place.longest) {
      this.fail(branch, (run) => badLength(run, false, 0, place.longest, characters, "character", true));
    } else {
      this.fail(branch, (run) => notAmong(run, place, text));
    }
    return false;
  }

  protected override closeText(): void {
    const { level, raw } = this.string as OpenText;
    this.string = null;
    const value = (raw.includes("\\") ? JSON.parse(`"${raw}"`) : raw) as string;
    for (const { place, branch, entered, isDead } of level.tracks) {
      if (!entered || isDead || !place.watchesText) continue;
      if (!place.onlyTexts || place.texts.some((texts) => !texts.includes(value))) this.hold(place, branch, value);
    }
  }

  protected override scalar(kind: number, json: string): void {
    this.settle();
    const level = this.levels[this.levels.length - 1];
    if (level !== undefined) this.begin(level);
    // null may stand for "not given"
    if (json === "null" && this.relaxed) {
      this.decided = false;
      return;
    }
    if (level === undefined) return this.hold(placeOf(this.root), null, JSON.parse(json));
    for (const { next, branch, isDead } of level.tracks) {
      if (isDead || next.free || next.plainKinds & kind) continue;
      if (kind === NUMBER && next.plainKinds & INTEGER && isWhole(json)) continue;
      this.hold(next, branch, JSON.parse(json));
    }
  }

  protected override key(name: string): void {
    const level = this.levels[this.levels.length - 1] as Level;
    level.count++;
    for (const track of level.tracks) {
      const { place, names, branch } = track;
      const member = place.member(name);
      track.next = member.place;
      track.seen |= member.bit;
      if (names !== null && !names.has(name)) {
        const most = place.mostProperties;
        if (names.add(name).size > most && !track.isDead)
          this.failAround(branch, (run) => badLength(run, false, 0, most, names.size, "property", true));
      }
      if (member.admitted || track.isDead) continue;
      for (const schema of place.all) this.failAround(branch, (run) => checkKey(schema, name, run));
    }
  }

  protected override close(): void {
    this.settle();
    const level = this.levels.pop() as Level;
    for (const track of level.tracks) if (!track.isDead) this.closeTrack(track, level);
    if (level.kept >= 0) this.closeWhole(level);
  }

  private closeTrack(track: Track, { count, isObject }: Level): void {
    const { place, branch, names } = track;
    if (isObject) {
      place.required.forEach((name, number) => {
        if (!track.has(name, number)) this.fail(branch, (run) => missing(run, name));
      });
    }
    if (!place.leastSize) return;
    const size = isObject ? (names?.size ?? count) : count;
    for (const schema of place.all) {
      const least = numeric(schema, isObject ? "minProperties" : "minItems") ?? 0;
      const unit = isObject ? "property" : "item";
      if (size < least) this.fail(branch, (run) => badLength(run, true, least, Number.POSITIVE_INFINITY, size, unit));
    }
  }

  // --- the text of containers that have to be read as a whole

  private keepFrom(level: Level): void {
    if (this.keptFrom < 0) this.keptFrom = this.at - 1;
    level.kept = this.keptLength + this.at - 1 - this.keptFrom;
  }

  private keep(to: number): void {
    this.kept.add(this.piece.slice(this.keptFrom, to));
    this.keptLength += to - this.keptFrom;
    this.keptFrom = to;
  }

  /** The whole of a list or an object, where that is asked for, as long as it costs no more than reading did. */
  private closeWhole(level: Level): void {
    this.keep(this.at);
    const json = this.kept.tail(this.keptLength - level.kept);
    if (this.levels.every(({ kept }) => kept < 0)) {
      this.kept.clear();
      this.keptLength = 0;
      this.keptFrom = -1;
    }
    if (this.reread + json.length > 2 * (this.length + this.at) + SLACK) return;
    this.reread += json.length;
    const value: unknown = JSON.parse(json);
    for (const { place, branch, entered, isDead } of level.tracks) {
      if (entered && place.whole && !isDead) this.hold(place, branch, value);
    }
  }

  // --- what holds

  /** A value begins in a container: in a list it is one more. */
  private begin(level: Level): void {
    if (level.isObject) return;
    level.count++;
    const index = this.keys[this.keys.length - 1] as number;
    for (const track of level.tracks) {
      const { place, branch } = track;
      track.next = place.item(index);
      if (index >= place.mostItems && !track.isDead)
        this.failAround(branch, (run) => badLength(run, false, 0, place.mostItems, index + 1, "item", true));
    }
  }

  /** Everything that holds for the value of a kind that begins. */
  private enter(kind: number): Level {
    const level = new Level(kind === OBJECT);
    const above = this.levels[this.levels.length - 1];
    if (above === undefined) {
      this.track(level, placeOf(this.root), null, kind, true);
      return level;
    }
    if (kind !== STRING) this.begin(above);
    for (const { next, branch, isDead } of above.tracks) {
      if (!isDead && !next.free) this.track(level, next, branch, kind, true);
    }
    return level;
  }

  private track(level: Level, place: Place, branch: Branch | null, kind: number, entered: boolean): void {
    if (!(place.kinds & kind)) return this.fail(branch, (run) => wrongKind(run, place, kind));
    if (kind === STRING && place.texts.some((texts) => texts.length === 0)) {
      return this.fail(branch, (run) => notAmong(run, place, ""));
    }
    level.tracks.push(new Track(place, branch, entered));
    if (kind !== STRING && !place.decided) this.decided = false;
    for (const union of place.unions) this.fork(level, place, union, branch, kind);
  }

  /** Follows the branches of a union that admit the kind. */
  private fork(level: Level, place: Place, union: readonly Place[], branch: Branch | null, kind: number): void {
    const candidates = union.filter(({ kinds }) => kinds & kind);
    const [only] = candidates;
    if (candidates.includes(place) || level.isFull) return;
    if (only === undefined) return this.fail(branch, (run) => noBranchLeft(run, union));
    if (candidates.length === 1) return this.track(level, only, branch, kind, false);
    const fork = new Fork(branch, union, this.keys.length);
    this.forks.push(fork);
    // all of them first: none may be told to be the last one before the others were asked
    for (const _ of candidates) fork.branches.push(new Branch(fork));
    for (const [i, candidate] of candidates.entries())
      this.track(level, candidate, fork.branches[i] as Branch, kind, false);
  }

  /** Unions of which one branch is left speak for that branch from now on. */
  private settle(): void {
    const { forks } = this;
    if (forks.length === 0) return;
    for (const fork of forks) fork.settle();
    // those of values that are over
    while (forks.length > 0 && (forks[forks.length - 1] as Fork).depth >= this.keys.length) forks.pop();
  }

  // --- what is wrong

  /** Holds a value that is whole against a place. */
  private hold(place: Place, branch: Branch | null, value: unknown): void {
    for (const schema of place.seeds) {
      // most values are valid: that is found out without a thought for paths
      const run = new Run(this.relaxed, null);
      if (!check(schema, value, run) || run.exhausted) this.fail(branch, (run) => check(schema, value, run));
    }
  }

  /** Runs a test at the container around the value that begins. */
  private failAround(branch: Branch | null, test: (run: Run) => boolean): void {
    const key = this.keys.pop() as string | number;
    this.fail(branch, test);
    this.keys.push(key);
  }

  /** Runs a test at the value at hand: what is wrong fails the branch, or the call. */
  private fail(branch: Branch | null, test: (run: Run) => boolean): void {
    const problems: Problem[] = [];
    const run = new Run(this.relaxed, problems);
    run.keys.push(...this.keys);
    if (test(run) || run.exhausted || this.root.document.dynamic) return;
    for (const problem of problems) this.tell(branch, problem);
  }

  private tell(branch: Branch | null, problem: Problem): void {
    if (branch !== null) return this.failBranch(branch, problem);
    const id = `${problem.kind} ${problem.path}`;
    // the fault is the schema's: more of it may turn out at the end
    if (problem.kind === "bad-schema") this.decided = false;
    if (this.told.has(id) || problem.kind === "bad-schema") return;
    this.told.add(id);
    this.report(problem, this.at);
  }

  private failBranch(branch: Branch, problem: Problem): void {
    const { fork } = branch;
    if (branch.dead) return;
    if (fork.sole === branch) return this.tell(fork.owner, problem);
    fork.fail(branch, this.keys);
    if (!fork.failed) return;
    const run = new Run(this.relaxed, []);
    run.keys.push(...this.keys.slice(0, fork.depth));
    noBranchLeft(run, fork.union);
    for (const one of run.problems ?? []) this.tell(fork.owner, one);
  }
}

/** May the text be the beginning of what is meant? */
function isWithin({ place }: Track, { text, characters }: OpenText): boolean {
  return characters <= place.longest && place.texts.every(hasPrefix, text);
}

function hasPrefix(this: string, texts: readonly string[]): boolean {
  return texts.some((text) => text.startsWith(this));
}

function isWhole(json: string): boolean {
  for (let i = json.charCodeAt(0) === 0x2d ? 1 : 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}
