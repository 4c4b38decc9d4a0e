import { readFileSync, writeFileSync } from "node:fs";
import type { LlamaCppReply } from "./llama-cpp.ts";

/**
 * What llama.cpp's own parser makes of a text: its calls, where it is something else than ours. `no parser`: it could not
 * make one of the chat template and these tools. `no match`: the text is not what its parser expects, and nothing comes out.
 */
export type Outcome = "no parser" | "no match" | readonly OutcomeCall[];

/** A call; arguments that are no JSON are a text. */
export interface OutcomeCall {
  name: string;
  arguments: unknown;
}

/** By chat template and script, where llama.cpp's calls are not ours. */
export type Differences = Record<string, Record<string, Outcome>>;

const file = new URL("differences.json", import.meta.url);

/** The table that the tests hold llama.cpp and us to. */
export function readDifferences(): Differences {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Replaces the table. */
export function writeDifferences(differences: Differences): void {
  const lines = Object.entries(differences).map(([template, outcomes]) => {
    const cases = Object.entries(outcomes).map(
      ([id, outcome]) => `    ${JSON.stringify(id)}: ${JSON.stringify(outcome)}`,
    );
    return `  ${JSON.stringify(template)}: {\n${cases.join(",\n")}\n  }`;
  });
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
}

/** @param reply Null where there is no parser. */
export function outcomeOf(reply: LlamaCppReply | null): Outcome {
  if (reply === null) return "no parser";
  const { calls, content, reasoning } = reply;
  if (calls.length === 0 && content === "" && reasoning === "") return "no match";
  return calls.map((call) => ({ name: call.name, arguments: read(call.arguments) }));
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
