/** What a token is, by its number in a GGUF file. */
const NORMAL = 1;
const CONTROL = 3;
const USER_DEFINED = 4;

/** How many pairs of pieces are merged: enough that names and punctuation come in pieces of several characters. */
const MERGES = 200;

/** Where the merges are learnt from: text of the kind that the tests let the model say. */
const SAMPLE = [
  '{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius", "days": 3}}',
  '{"name":"get_forecast","arguments":{"town":"Oban","hourly":true,"days":10}}',
  '{"name": "write_file", "arguments": {"path": "notes/a.txt", "content": "It\'s fine.\\nBye", "mode": "append"}}',
  '[{"name": "plan_trip", "arguments": {"stops": ["Oban"], "budget": 2.5, "options": {"ferry": false}, "priority": null}}]',
  "<function=get_forecast>\n<parameter=town>\nOban\n</parameter>\n</function>",
  'get_weather(city="Paris", unit="celsius")\nsearch(query="weather in Paris", tags=["x", "y"])',
  "I will look that up. Let me think about it first: the user asks for the weather, so I call the tool.",
  '"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"], "description": "The town"',
];

/** Words as the pre-tokenizer `qwen2` cuts them, nearly: no merge goes over their borders. */
const WORD = / ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+/gu;

/** A byte-level BPE vocabulary, as GGUF files spell it. */
export interface Vocabulary {
  tokens: readonly string[];
  types: readonly number[];
  /** Two tokens and a blank between them; earlier ones come first. */
  merges: readonly string[];
}

/**
 * All bytes, pieces of a few characters, and whole markers.
 * @param control Tokens that are no text: llama.cpp leaves some of them out where they are not asked for.
 * @param userDefined Tokens that are text like any other, but one token each, such as Qwen's `<tool_call>`.
 */
export function vocabulary(control: readonly string[], userDefined: readonly string[]): Vocabulary {
  const bytes = byteCharacters();
  const merges = learnMerges(SAMPLE, bytes);
  const types = new Map<string, number>();
  const add = (tokens: readonly string[], type: number): void => {
    for (const token of tokens) if (!types.has(token)) types.set(token, type);
  };
  add(bytes, NORMAL);
  add(
    merges.map((pair) => pair.replace(" ", "")),
    NORMAL,
  );
  add(control, CONTROL);
  add(userDefined, USER_DEFINED);
  return { tokens: [...types.keys()], types: [...types.values()], merges };
}

/** The character for each byte: printable ones stand for themselves, the others are those from U+0100 on. */
function byteCharacters(): string[] {
  let moved = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(printable ? byte : moved++);
  });
}

/** Byte-pair encoding: again and again the most frequent pair of neighbours becomes one piece. */
function learnMerges(texts: readonly string[], bytes: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.match(WORD) ?? []);
  let spelled = words.map((word) => [...Buffer.from(word)].map((byte) => bytes[byte] as string));
  const merges: string[] = [];
  while (merges.length < MERGES) {
    const pair = mostFrequentPair(spelled);
    if (pair === null) break;
    merges.push(pair);
    spelled = spelled.map((pieces) => joined(pieces, pair));
  }
  return merges;
}

/** Of equally frequent pairs the first in order; null where no pair is left. */
function mostFrequentPair(words: readonly string[][]): string | null {
  const counts = new Map<string, number>();
  for (const pieces of words) {
    for (let at = 1; at < pieces.length; at++) {
      const pair = `${pieces[at - 1]} ${pieces[at]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  let best: string | null = null;
  for (const [pair, count] of counts) {
    const before = best === null ? 0 : (counts.get(best) as number);
    if (count > before || (count === before && pair < (best as string))) best = pair;
  }
  return best;
}

function joined(pieces: readonly string[], pair: string): string[] {
  const result: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const both = `${pieces[at]} ${pieces[at + 1]}` === pair;
    result.push(both ? pair.replace(" ", "") : (pieces[at] as string));
    if (both) at++;
  }
  return result;
}
