import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { formatNames, getFormat, parse } from "../src/index.ts";
import type { Tools } from "./support/corpus.ts";
import { sharedFile } from "./support/shared.ts";

/** Real tools with valid calls of them, from the Berkeley Function Calling Leaderboard. */
interface Row {
  id: string;
  tools: Tools;
  calls: { name: string; arguments: Record<string, unknown> }[];
}

/** Formats that can write every row. */
const complete = new Set(["raw-json", "mistral", "hermes", "qwen3-coder"]);

const file = sharedFile("corpus/function-calls.ndjson");

const rows: Row[] =
  file === null
    ? []
    : readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

describe.skipIf(file === null)("calls of real tools come back from render and parse", () => {
  test("there are 798", () => expect(rows).toHaveLength(798));

  for (const format of formatNames()) {
    test(format, ({ annotate }) => {
      const refused: string[] = [];
      for (const row of rows) {
        const text = render(format, row);
        if (text === null) {
          refused.push(row.id);
        } else {
          expectSame(format, row, text);
        }
      }
      if (complete.has(format)) {
        expect(refused).toEqual([]);
      }
      return annotate(`${rows.length - refused.length} of ${rows.length} came back, ${refused.length} not writable`);
    });
  }
});

/** The text of the calls, or null where the format has no way to write them. */
function render(format: string, { calls, tools }: Row): string | null {
  try {
    return getFormat(format).render({ calls }, { tools });
  } catch (error) {
    if (error instanceof Error && error.name === "RenderError") {
      return null;
    }
    throw error;
  }
}

function expectSame(format: string, { id, calls, tools }: Row, text: string): void {
  const result = parse(text, { format, tools });
  const received = {
    calls: result.calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    rejected: result.rejected,
    content: result.content.trim(),
    reasoning: result.reasoning.trim(),
  };
  const expected = { calls, rejected: [], content: "", reasoning: "" };
  if (!isDeepStrictEqual(received, expected)) {
    expect(received, `${id}\n${text}`).toEqual(expected);
    expect.fail(`${id}: other calls than were written`);
  }
}
