import type { Bare, Reading } from "../format.ts";
import { takeFence } from "./arguments.ts";
import { envelopes } from "./envelope.ts";

/**
 * JSON behind an opener: `<tool_call>|{"name": "tide_level", "arguments": {"port": "Oban"}}</tool_call>`.
 * One object, a list of them, or several glued, on lines, or with a comma between. The object is the call; the closer is
 * residue that the outline drops.
 */
export function jsonInTags(options: { idLast?: boolean } = {}): Reading {
  return function* (input, calls, _opener, from) {
    let read = false;
    let fenced = false;
    let start = from;
    for (;;) {
      yield* input.space();
      if (calls.rules.repair && (yield* takeFence(input))) fenced = true;
      const first = yield* input.peek();
      if (first === -1 && !read) return calls.cut(from);
      if ((first !== 0x7b && first !== 0x5b) || !(yield* envelopes(input, calls, start, options))) break;
      read = true;
      if (fenced) {
        yield* input.space();
        yield* input.take("```");
        fenced = false;
      }
      start = input.offset;
      yield* input.space();
      if (yield* input.take(",")) yield* input.space();
      if ((yield* input.peek()) !== 0x7b) break;
    }
    if (read) input.back(start);
    return read;
  };
}

const OBJECT = 0x7b;
const LIST = 0x5b;

/** Objects, or lists of them, without any marker: a call only where the object says so itself. */
export function bareObjects(): Bare {
  return {
    starts: (code) => code === OBJECT || code === LIST,
    read: function* (input, calls, from, first) {
      if (calls.rules.tools?.names.length === 0) return false;
      return yield* envelopes(input, calls, from, { bare: true, first });
    },
  };
}

/** The marker was stripped: a message that *is* a list of calls. */
export function bareList(options: { idLast?: boolean } = {}): Bare {
  return {
    starts: (code) => code === LIST,
    onlyFirst: true,
    read: function* (input, calls, from, first) {
      if (!first || !calls.rules.repair || (calls.rules.tools?.names.length ?? 0) === 0) return false;
      return yield* envelopes(input, calls, from, { ...options, bare: true, lostOpener: true });
    },
  };
}

/**
 * The opener was lost: an object at the start of a line is a call if the orphaned closer follows it, or if it is the whole
 * message. It is read to its end before it is decided.
 */
export function orphan(closer: string): Bare {
  return {
    starts: (code) => code === OBJECT,
    read: function* (input, calls, from, first) {
      if (!calls.rules.repair || (calls.rules.tools?.names.length ?? 0) === 0) return false;
      const dry = calls.dry();
      if (!(yield* envelopes(input, dry, from, { bare: true })) || dry.completed === 0) return false;
      yield* input.space();
      const closes = yield* input.at(closer);
      if (!closes && !(first && (yield* input.peek()) === -1)) return false;
      input.back(from);
      return yield* envelopes(input, calls, from, { bare: true, lostOpener: true });
    },
  };
}
