import type { Calls } from "./calls.ts";
import type { Input, Waiting } from "./input.ts";
import { type RenderOptions, renderChecked, type Turn } from "./render.ts";
import type { MessageLayout } from "./shapes/messages.ts";

/**
 * Reads what stands behind an opener and answers one question: was it a call? False means "not my notation, and nothing
 * was begun": the text is read again by the next reading of that opener, or becomes content.
 * `from` is the offset of the opener's first character.
 */
export type Reading = (input: Input, calls: Calls, opener: string, from: number) => Waiting<boolean>;

/** A call without a marker, which may stand at the start of the message, of a line, or directly behind a call. */
export interface Bare {
  /** May one begin with this character? */
  starts: (code: number) => boolean;
  /** Only at the very start of the message, or directly behind a call. */
  onlyFirst?: boolean;
  /** Characters with which one may also begin in the middle of a line. */
  anywhere?: string;
  /**
   * Like `Reading`, without an opener; `first` says that nothing but blanks stands before it in the message, `opensLine`
   * that it stands at the start of a line or behind a call.
   */
  read: (input: Input, calls: Calls, from: number, first: boolean, opensLine: boolean) => Waiting<boolean>;
}

/** How a thought is marked. */
export interface ReasoningTags {
  open: string;
  close: string;
  /** It marks a thought wherever it stands, because it is no text; others do so only where nothing stands before. */
  anywhere?: boolean;
}

/** What stands around an answer, as in `<response>The tide is high.</response>`. */
export interface AnswerTags {
  open: string;
  close: string;
}

/** What a model family writes differently from the format it shares. */
export interface Variant {
  models?: readonly string[];
  reasoning?: readonly ReasoningTags[];
  callInThought?: CallInThought;
  stops?: readonly string[];
  tokens?: readonly string[];
}

/**
 * A call in an open thought. `held` (the usual): it is part of the thought if the thought closes later, and a call if the
 * output ends first. `now`: a call at once, and the thought goes on behind it. `never`: always part of the thought.
 */
export type CallInThought = "held" | "now" | "never";

/** What tells that a chat template teaches a format. */
export interface TemplateMarks {
  /** All of these stand in it. */
  has: readonly (string | RegExp)[];
  /** None of these stands in it: the marks of formats that have the same words. */
  lacks?: readonly (string | RegExp)[];
}

/** A wire format as it is declared: data, and readings for what stands behind its openers. */
export interface FormatDeclaration {
  /** The name by which `getFormat` knows it. */
  name: string;
  /** Model families that write it. */
  models: readonly string[];
  /** Where its grammar comes from: the chat templates. */
  source: string;
  /** By what its chat templates are known; any of several. The formats are asked in the order of the registry. */
  template?: TemplateMarks | readonly TemplateMarks[];
  /** Other names of the format, with what differs for them. */
  variants?: Readonly<Record<string, Variant>>;
  reasoning?: readonly ReasoningTags[];
  callInThought?: CallInThought;
  /** Special tokens that a server must not strip from its output. */
  tokens: readonly string[];
  /** End-of-turn tokens: what follows one is not part of the turn. */
  stops: readonly string[];
  /** What begins a call. Several readings of one opener are tried in order. */
  opens: Readonly<Record<string, Reading | readonly Reading[]>>;
  /** Text that closes a call, dropped where it stands directly behind one. */
  closers?: readonly string[];
  /** Openers to which none of the closers belongs. */
  unclosed?: readonly string[];
  /** Special tokens that are dropped wherever they stand in content. */
  dropped?: readonly string[];
  /** Text around the answer, dropped where it opens a line or follows a thought or a call, with the closer of its own. */
  answer?: readonly AnswerTags[];
  /** Calls without an opener. Several are tried in order. */
  bare?: Bare | readonly Bare[];
  /** How messages are framed, where the turn is a row of messages: the openers' reading then reads all of it. */
  messages?: MessageLayout;
  /** Writes an assistant turn as a model of this format would. */
  render: (turn: Turn, options: RenderOptions) => string;
}

/** A wire format, ready to be given to a parser. */
export interface Format {
  readonly name: string;
  readonly models: readonly string[];
  readonly source: string;
  /** Special tokens that a server must not strip (llama.cpp: `preserved_tokens`). */
  readonly tokens: readonly string[];
  /** End-of-turn tokens: pass them to the server as stop strings. */
  readonly stops: readonly string[];
  readonly reasoning: readonly ReasoningTags[];
  readonly callInThought: CallInThought;
  /**
   * Writes an assistant turn in this format and reads it back.
   * @throws {RenderError} if the format cannot carry the turn, so that nothing is written that reads back differently.
   */
  render(turn: Turn, options?: RenderOptions): string;
  /** The other names, each a format of its own. */
  readonly variants: ReadonlyMap<string, Format>;
  readonly declaration: FormatDeclaration;
}

/**
 * Makes a format of its declaration.
 *
 * @example
 * ```ts
 * const mine = defineFormat({
 *   name: "mine", models: ["My-Model"], source: "the model's chat template",
 *   tokens: ["<call>", "</call>"], stops: ["<eot>"],
 *   opens: { "<call>": jsonInTags() }, closers: ["</call>"],
 *   render: ({ calls = [] }) => calls.map((call) => `<call>${JSON.stringify(call)}</call>`).join(""),
 * });
 * parse(text, { format: mine, tools });
 * ```
 */
export function defineFormat(declaration: FormatDeclaration): Format {
  const variants = new Map<string, Format>();
  for (const [name, variant] of Object.entries(declaration.variants ?? {})) {
    variants.set(name, define({ ...declaration, variants: {}, ...variant, name }, new Map()));
  }
  return define(declaration, variants);
}

function define(declaration: FormatDeclaration, variants: ReadonlyMap<string, Format>): Format {
  const format: Format = {
    name: declaration.name,
    models: declaration.models,
    source: declaration.source,
    tokens: declaration.tokens,
    stops: declaration.stops,
    reasoning: declaration.reasoning ?? [],
    callInThought: declaration.callInThought ?? "held",
    variants,
    declaration,
    render: (turn, options = {}) => renderChecked(format, turn, options),
  };
  return format;
}
