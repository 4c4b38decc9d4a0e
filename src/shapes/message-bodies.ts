import type { Calls } from "../calls.ts";
import type { Reading } from "../format.ts";
import type { Input, Waiting } from "../input.ts";
import { jsonArguments, ranOut } from "./arguments.ts";
import { endsHere, resyncAt } from "./ends.ts";
import { envelopes } from "./envelope.ts";
import type { CallHeader, MessageLayout } from "./messages.ts";
import { ownCalls, type ParameterTags, wrappedCalls } from "./parameter-tags.ts";

const OPEN_OBJECT = 0x7b;

/** The recipient without its namespace, `functions.tide_level`; a content type glued to it is cut off if that leaves a tool. */
export function functionsTool(recipient: string, calls: Calls): string {
  if (calls.declares(recipient)) return recipient;
  const name = recipient.startsWith("functions.") ? recipient.slice("functions.".length) : recipient;
  const unglued = name.endsWith("json") ? name.slice(0, -"json".length) : name;
  return calls.rules.repair && !calls.declares(name) && calls.declares(unglued) ? unglued : name;
}

/** The arguments are the body: `to=functions.tide_level<|message|>|{"port": "Oban"}<|call|>`. None at all are none. */
export function* argumentsBody(input: Input, calls: Calls, header: CallHeader): Waiting<void> {
  const { from, recipient, nearMiss } = header;
  const { repair } = calls.rules;
  const written = recipient ?? "";
  const name = functionsTool(written, calls);
  if (name === "") return yield* unreadable(input, calls, from, "The call has no recipient.");
  const call = calls.begin(from);
  if (nearMiss) call.repair("near-miss-tag", input.offset);
  if (!written.endsWith(name)) call.repair("near-miss-name", from);
  call.named(name);
  const behind = input.offset;
  yield* input.space();
  if ((yield* input.more()) && !(yield* endsHere(input, calls.rules.ends)))
    return yield* jsonArguments(input, calls, call);
  if (ranOut(input)) call.fail("truncated", "The output was cut off in front of the arguments.", input.offset);
  else if (repair) call.repair("missing-bracket", behind);
  else call.fail("invalid-arguments", "The arguments are missing.", behind);
  call.end(ranOut(input) ? input.offset : behind);
}

/** Name and arguments are the body: `tide_level<|content_invoke_tool_json|>|{"name": "tide_level", "args": {…}}`. */
export function* envelopeBody(input: Input, calls: Calls, { from }: CallHeader): Waiting<void> {
  yield* input.space();
  let at = from;
  while ((yield* input.peek()) === OPEN_OBJECT && (yield* envelopes(input, calls, at, {}))) {
    yield* input.space();
    at = input.offset;
  }
  if (at > from) return input.back(at);
  if (!calls.cut(from)) yield* unreadable(input, calls, from, "A call must be a JSON object with a name.");
}

/** Tags are the body: `to=tide_level<|message|>|<atem:function_calls><atem:invoke name="tide_level">…`. */
export function invokeBody(tags: ParameterTags): MessageLayout["call"] {
  const wrapped = wrappedCalls(tags);
  const unwrapped = ownCalls(tags);
  const { open: wrap = "", close: wrapClose = "" } = tags.wrap ?? {};
  return function* (input, calls, header) {
    const { from } = header;
    yield* input.space();
    const start = input.offset;
    let at = from;
    while (yield* input.more()) {
      const inWrapper = yield* input.take(wrap);
      if (!inWrapper && !calls.rules.repair) break;
      const read: boolean = inWrapper ? yield* wrapped(input, calls, wrap, at) : yield* unwrapped(input, calls, "", at);
      if (!read) break;
      do yield* input.space();
      while ((yield* input.takeOne([wrapClose, tags.call.close])) !== null);
      at = input.offset;
    }
    if (at > from) return input.back(at);
    input.back(start);
    const name = header.recipient !== null && calls.declares(header.recipient) ? header.recipient : "";
    if (calls.rules.repair && name !== "" && (yield* input.peek()) === OPEN_OBJECT) {
      return yield* argumentsBody(input, calls, { ...header, nearMiss: true });
    }
    if (!(yield* input.more()) || input.endsInPartOf([wrap])) {
      input.pos = input.text.length;
      if (calls.cut(from)) return;
    }
    yield* unreadable(input, calls, from, `A call must be written as ${tags.call.open}"…">.`, name);
  };
}

/** A token in the name, or the namespace twice or without need: `"tide_level<|message|>"`, `"tide_level.tide_level"`. */
export function nameWithoutNoise(written: string, declares: (name: string) => boolean): string {
  const name = written.split("<|")[0] as string;
  const inside = name.slice(name.indexOf(".") + 1);
  return !declares(name) && declares(inside) && name === `${inside}.${inside}` ? inside : name;
}

/** What stands behind tokens that only a call can follow, and is none. */
export const brokenCall: Reading = function* (input, calls, _opener, from) {
  yield* unreadable(input, calls, from, "A call must be a JSON object with a name.");
  return true;
};

/** The tokens in front of it say that it is a call, but it cannot be read. */
function* unreadable(input: Input, calls: Calls, from: number, message: string, name = ""): Waiting<void> {
  const call = calls.begin(from);
  if (name !== "") call.named(name);
  call.fail("invalid-arguments", message, input.offset);
  yield* resyncAt(input, calls.rules.ends, []);
  call.end(input.offset);
}
