import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createParser, type ToolDeclaration } from "../../src/index.ts";
import { type Differences, outcomeOf, readDifferences, writeDifferences } from "./differences.ts";
import { LlamaCpp, missing } from "./llama-cpp.ts";
import { begun, type ReplyStart } from "./reply-start.ts";
import { type Play, type ScriptedCall, type Template, templates } from "./scripts.ts";

const where = missing === null ? "" : ` (skipped: ${missing})`;
const expected = readDifferences();
const found: Differences = {};

describe.skipIf(missing !== null)(`what llama.cpp says, token by token${where}`, () => {
  let llama: LlamaCpp;

  beforeAll(async () => {
    llama = await LlamaCpp.start();
  });

  afterAll(() => {
    llama?.stop();
    if (process.env.WRITE_DIFFERENCES === "1") writeDifferences(found);
  });

  for (const template of templates()) {
    for (const play of template.plays) {
      describe(`${template.name} as ${template.format}, ${play.title}`, () => {
        let start: ReplyStart | null;

        beforeAll(async () => {
          start = await llama.use(template.source, play.tools).catch(() => null);
        });

        test.each(play.scripts)("$id", async (script) => {
          const { text, ours, theirs } = begun(script, start);
          const pieces = await llama.say(text);
          expect(pieces.join("")).toBe(text);

          const calls = ourCalls(template, play, pieces, ours);
          expect(calls, "our calls are those of the script").toEqual(script.calls);

          const outcome = outcomeOf(start === null ? null : await llama.parse(text, theirs));
          const difference = isDeepStrictEqual(outcome, calls) ? undefined : outcome;
          if (difference !== undefined) (found[template.name] ??= {})[script.id] = difference;
          expect(difference, "llama.cpp's calls are ours, or what test/real/differences.json says").toEqual(
            expected[template.name]?.[script.id],
          );
        });
      });
    }
  }
});

function ourCalls({ format }: Template, { tools }: Play, pieces: readonly string[], prefill: string): ScriptedCall[] {
  const parser = createParser({ format, tools: tools as ToolDeclaration[], prefill });
  for (const piece of pieces) parser.feed(piece);
  return parser.end().calls.map((call) => ({ name: call.name, arguments: call.arguments }));
}
