import type { Repair } from "../../src/index.ts";
import { Input } from "../../src/input.ts";
import { QuickReader } from "../../src/json/quick-reader.ts";
import { type Fault, JsonReader } from "../../src/json/reader.ts";
import type { SchemaNode } from "../../src/schema/node.ts";

/** What the reader made of a text: null where it is no JSON value with nothing but blanks around it. */
export interface Read {
  json: string | null;
  repairs: Repair[];
  fault: Fault | null;
}

/** Reads a text in these chunks, as the arguments of a call are read; `general`: without the short cut. */
export function read(
  chunks: readonly string[],
  repair: boolean,
  { general = false, node }: { general?: boolean; node?: SchemaNode | undefined } = {},
): Read {
  const repairs: Repair[] = [];
  let json = "";
  const write = (piece: string): void => void (json += piece);
  const sink = {
    write,
    verbatim: write,
    run: write,
    hush: () => {},
    repair: (kind: Repair["kind"], offset: number) => void repairs.push({ kind, offset }),
  };
  const input = new Input();
  input.mark();
  const options = { sink, node, repair, depth: 1_000_000 };
  const reader = general ? new JsonReader(options) : new QuickReader(options);
  let over = false;
  for (const chunk of chunks) {
    input.append(chunk);
    over ||= reader.step(input);
  }
  input.ended = true;
  if (!over) reader.step(input);
  if (reader.unclosed && repair) reader.finish(input);
  const whole = reader.done && /^[ \t\r\n]*$/.test(input.text.slice(input.pos));
  return { json: whole ? json : null, repairs, fault: reader.fault };
}
