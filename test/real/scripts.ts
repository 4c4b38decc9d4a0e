import { readFileSync } from "node:fs";
import { detectFormat, getFormat, type ToolDeclaration, type Turn } from "../../src/index.ts";
import { loadTurns } from "../support/corpus.ts";
import { sharedFile } from "../support/shared.ts";
import { END } from "./make-tiny-gguf.ts";
import { byHand } from "./scripts-by-hand.ts";
import { CHAT_TEMPLATE } from "./tiny-gguf/template.ts";

/** A call that a script writes. */
export interface ScriptedCall {
  name: string;
  arguments: unknown;
}

/** What the model is made to say. */
export interface Script {
  id: string;
  text: string;
  /** The calls that stand in the text. */
  calls: readonly ScriptedCall[];
  /**
   * The end of the prompt that the text was written for. Undefined: the one that the chat template writes; empty: the same,
   * but the text knows nothing of a thought that it may open.
   */
  header?: string | undefined;
}

/** A chat template, and what a model with it is made to say. */
export interface Template {
  name: string;
  source: string;
  /** The format that the template was detected to have. */
  format: string;
  plays: readonly Play[];
}

/** Scripts that call the same tools. */
export interface Play {
  title: string;
  tools: readonly ToolDeclaration[];
  scripts: readonly Script[];
}

const list = sharedFile("templates/formats.json");
const roundTrip = sharedFile("llama-cpp/template-roundtrip.json");

/** Are there chat templates of real models? */
export const templatesAreHere: boolean = list !== null && roundTrip !== null;

/** Our own chat template, and those of real models where there are any. */
export function templates(): Template[] {
  const own = { name: "our own", source: CHAT_TEMPLATE, format: formatOf(CHAT_TEMPLATE), plays: [byHand] };
  return [own, ...Object.keys(readJson(list)).map((file) => realTemplate(file.replace(/\.jinja$/, "")))];
}

function realTemplate(name: string): Template {
  const source = readFileSync(sharedFile(`templates/${name}.jinja`) as string, "utf8");
  const format = formatOf(source);
  const plays = [
    { title: "calls", tools: weatherTools, scripts: [...roundTripsOf(name, format), ...writtenHere(format)] },
    { title: "turns", tools: loadTurns().tools as readonly ToolDeclaration[], scripts: renderedTurns(name, format) },
  ];
  return { name, source, format, plays: plays.filter(({ scripts }) => scripts.length > 0) };
}

function formatOf(chatTemplate: string): string {
  return detectFormat({ chatTemplate }) ?? "auto";
}

// --- turns that the templates wrote, from the corpus

function renderedTurns(template: string, format: string): Script[] {
  const turns = loadTurns().turns.filter(({ id }) => id.startsWith(`${template}/`));
  return turns.map(({ id, input, expect, prefill }) => ({
    id: `turn ${id.slice(template.length + 1)}`,
    text: turnOf(input, format),
    calls: expect.calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    header: prefill,
  }));
}

// --- texts that the templates wrote around one call or two

const weatherTools: readonly ToolDeclaration[] = [
  tool("get_weather", { city: { type: "string" }, days: { type: "integer" } }, ["city"]),
  tool(
    "search",
    { query: { type: "string" }, opts: { type: "object" }, tags: { type: "array", items: { type: "string" } } },
    ["query"],
  ),
];

const zurich: ScriptedCall = { name: "get_weather", arguments: { city: "Zürich 🏔️", days: 3 } };
const paris: ScriptedCall = { name: "get_weather", arguments: { city: "Paris" } };
const search: ScriptedCall = searchWith([1, 2.5, null]);

function searchWith(n: unknown[]): ScriptedCall {
  const query = 'a "b" \\ <c>\nd';
  return { name: "search", arguments: { query, opts: { deep: true, n }, tags: ["x", "y"] } };
}

type RoundTripCase = "one" | "one+content" | "two" | "two+content";

function roundTripsOf(template: string, format: string): Script[] {
  const texts = readJson(roundTrip)[template] as Record<RoundTripCase, { raw?: string }>;
  return (Object.entries(texts) as [RoundTripCase, { raw?: string }][])
    .map(([id, { raw = "" }]) => ({ id, text: turnOf(raw, format), calls: callsIn(template, id) }))
    .filter(({ text }) => text !== "");
}

/** Templates that write no calls. */
const withoutCalls = new Set([
  ...["HuggingFaceTB-SmolLM3-3B", "LFM2-8B-A1B", "LFM2.5-Instruct", "deepseek-ai-DeepSeek-R1-Distill-Llama-8B"],
  ...["google-gemma-2-2b-it", "ibm-granite-granite-3.3-2B-Instruct", "llama-cpp-rwkv-world"],
  "microsoft-Phi-3.5-mini-instruct",
]);

/** Templates that lose something of two calls, and what is left of them. */
const losses: Readonly<Record<string, readonly ScriptedCall[]>> = {
  // they write one call
  "GigaChat3-10B-A1.8B": [paris],
  "GigaChat3.1-10B-A1.8B": [paris],
  "openai-gpt-oss-120b": [paris],
  // the second call has text where an object and a list should be, and is rejected
  "openbmb-MiniCPM5-1B": [paris],
  // they write nothing for null
  "google-gemma-4-31B-it": [paris, searchWith([1, 2.5])],
  "google-gemma-4-31B-it-interleaved": [paris, searchWith([1, 2.5])],
  "MiniMax-M3": [paris, searchWith([1, 2.5, ""])],
};

/** What the text holds of the calls that its template was given. */
function callsIn(template: string, id: RoundTripCase): readonly ScriptedCall[] {
  if (withoutCalls.has(template)) return [];
  // it writes content or calls
  if (template === "llama-cpp-deepseek-r1" && id.endsWith("content")) return [];
  return id.startsWith("one") ? [zurich] : (losses[template] ?? [paris, search]);
}

// --- what our own format writes, also for templates that write no calls

function writtenHere(format: string): Script[] {
  if (format === "auto") return [];
  const call = searchWith([1, 2.5]) as NonNullable<Turn["calls"]>[number];
  const text = getFormat(format).render({ calls: [call] }, { tools: [...weatherTools] });
  return [{ id: "our own", text: turnOf(text, format), calls: [call], header: "" }];
}

/** Tokens that end the turn of any model in llama.cpp: the one of our own model, and one that it knows by name. */
const alwaysEnds = [END, "<end_of_turn>"];

/** The turn without what follows it: a model is stopped at the token that ends it. */
function turnOf(text: string, format: string): string {
  const { stops, declaration } = format === "auto" ? { stops: [], declaration: { opens: {} } } : getFormat(format);
  const ends = [...alwaysEnds, ...stops];
  const openers = Object.keys(declaration.opens);
  for (let at = 0; at < text.length; at++) {
    const begins = (marker: string): boolean => text.startsWith(marker, at);
    // a token that ends the turn may also begin a call
    if (ends.some(begins) && !openers.some(begins)) return text.slice(0, at);
  }
  return text;
}

function tool(name: string, properties: object, required: string[]): ToolDeclaration {
  const parameters = { type: "object", properties, required };
  return { type: "function", function: { name, description: name, parameters } } as ToolDeclaration;
}

function readJson(path: string | null): Record<string, unknown> {
  return path === null ? {} : JSON.parse(readFileSync(path, "utf8"));
}
