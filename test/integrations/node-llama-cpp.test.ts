import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ParserEvent, parse } from "../../src/index.ts";
import { readTokens, type TokenOptions } from "../../src/integrations/node-llama-cpp.ts";
import { mergeEvents } from "../support/merge.ts";
import { sharedFile } from "../support/shared.ts";
import { ByteTokens, stream } from "./byte-tokens.ts";

const generateId = (index: number): string => `id${index}`;

async function all(events: AsyncIterable<ParserEvent>): Promise<ParserEvent[]> {
  const list: ParserEvent[] = [];
  for await (const event of events) list.push(event);
  return mergeEvents(list);
}

/** A model of this vocabulary; 0 ends the output. */
function modelOf(from: ByteTokens) {
  return {
    detokenize: (tokens: readonly number[], special = false) => from.decode(tokens, special),
    isEogToken: (token: number) => token === 0,
  };
}

function result(events: readonly ParserEvent[]) {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error("no finish");
  return last.result;
}

const from = new ByteTokens();
const opener = from.token("[TOOL_CALLS]", true);
const args = from.token("[ARGS]", true);
const said = [...from.bytes("Da: "), opener, ...from.bytes("tide"), args, ...from.bytes('{"port":"Żary 🏔"}')];

async function read(tokens: number[], options: TokenOptions<number> = {}): Promise<ParserEvent[]> {
  return all(readTokens(stream(tokens), modelOf(from), { format: "mistral", generateId, ...options }));
}

test("control tokens are read, and characters are whole in every delta", async () => {
  const events = await read(said);
  expect(result(events)).toEqual(
    parse('Da: [TOOL_CALLS]tide[ARGS]{"port":"Żary 🏔"}', { format: "mistral", generateId }),
  );
  expect(JSON.stringify(events)).not.toContain("\uFFFD");
});

test("an end-of-generation token ends the output and the source, whatever else is said", async () => {
  let closed = false;
  async function* source(): AsyncGenerator<number> {
    try {
      yield* [...from.bytes("Ja."), 0, ...from.bytes("more")];
    } finally {
      closed = true;
    }
  }
  const events = await all(readTokens(source(), modelOf(from), { format: "mistral", finished: false }));
  expect(result(events)).toMatchObject({ content: "Ja.", finish: "stop" });
  expect(closed).toBe(true);
});

test("maxTokens cuts the output off, and so does who says it was not finished", async () => {
  const cut = result(await read(said, { maxTokens: said.length - 4 }));
  expect(cut).toMatchObject({ finish: "truncated", calls: [], rejected: [{ name: "tide" }] });
  expect(result(await read(said.slice(0, -4), { finished: () => false })).finish).toBe("truncated");
  expect(result(await read(said)).finish).toBe("tool-calls");
});

test("an exception of the source comes after the events of what came before", async () => {
  async function* source(): AsyncGenerator<number> {
    yield* from.bytes("Ja");
    throw new Error("out of memory");
  }
  const types: string[] = [];
  const reading = async () => {
    for await (const event of readTokens(source(), modelOf(from))) types.push(event.type);
  };
  await expect(reading()).rejects.toThrow("out of memory");
  expect(types.at(-1)).toBe("finish");
});

for (const format of ["hermes", "mistral"]) {
  const file = sharedFile(`llama-cpp/fixtures/nodellamacpp-echo-${format}-tokens.jsonl.txt`);
  test.skipIf(file === null)(`tokens that node-llama-cpp gave: ${format}`, async () => {
    const lines = readFileSync(file as string, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { rawText } = lines.pop();
    // what the captured token is as bytes: a byte token where its text is not whole
    const captured = new ByteTokens();
    const tokens = lines.map(({ token, textSpecial, text }) =>
      textSpecial === "\uFFFD" ? token : captured.token(textSpecial, text === ""),
    );
    const events = await all(readTokens(stream(tokens), modelOf(captured), { format, generateId }));
    expect(result(events)).toEqual(parse(rawText, { format, generateId }));
  });
}
