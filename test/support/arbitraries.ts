import fc from "fast-check";
import { getFormat, type ToolDeclaration, type Turn } from "../../src/index.ts";
import type { RunOptions } from "./corpus.ts";
import { generateId } from "./corpus.ts";

/** How often a property is tried. `FC_RUNS=10 npm test` tries everything ten times as often. */
export function runs(usual: number): { numRuns: number } {
  return { numRuns: Math.ceil(usual * Number(process.env.FC_RUNS ?? 1)) };
}

/** A tool in the bare form. */
export interface Tool {
  name: string;
  parameters: Record<string, unknown>;
}

/** Tools, and a turn whose calls fit their schemas. */
export interface Scene {
  tools: Tool[];
  turn: { reasoning: string; content: string; calls: { name: string; arguments: Record<string, unknown> }[] };
}

/** An output of a model, and how it is read. */
export interface Output {
  text: string;
  options: RunOptions & { tools?: Tool[] | undefined };
}

/** The tools that an output is read with; none where it is read without. */
export function toolsOf({ tools = [] }: Output["options"]): Tool[] {
  return tools;
}

// --- markers

/** Everything that a format writes that is no text: its tokens, stops, openers, closers, reasoning tags, own tags. */
export function markersOf(name: string): string[] {
  const { tokens, stops, reasoning, declaration } = getFormat(name);
  const { opens, closers = [], dropped = [] } = declaration;
  const call = { name: "a", arguments: { b: "c" } };
  const written = getFormat(name).render({ calls: [call] });
  const tags = written.match(/<[^<>\s]{1,30}>|\[[A-Z_/]+\]/g) ?? [];
  const thoughts = reasoning.flatMap(({ open, close }) => [open, close]);
  return [...new Set([...tokens, ...stops, ...Object.keys(opens), ...closers, ...dropped, ...thoughts, ...tags])];
}

/** A marker, or what is nearly one: cut short, with a letter too many, with a blank in it, in other letters. */
function markerLike(name: string): fc.Arbitrary<string> {
  const markers = markersOf(name);
  return fc.constantFrom(...markers).chain((marker) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(marker) },
      fc.nat({ max: marker.length }).map((length) => marker.slice(0, length)),
      fc.constantFrom(`${marker}s`, marker.slice(0, -1) + "s" + marker.slice(-1), marker.replace(/(?<=.)(?=.)/, " ")),
      fc.constantFrom(marker.toUpperCase(), marker.toLowerCase(), marker.slice(1), `<${marker}`, `\\${marker}`),
    ),
  );
}

// --- text

const awkward = [
  ...['"', "'", "\\", "\\\\", '\\"', "\n", "\r\n", "\t", "\b", "\f", "\0", "\x1f", " ", "  ", "\n\n"],
  ...[
    "<",
    ">",
    "</",
    "/>",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "}}",
    ",",
    ":",
    "=",
    "`",
    "```",
    "\n```json\n",
    "#",
    "//",
    "/*",
    "*/",
  ],
  ...["\u{1f600}", "\ud83d", "\ude00", "\ufeff", "\u2028", "\u00a0", "é", "日本", "｜"],
  ...["null", "None", "true", "True", "1.0", "-0", "1e5", "007", "5"],
  ...["C:\\Users\\new", "\\\\server\\share", "D:\\bin", "\\n", "\\u00e9", "\\x", "\\frac{a}{b}", "\\u12"],
  ...['{"a": 1}', '{"name": "x", "arguments": {}}', "[1, 2]", "&lt;", "&quot;", '", "b": "', '"}', "'}"],
];

const words = fc.constantFrom(
  "tide",
  "Oban",
  "level",
  "the port",
  "x",
  "A",
  "is it",
  "one. Two",
  "(three)",
  "4",
  "-",
  "!",
);

/** Text without anything that could be markup, in any format. */
export const plainText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 4, arbitrary: words }, fc.constantFrom("\n", "é", "\u{1f600}", "日本", "?")), {
    maxLength: 6,
  })
  .map((pieces) => pieces.join(" "));

/** Text that is as awkward as it can be for this format. */
export function awkwardText(format: string, maxLength = 6): fc.Arbitrary<string> {
  return fc
    .array(
      fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom(...awkward) },
        { weight: 2, arbitrary: markerLike(format) },
        { weight: 2, arbitrary: words },
        fc.string({ unit: "binary", maxLength: 4 }),
        fc.string({ maxLength: 6 }),
      ),
      { maxLength },
    )
    .map((pieces) => pieces.join(""));
}

// --- tools and their calls

/** A schema, and values that fit it. */
interface Typed {
  schema: Record<string, unknown>;
  value: fc.Arbitrary<unknown>;
}

/** Names that are names like any other. */
export const oddNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "name", "arguments", "type", "id"];

const parameterName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("port", "days", "a", "b", "c_d", "code", "items") },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
);

/** Keys of maps, which no schema names. */
const mapKey = fc.oneof(parameterName, fc.constantFrom("", "a b", 'x"y', "\u{1f600}", "a/b~c", "é"));

const toolName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("tide_level", "write_file", "run", "get-weather", "fs.read", "a1") },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
);

const numbers = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.constantFrom(0.1, 1e21, -2.5e-7, 2 ** 53, 1e300),
);

function typed(string: fc.Arbitrary<string>): fc.Arbitrary<Typed> {
  return fc.letrec<{ any: Typed; leaf: Typed }>((tie) => ({
    leaf: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Typed>({ schema: { type: "string" }, value: string }) },
      fc.constant<Typed>({ schema: { type: "integer" }, value: fc.integer() }),
      fc.constant<Typed>({ schema: { type: "number" }, value: numbers }),
      fc.constant<Typed>({ schema: { type: "boolean" }, value: fc.boolean() }),
      fc.constant<Typed>({ schema: { enum: ["up", "down", 3, null] }, value: fc.constantFrom("up", "down", 3, null) }),
      fc.constant<Typed>({
        schema: { type: "string", enum: ["5", "true", "x"] },
        value: fc.constantFrom("5", "true", "x"),
      }),
      fc.constant<Typed>({ schema: { const: "fixed" }, value: fc.constant("fixed") }),
      fc.constant<Typed>({ schema: { type: ["string", "null"] }, value: fc.option(string) }),
      fc.constant<Typed>({ schema: { type: ["integer", "null"] }, value: fc.option(fc.integer()) }),
      fc.constant<Typed>({
        schema: { anyOf: [{ type: "integer" }, { type: "string" }] },
        value: fc.oneof(fc.integer(), string),
      }),
      fc.constant<Typed>({
        schema: { type: "array" },
        value: fc.array(fc.oneof(string, fc.integer(), fc.boolean()), { maxLength: 3 }),
      }),
      fc.constant<Typed>({ schema: {}, value: fc.oneof(string, fc.integer(), fc.constant(null)) }),
    ),
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      tie("any").map(({ schema, value }) => ({
        schema: { type: "array", items: schema },
        value: fc.array(value, { maxLength: 3 }),
      })),
      tie("any").map(({ schema, value }) => ({
        schema: { type: "object", additionalProperties: schema },
        value: fc.array(fc.tuple(mapKey, value), { maxLength: 3 }).map(Object.fromEntries),
      })),
      tie("any").map(({ schema, value }) => ({
        schema: { anyOf: [schema, { type: "null" }] },
        value: fc.option(value),
      })),
      objectOf(tie("any")),
    ),
  })).any;
}

/** An object with a few declared properties, some of them required. */
function objectOf(member: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> {
  return fc
    .tuple(
      fc.uniqueArray(fc.tuple(parameterName, member, fc.boolean()), { selector: ([key]) => key, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([members, closed]) => ({
      schema: {
        type: "object",
        properties: Object.fromEntries(members.map(([key, { schema }]) => [key, schema])),
        required: members.filter(([, , required]) => required).map(([key]) => key),
        ...(closed ? { additionalProperties: false } : {}),
      },
      value: fc
        .tuple(...members.map(([key, { value }, required]) => entry(key, value, required)))
        .map((entries) => Object.fromEntries(entries.flat())),
    }));
}

function entry(key: string, value: fc.Arbitrary<unknown>, required: boolean): fc.Arbitrary<[string, unknown][]> {
  const one = value.map((given): [string, unknown][] => [[key, given]]);
  return required ? one : fc.oneof({ weight: 3, arbitrary: one }, fc.constant<[string, unknown][]>([]));
}

/** Tools, and a turn with calls that fit them. `strings`: what stands in arguments; `texts`: in content and reasoning. */
export function scenes(
  strings: fc.Arbitrary<string>,
  texts: fc.Arbitrary<string>,
  calls: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<Scene> {
  const tool = fc.tuple(toolName, objectOf(typed(strings)));
  return fc.uniqueArray(tool, { selector: ([name]) => name, minLength: 1, maxLength: 3 }).chain((tools) =>
    fc.record({
      tools: fc.constant(tools.map(([name, { schema }]) => ({ name, parameters: schema }))),
      turn: fc.record({
        reasoning: fc.oneof(fc.constant(""), texts),
        content: texts,
        calls: fc.array(
          fc.oneof(
            ...tools.map(([name, { value }]) =>
              value.map((args) => ({ name, arguments: args as Record<string, unknown> })),
            ),
          ),
          { maxLength: 3, ...calls },
        ),
      }),
    }),
  );
}

/** Scenes that the format can be expected to write: awkward strings only where they stand in arguments. */
export function cleanScenes(
  format: string,
  calls: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<Scene> {
  const strings = fc.oneof(plainText, awkwardText(format, 3));
  return scenes(strings, plainText, calls);
}

/** What the format writes for a turn, or null where it says that it cannot. */
export function written(format: string, turn: Turn, tools: ToolDeclaration[] | undefined): string | null {
  try {
    return getFormat(format).render(turn, { tools });
  } catch (error) {
    if (error instanceof Error && error.name === "RenderError") return null;
    throw error;
  }
}

/** Clean scenes with their text, none that the format cannot write. */
export function writtenScenes(
  format: string,
  calls: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<Scene & { text: string }> {
  return cleanScenes(format, calls)
    .map((scene) => ({ ...scene, text: written(format, scene.turn, scene.tools) }))
    .filter((scene): scene is Scene & { text: string } => scene.text !== null);
}

// --- outputs

/** One thing that goes wrong in a text. Places are numbers that are taken modulo the length. */
type Mutation = (text: string) => string;

const structural = ['"', "'", "{", "}", "[", "]", ",", ":", "<", ">", "\\", "\n"];

function mutations(format: string): fc.Arbitrary<Mutation> {
  const place = fc.nat({ max: 10_000 });
  const piece = fc.oneof(fc.constantFrom(...structural), fc.constantFrom(...markersOf(format)));
  const change = (change: (text: string, at: number, piece: string) => string): fc.Arbitrary<Mutation> =>
    fc.tuple(place, piece).map(([at, given]) => {
      return (text: string) => {
        const found = occurrence(text, given, at);
        return found < 0 ? text : change(text, found, given);
      };
    });
  return fc.oneof(
    { weight: 3, arbitrary: change((text, at, given) => text.slice(0, at) + text.slice(at + given.length)) },
    { weight: 3, arbitrary: change((text, at, given) => text.slice(0, at) + given + text.slice(at)) },
    fc
      .tuple(
        change((text, at) => `${text.slice(0, at)}\0${text.slice(at)}`),
        piece,
      )
      .map(([mark, other]) => {
        return (text: string) => mark(text).replace("\0", () => other);
      }),
    fc.tuple(place, piece, piece).map(([at, one, other]) => {
      return (text: string) => {
        const found = occurrence(text, one, at);
        return found < 0 ? text : text.slice(0, found) + other + text.slice(found + one.length);
      };
    }),
    fc.tuple(place, awkwardText(format, 2)).map(([at, garbage]) => {
      return (text: string) => {
        const where = at % (text.length + 1);
        return text.slice(0, where) + garbage + text.slice(where);
      };
    }),
    place.map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
    fc.tuple(place, fc.nat({ max: 5 })).map(([at, length]) => {
      return (text: string) => {
        const where = at % (text.length + 1);
        return text.slice(0, where) + text.slice(where + length);
      };
    }),
  );
}

/** Where one of the occurrences of `piece` stands, or -1. */
function occurrence(text: string, piece: string, which: number): number {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) places.push(at);
  return places.length === 0 ? -1 : (places[which % places.length] as number);
}

/** Names of tools and of parameters, and pieces of what a format writes, in any order. */
function soup(format: string, tools: Tool[]): fc.Arbitrary<string> {
  const names = tools.flatMap(({ name, parameters }) => [
    name,
    ...Object.keys((parameters.properties as object) ?? {}),
  ]);
  const written = tools.map(({ name }) => getFormat(format).render({ calls: [{ name, arguments: {} }] }));
  const halves = written.flatMap((text) => [text, text.slice(0, text.length / 2), text.slice(text.length / 2)]);
  return fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: markerLike(format) },
        { weight: 3, arbitrary: fc.constantFrom(...awkward) },
        { weight: 2, arbitrary: fc.constantFrom(...names, "name", "arguments", '"name": "', '"arguments": {') },
        { weight: 2, arbitrary: fc.constantFrom(...halves) },
        words,
      ),
      { maxLength: 10 },
    )
    .map((pieces) => pieces.join(""));
}

const profiles = ["strict", "coerce", "lenient", "kernel", "none"] as const;

/** How an output may be read. */
export function readings(format: string, tools: Tool[]): fc.Arbitrary<Output["options"]> {
  const thoughts = getFormat(format).reasoning.flatMap(({ open, close }) => [
    open,
    `${open}\n`,
    `${open}\n\n${close}\n`,
  ]);
  return fc.record({
    format: fc.constant(format),
    tools: fc.oneof({ weight: 6, arbitrary: fc.constant(tools) }, fc.constantFrom<Tool[] | undefined>(undefined, [])),
    validation: fc.oneof(fc.constant("coerce" as const), fc.constantFrom(...profiles)),
    prefill: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      fc.constantFrom("", ...thoughts, ...markersOf(format)),
      fc.constantFrom(...markersOf(format)).map((marker) => marker.slice(0, marker.length / 2)),
    ),
    repair: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.boolean()),
    finished: fc.boolean(),
    generateId: fc.constant(generateId),
  });
}

/** Outputs good and bad: what the format writes, what is nearly that, and pieces of it in any order. */
export function outputs(format: string): fc.Arbitrary<Output> {
  return scenes(fc.oneof(plainText, awkwardText(format, 3)), fc.oneof(plainText, awkwardText(format))).chain(
    (scene) => {
      const text = unchecked(format, scene.turn);
      return fc.record({
        text: fc.oneof(
          fc.constant(text),
          {
            weight: 4,
            arbitrary: fc
              .array(mutations(format), { minLength: 1, maxLength: 3 })
              .map((steps) => steps.reduce((given, step) => step(given), text)),
          },
          { weight: 2, arbitrary: soup(format, scene.tools) },
        ),
        options: readings(format, scene.tools),
      });
    },
  );
}

/** What the format writes, whether or not it reads back. */
export function unchecked(format: string, turn: Turn): string {
  return getFormat(format).declaration.render(turn, {});
}

// --- replies in pieces

/** A reply of text and calls in turn, in which one call is broken. */
export interface BrokenReply {
  tools: Tool[];
  pieces: string[];
  /** Which piece is the broken call. */
  at: number;
  /** Its text. */
  broken: string;
}

/**
 * Replies of one to three good calls with text around them, and a bad one among them: a call of no declared tool, one
 * whose arguments do not fit, or one whose text is broken outside of strings.
 */
export function brokenReplies(format: string): fc.Arbitrary<BrokenReply> {
  const text = fc.array(words, { minLength: 1, maxLength: 3 }).map((pieces) => `${pieces.join(" ")}\n`);
  return cleanScenes(format, { minLength: 1, maxLength: 3 }).chain(({ tools, turn }) => {
    const calls = turn.calls.map((call) => written(format, { calls: [call] }, tools)).filter((call) => call !== null);
    const bad = badCalls(format, tools[0] as Tool);
    return fc
      .record({
        texts: fc.array(text, { minLength: calls.length + 2, maxLength: calls.length + 2 }),
        broken: bad,
        place: fc.nat({ max: calls.length }),
      })
      .map(({ texts, broken, place }) => {
        const all = [...calls.slice(0, place), broken, ...calls.slice(place)];
        const content = texts.map((given) => textPiece(format, given));
        const pieces = all.flatMap((call, index) => [content[index] as string, `${call}\n`]);
        pieces.push(content.at(-1) as string);
        // without closers a broken call ends at the next opener: what stands before that belongs to it
        if (isWithoutClosers(format)) pieces[2 * place + 2] = "";
        return { tools, pieces, at: 2 * place + 1, broken: `${broken}\n` };
      });
  });
}

/** Text between calls, in a message of its own where the format has messages. */
function textPiece(format: string, content: string): string {
  return getFormat(format).declaration.messages === undefined ? content : unchecked(format, { content });
}

/** Replies of calls directly behind each other, in one of which a string has lost its closing quote. */
export function lostQuoteReplies(format: string): fc.Arbitrary<BrokenReply> {
  // a marker in a sibling's string could not be told from the sibling's own
  return scenes(plainText, plainText, { minLength: 1, maxLength: 3 }).chain(({ tools, turn }) => {
    const calls = turn.calls.map((call) => written(format, { calls: [call] }, tools)).filter((call) => call !== null);
    const bad = unchecked(format, { calls: [{ name: (tools[0] as Tool).name, arguments: { zzz: { a: "x, y" } } }] });
    const broken = `${bad.replace(' y"', " y")}\n`;
    return fc.nat({ max: calls.length }).map((at) => {
      const pieces = calls.map((call) => `${call}\n`);
      pieces.splice(at, 0, broken);
      return { tools, pieces, at, broken };
    });
  });
}

/** Does the format write its calls with a marker? Some only read them. */
export function writesMarkers(format: string): boolean {
  const text = unchecked(format, { calls: [{ name: "a", arguments: {} }] });
  return Object.keys(getFormat(format).declaration.opens).some((opener) => text.includes(opener));
}

function isWithoutClosers(format: string): boolean {
  const { opens, closers = [] } = getFormat(format).declaration;
  return Object.keys(opens).length > 0 && closers.length === 0;
}

/** Bad calls whose text is well-formed, or broken outside of strings. */
function badCalls(format: string, tool: Tool): fc.Arbitrary<string> {
  const call = (name: string, args: Record<string, unknown>): string =>
    unchecked(format, { calls: [{ name, arguments: args }] });
  const good = call(tool.name, { zzz: { a: [1, 2] } });
  // without a marker, a call of no declared tool is text
  const undeclared = writesMarkers(format) ? "no_such_tool" : tool.name;
  return fc.oneof(
    fc.constantFrom(call(undeclared, { a: 1, b: "two" }), call(undeclared, {})),
    fc.constantFrom(
      good.replace("[1,2]", "[1 2]"),
      good.replace("[1,2]", "[1,,2]"),
      good.replace("[1,2]", "oops"),
      good.replace("[1,2]", ""),
      good.replace("[1,2]", "[1,2]]"),
    ),
  );
}
