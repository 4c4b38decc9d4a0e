import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatNames, type Problem } from "../../src/index.ts";
import { runs } from "../support/arbitraries.ts";
import {
  arrivalFault,
  type Manner,
  ours,
  type Reader,
  type Reply,
  replies,
  soundnessFault,
  stopFault,
  type Told,
} from "./early.ts";
import type { Fault } from "./laws.ts";

interface Law {
  title: string;
  manner: Manner;
  fault: (read: Reader, reply: Reply) => Fault;
}

/** Formats that carry text at every level: it gets its types from the schema, so that coercion has nothing to mend. */
const allText = new Set(["minimax-m3"]);

/** Law 10 in full, and what follows from laws 1 and 10 together. */
const laws = {
  sound: {
    title: "no problem is told of what the last check accepts",
    manner: "any",
    fault: soundnessFault,
  },
  mended: {
    title: "no problem is told of what coercion mends",
    manner: "careless",
    fault: soundnessFault,
  },
  arrival: {
    title: "problems come in the same order, with the same offset and at the same time, however the text is cut",
    manner: "any",
    fault: arrivalFault,
  },
  stop: {
    title: "`stopOnProblem` ends with the first problem, at the same place however the text is cut",
    manner: "any",
    fault: stopFault,
  },
} satisfies Record<string, Law>;

function property({ manner, fault }: Law, read: Reader, format: string): fc.IProperty<[Reply]> {
  return fc.property(replies(format, manner), (reply) => {
    const found = fault(read, reply);
    if (found !== null) throw new Error(`${reply.text}\n${found}`);
  });
}

for (const format of formatNames()) {
  describe(format, () => {
    for (const law of Object.values(laws)) {
      test(law.title, () => {
        fc.assert(property(law, ours, format), runs(15));
      });
    }

    test("the laws are tried on calls that are taken, mended, and rejected before the text ends", () => {
      const count = { taken: 0, mended: 0, early: 0 };
      for (const { text, options } of fc.sample(replies(format), 60)) {
        const { told, result } = ours([text], options);
        count.taken += result.calls.length;
        count.early += told.filter(({ event, at }) => event.type === "tool-problem" && Number.isFinite(at)).length;
      }
      for (const { text, options } of fc.sample(replies(format, "careless"), 60)) {
        const strict = ours([text], { ...options, validation: "strict" }).result;
        count.mended += ours([text], options).result.calls.length - strict.calls.length;
      }
      expect(count.taken).toBeGreaterThan(0);
      expect(count.early).toBeGreaterThan(0);
      if (!allText.has(format)) expect(count.mended).toBeGreaterThan(0);
    });
  });
}

/** A parser with a fault that a law must find. */
interface Seeded {
  law: keyof typeof laws;
  fault: string;
  read: Reader;
}

const seeded: Seeded[] = [
  {
    law: "sound",
    fault: "a problem is told of each call",
    read: (chunks, options) => {
      const { told, result } = ours(chunks, options);
      const problem: Problem = { kind: "forbidden", path: "/nowhere", message: "" };
      const early = told.flatMap((one) =>
        "call" in one.event
          ? [{ at: one.at, event: { type: "tool-problem" as const, index: one.event.call.index, problem } }, one]
          : [one],
      );
      return { told: early, result };
    },
  },
  {
    law: "mended",
    fault: "arguments are held against the schema before they are coerced",
    read: (chunks, options) =>
      ours(chunks, { ...options, validation: options.validation === "coerce" ? "strict" : options.validation }),
  },
  {
    law: "arrival",
    fault: "a problem waits for the next event",
    read: (chunks, options) => {
      const { told, result } = ours(chunks, options);
      const later = told.map((one, i) =>
        one.event.type === "tool-problem" ? { ...one, at: (told[i + 1] ?? one).at } : one,
      );
      return { told: chunks.length > 20 ? told : later, result };
    },
  },
  {
    law: "arrival",
    fault: "offsets count from the call",
    read: (chunks, options) => {
      const { told, result } = ours(chunks, options);
      for (const { problems, start } of result.rejected) {
        for (const problem of problems) problem.offset = (problem.offset ?? 0) - start - 1;
      }
      return { told, result };
    },
  },
  {
    law: "arrival",
    fault: "what the last check finds takes the place of what was told",
    read: (chunks, options) => {
      const { told, result } = ours(chunks, options);
      return { told, result: { ...result, rejected: result.rejected.map((call) => ({ ...call, problems: [] })) } };
    },
  },
  {
    law: "stop",
    fault: "the whole output is read all the same",
    read: (chunks, options) => ours(chunks, { ...options, stopOnProblem: false }),
  },
  {
    law: "stop",
    fault: "all that was fed counts as used",
    read: (chunks, options) => {
      const { told, result } = ours(chunks, options);
      const used = told.at(-1)?.at ?? 0;
      return { told, result: result.used === undefined ? result : { ...result, used } };
    },
  },
  {
    law: "stop",
    fault: "what is fed after the stop is content",
    read: (chunks, options) => {
      const { told, result } = ours(chunks, options);
      const fed = chunks.at(-1) ?? "";
      const late: Told = { event: { type: "text-delta", text: fed }, at: told.at(-1)?.at ?? 0 };
      return { told: result.used === undefined || fed !== "\n" ? told : [...told, late], result };
    },
  },
];

describe("each law finds its seeded faults", () => {
  for (const { law, fault, read } of seeded) {
    test(`${law}: ${fault}`, () => {
      const found = ["mistral", "qwen3-coder", "hermes"].some(
        (format) => fc.check(property(laws[law], read, format), { numRuns: 200, endOnFailure: true }).failed,
      );
      expect(found).toBe(true);
    });
  }

  test("there is a fault for each law", () => {
    expect(new Set(seeded.map(({ law }) => law))).toEqual(new Set(Object.keys(laws)));
  });
});
