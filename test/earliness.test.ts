import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { generator } from "../bench/random.mjs";
import { type ValidCall, type WrongCall, withoutFault, wrongCalls } from "../bench/wrong-calls.mjs";
import { createParser, type ParserEvent, parse } from "../src/index.ts";
import { unchecked, written } from "./support/arbitraries.ts";
import { corpusFormats, loadCases } from "./support/corpus.ts";
import { sharedFile } from "./support/shared.ts";

/** A tool as both sources of calls declare it. */
interface Declared {
  function: { name: string; parameters: ValidCall["schema"] };
}

interface Row {
  tools: Declared[];
  calls: { name: string; arguments: ValidCall["arguments"] }[];
}

/** The calls of some rows, each with the schema of its tool. */
function callsOf(rows: readonly Row[]): ValidCall[] {
  return rows.flatMap(({ tools, calls }) =>
    calls.flatMap((call) => {
      const tool = tools.find((given) => given.function?.name === call.name);
      return tool === undefined ? [] : [{ ...call, schema: tool.function.parameters }];
    }),
  );
}

/** The calls of the cases of all formats. */
function corpusCalls(): ValidCall[] {
  const cases = corpusFormats().flatMap(loadCases);
  const sound = cases.filter(({ expect, tools }) => expect.problem === null && tools !== undefined);
  return callsOf(sound.map(({ tools, expect }) => ({ tools, calls: expect.calls }) as unknown as Row));
}

const file = sharedFile("corpus/function-calls.ndjson");

function realCalls(): ValidCall[] {
  const lines = readFileSync(file as string, "utf8").trim();
  return callsOf(lines.split("\n").map((line) => JSON.parse(line)));
}

const CHUNK = 4;
const EACH = 40;

/** The mean for some wrong calls of one kind: how much of what stands behind the fault has come when it is told. */
function meanBehind(keyword: string, valid: readonly ValidCall[], format: string, validation: Profile): number {
  const shares: number[] = [];
  let tries = 0;
  for (const wrong of wrongCalls(keyword, valid, generator(1))) {
    if (shares.length === EACH) break;
    if (tries++ > 100 * EACH) throw new Error(`${format} has too few calls with a wrong ${keyword}`);
    const share = behindFault(wrong, format, validation);
    if (share !== null) shares.push(share);
  }
  return shares.reduce((sum, share) => sum + share, 0) / EACH;
}

/** Null where the format cannot write the call, or it is not wrong as written there. */
function behindFault(wrong: WrongCall, format: string, validation: Profile): number | null {
  const tools = [wrong.tool];
  const text = written(format, { calls: [wrong.call] }, undefined);
  if (text === null || parse(text, { format, tools, validation }).rejected.length !== 1) return null;
  const place = commonLength(text, unchecked(format, { calls: [withoutFault(wrong)] }));
  let told = false;
  const parser = createParser({ format, tools, validation, onEvent });
  function onEvent({ type }: ParserEvent): void {
    if (type === "tool-problem") told = true;
  }
  let come = 0;
  while (!told && come < text.length) {
    parser.feed(text.slice(come, come + CHUNK));
    come = Math.min(come + CHUNK, text.length);
  }
  return Math.max(0, come - place) / (text.length - place);
}

type Profile = "coerce" | "strict";

/** Formats that carry text: of a text in place of a number is known that it is none when its tag closes. */
const ofText = new Set(["qwen3-coder", "glm45"]);

function limit(format: string, keyword: string): number {
  return keyword === "type" && ofText.has(format) ? 0.85 : 0.6;
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

const sources: [name: string, exists: boolean, calls: () => ValidCall[]][] = [
  ["the project's own cases", true, corpusCalls],
  ["calls of real tools", file !== null, realCalls],
];

for (const [name, exists, calls] of sources) {
  // docs/json-schema.md has the figures, and those of the other keywords
  describe.skipIf(!exists)(
    `${name}: told before 60 % of what stands behind the fault has come, and a type in text before 85 %`,
    () => {
      const valid = exists ? calls() : [];

      for (const format of ["mistral", "hermes", "qwen3-coder", "glm45", "deepseek-v31", "gemma4"]) {
        for (const keyword of ["type", "unknown tool", "enum", "additionalProperties"]) {
          test(`${format}, ${keyword}`, () => {
            for (const profile of ["strict", "coerce"] as const) {
              const share = meanBehind(keyword, valid, format, profile);
              expect(share, profile).toBeGreaterThan(0);
              expect(share, profile).toBeLessThan(limit(format, keyword));
            }
          });
        }
      }
    },
  );
}
