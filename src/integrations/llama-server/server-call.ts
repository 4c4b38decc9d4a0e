import type { Call, Calls } from "../../calls.ts";
import { defineFormat, type Format } from "../../format.ts";
import type { Input, Waiting } from "../../input.ts";
import { QuickReader } from "../../json/quick-reader.ts";
import { giveArguments, readJson, report } from "../../shapes/arguments.ts";

// no text holds these code points
const OPEN = "\uFDD0";
const BEHIND_ID = "\uFDD1";
const BEHIND_NAME = "\uFDD2";

const OPEN_OBJECT = 0x7b;

/**
 * A call that the server has read itself, written so that it can be read like any other: checked against its tool while it
 * streams, with the same events. One output is one call: `header`, then the arguments as they come.
 */
export const serverCall: Format = defineFormat({
  name: "server-call",
  models: [],
  source: "the server",
  tokens: [],
  stops: [],
  opens: { [OPEN]: read },
  render: ({ calls = [] }) =>
    calls.map((call) => header(call.id ?? "", call.name) + JSON.stringify(call.arguments)).join(""),
});

/** What stands before the arguments. */
export function header(id: string, name: string): string {
  return OPEN + id + BEHIND_ID + name + BEHIND_NAME;
}

function* read(input: Input, calls: Calls, _opener: string, from: number): Waiting<boolean> {
  const id = yield* upTo(input, BEHIND_ID);
  const name = yield* upTo(input, BEHIND_NAME);
  const call = calls.begin(from);
  if (id !== "") call.identify(id);
  call.named(name);
  yield* input.space();
  if ((yield* input.peek()) === OPEN_OBJECT) yield* object(input, calls, call);
  else yield* other(input, calls, call);
  call.end(input.offset);
  return true;
}

/** The object streams. Nothing may stand behind it, so that the call is over only when the output is. */
function* object(input: Input, calls: Calls, call: Call): Waiting<void> {
  const { ends, repair, depth } = calls.rules;
  const reader = new QuickReader({ sink: call, node: call.node, ends, repair, depth });
  yield* input.run(reader);
  if (reader.unclosed && repair && input.finished) reader.finish(input);
  if (!reader.done) report(call, input, reader.fault);
  const behind = input.offset;
  const rest = yield* toEnd(input);
  if (reader.done && rest.trim() !== "") call.fail("invalid-arguments", "Text follows the arguments.", behind);
}

/** Some servers leave empty arguments out, or encode them twice. */
function* other(input: Input, calls: Calls, call: Call): Waiting<void> {
  const { repair, depth } = calls.rules;
  const from = input.offset;
  const text = (yield* toEnd(input)).trim();
  if (!input.finished) call.fail("truncated", "The output was cut off inside the arguments.", input.offset);
  else if (text !== "" && text !== "null") {
    const json = readJson(text, { repair, depth });
    if (json === null) call.fail("invalid-arguments", "The arguments must be a JSON object.", from);
    else giveArguments(call, calls, json, from);
  }
}

function* upTo(input: Input, mark: string): Waiting<string> {
  let text = "";
  while (yield* input.more()) {
    const char = input.text[input.pos++] as string;
    if (char === mark) break;
    text += char;
  }
  return text;
}

function* toEnd(input: Input): Waiting<string> {
  let text = "";
  while (yield* input.more()) {
    text += input.text.slice(input.pos);
    input.pos = input.text.length;
  }
  return text;
}
