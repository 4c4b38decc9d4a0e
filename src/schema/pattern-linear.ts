import type { Part } from "./pattern-parse.ts";

/** A step of the program: reads a character, goes on at several places, looks at the place, or is the end. */
type Step =
  | { kind: "read"; reads: (character: string) => boolean; next: number }
  | { kind: "fork"; next: number[] }
  | { kind: "look"; source: string; next: number }
  | { kind: "end" };

/** Steps of a program, and steps of a run. */
const LARGEST = 5000;
const LONGEST = 2e8;

/**
 * Holds text against all readings of a pattern at once (Thompson's construction): linear in the length of the text.
 * Undefined for a pattern with look-around or back-references, or one that is too large.
 */
export function linearMatcher(part: Part, unicode: boolean): ((text: string) => boolean | null) | undefined {
  const program: Step[] = [{ kind: "end" }];
  const start = build(part, 0, program, unicode);
  return start === undefined
    ? undefined
    : (text) => (text.length * program.length > LONGEST ? null : run(program, start, text));
}

/** Puts the steps of a part in front of the step `next`, and returns the first of them. */
function build(part: Part, next: number, program: Step[], unicode: boolean): number | undefined {
  if (program.length > LARGEST) return undefined;
  const add = (step: Step): number => program.push(step) - 1;
  switch (part.kind) {
    case "character":
      return add({ kind: "read", reads: reader(part.source, unicode), next });
    case "assertion":
      return add({ kind: "look", source: part.source, next });
    case "all":
      return part.parts.reduceRight<number | undefined>(
        (after, one) => (after === undefined ? undefined : build(one, after, program, unicode)),
        next,
      );
    case "any": {
      const starts = part.parts.map((one) => build(one, next, program, unicode));
      return starts.includes(undefined) ? undefined : add({ kind: "fork", next: starts as number[] });
    }
    case "repeat": {
      let at: number | undefined = next;
      if (part.most === Number.POSITIVE_INFINITY) {
        const loop: number[] = [next];
        at = add({ kind: "fork", next: loop });
        const body = build(part.part, at, program, unicode);
        if (body === undefined) return undefined;
        loop.push(body);
      } else {
        for (let i = part.least; i < part.most && at !== undefined; i++) {
          const body: number | undefined = build(part.part, at, program, unicode);
          at = body === undefined ? undefined : add({ kind: "fork", next: [next, body] });
        }
      }
      for (let i = 0; i < part.least && at !== undefined; i++) at = build(part.part, at, program, unicode);
      return at;
    }
    case "look":
      return undefined;
  }
}

/** Does a piece of a pattern that stands for one character match it? Asked of `RegExp`, and remembered. */
function reader(source: string, unicode: boolean): (character: string) => boolean {
  const pattern = new RegExp(`^(?:${source})$`, unicode ? "u" : "");
  const known = new Map<string, boolean>();
  return (character) => {
    let answer = known.get(character);
    if (answer === undefined) {
      answer = pattern.test(character);
      if (known.size < 1000) known.set(character, answer);
    }
    return answer;
  };
}

function run(program: readonly Step[], start: number, text: string): boolean {
  let open: number[] = [];
  // The position at which a step was last reached: a step counts once per position, however it is reached.
  const reached = new Int32Array(program.length).fill(-1);
  for (let at = 0; ; ) {
    open.push(start);
    const character = at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : "";
    const after: number[] = [];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached[next] === at) continue;
      reached[next] = at;
      const step = program[next];
      if (step?.kind === "end") return true;
      if (step?.kind === "fork") open.push(...step.next);
      else if (step?.kind === "look" && looks(step.source, text, at)) open.push(step.next);
      else if (step?.kind === "read" && character !== "" && step.reads(character)) after.push(step.next);
    }
    if (character === "") return false;
    open = after;
    at += character.length;
  }
}

function looks(source: string, text: string, at: number): boolean {
  if (source === "^") return at === 0;
  if (source === "$") return at === text.length;
  const edge = /\w/.test(text[at - 1] ?? "") !== /\w/.test(text[at] ?? "");
  return edge === (source === "\\b");
}
