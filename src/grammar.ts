import type { AnswerTags, Bare, CallInThought, Format, Reading, ReasoningTags } from "./format.ts";
import { FormatEnds } from "./shapes/ends.ts";

/** One reading of an opener, and the format that it belongs to. */
export interface Candidate {
  reading: Reading;
  format: string;
}

/** What the outline needs of a format, or of the union of several, compiled once. */
export interface Grammar {
  readonly name: string;
  readonly opens: ReadonlyMap<string, readonly Candidate[]>;
  readonly bares: readonly { bare: Bare; format: string }[];
  readonly reasoning: readonly ReasoningTags[];
  readonly stops: readonly string[];
  /** In a union, what opens the messages of a format whose turn is a row of messages. */
  readonly frames: readonly string[];
  readonly closers: readonly string[];
  readonly dropped: readonly string[];
  /** Closers that are dropped wherever they stand, since they are tokens. */
  readonly closingTokens: readonly string[];
  /** Tokens and openers that begin with a closing bracket. */
  readonly brackets: readonly string[];
  /** What may stand around an answer. */
  readonly answers: readonly AnswerTags[];
  readonly callInThought: CallInThought;
  readonly ends: FormatEnds;
  /** Markers to look for in content. */
  readonly inContent: MarkerTable;
  /** Markers to look for in a thought, by its opening tag. */
  readonly inThought: ReadonlyMap<string, MarkerTable>;
  /** What closes a thought, by its opening tag: a format may know several closers for one. */
  readonly thoughtClosers: ReadonlyMap<string, readonly string[]>;
  /** In a Markdown fence only the end of the turn counts; in a thought its closer too. */
  readonly inFence: MarkerTable;
}

/** Markers, and the characters with which they begin. */
export class MarkerTable {
  readonly markers: readonly string[];
  private readonly ascii = new Uint8Array(128);
  private readonly others = new Set<number>();

  constructor(markers: Iterable<string>) {
    this.markers = [...new Set(markers)];
    for (const marker of this.markers) {
      const code = marker.charCodeAt(0);
      if (code < 128) this.ascii[code] = 1;
      else this.others.add(code);
    }
  }

  begins(code: number): boolean {
    return code < 128 ? this.ascii[code] === 1 : this.others.size !== 0 && this.others.has(code);
  }
}

const compiled = new WeakMap<Format, Grammar>();

/** The grammar of one format. */
export function grammarOf(format: Format): Grammar {
  let grammar = compiled.get(format);
  if (grammar === undefined) {
    grammar = unite(format.name, [format]);
    compiled.set(format, grammar);
  }
  return grammar;
}

/** The union of formats: the opener that comes decides. Readings of a shared opener are tried in the formats' order. */
export function unite(name: string, formats: readonly Format[]): Grammar {
  const opens = new Map<string, Candidate[]>();
  // what a format writes itself comes before what it merely understands
  const ranks = Math.max(
    0,
    ...formats.flatMap(({ declaration }) => Object.values(declaration.opens).map((r) => [r].flat().length)),
  );
  for (let rank = 0; rank < ranks; rank++) {
    for (const { name: format, declaration } of formats) {
      for (const [opener, readings] of Object.entries(declaration.opens)) {
        const reading = ([readings].flat() as Reading[])[rank];
        const candidates = opens.get(opener) ?? [];
        if (reading !== undefined) candidates.push({ reading, format });
        opens.set(opener, candidates);
      }
    }
  }
  const bares = formats
    .flatMap(({ name: format, declaration: { bare = [] } }) =>
      [bare].flat().map((one, rank) => ({ bare: one, format, rank })),
    )
    .sort((one, other) => one.rank - other.rank);
  const reasoning: ReasoningTags[] = [];
  for (const tags of formats.flatMap((format) => format.reasoning)) {
    if (!reasoning.some((known) => known.open === tags.open && known.close === tags.close)) reasoning.push(tags);
  }
  const all = (list: (format: Format) => readonly string[] | undefined): string[] => [
    ...new Set(formats.flatMap((format) => list(format) ?? [])),
  ];
  const stops = all((format) => format.stops);
  const dropped = all((format) => format.declaration.dropped);
  const closers = all((format) => format.declaration.closers);
  const groups = formats.flatMap(({ declaration: { opens, closers = [], unclosed = [] } }) => [
    { openers: Object.keys(opens).filter((opener) => !unclosed.includes(opener)), closers },
    ...(unclosed.length === 0 ? [] : [{ openers: unclosed, closers: [] }]),
  ]);
  const openers = [...opens.keys()];
  const tags = reasoning.flatMap(({ open, close }) => [open, close]);
  const answers = formats.flatMap((format) => format.declaration.answer ?? []);
  const thoughtClosers = new Map<string, string[]>();
  for (const { open, close } of reasoning) thoughtClosers.set(open, [...(thoughtClosers.get(open) ?? []), close]);
  return {
    name,
    opens,
    bares,
    reasoning,
    stops,
    frames: formats.length === 1 ? [] : formats.flatMap(framesOf),
    closers,
    dropped,
    closingTokens: dropped.filter((token) => closers.includes(token)),
    brackets: [...all((format) => format.tokens), ...openers].filter((marker) => /^[}\]]/.test(marker)),
    answers,
    callInThought: formats.length === 1 ? (formats[0] as Format).callInThought : "held",
    ends: new FormatEnds(groups, stops),
    inContent: new MarkerTable([
      ...openers,
      ...tags,
      ...stops,
      ...dropped,
      ...answers.flatMap(({ open, close }) => [open, close]),
      FENCE,
    ]),
    inThought: new Map(
      [...thoughtClosers].map(([open, close]) => [
        open,
        new MarkerTable([...close, open, ...openers, ...stops, FENCE]),
      ]),
    ),
    thoughtClosers,
    inFence: new MarkerTable([...stops, FENCE]),
  };
}

function framesOf({ declaration: { messages, opens } }: Format): string[] {
  return messages === undefined ? [] : Object.keys(opens);
}

/** What begins and ends a Markdown code block. */
export const FENCE = "```";
