import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ParseResult, ParserEvent, RejectedCall, ToolCall } from "../../src/index.ts";
import { ours, type Subject, type Trace } from "./laws.ts";
import { laws } from "./properties.ts";

/** A parser with a fault that one of the laws must find. */
interface Seeded {
  law: keyof typeof laws;
  fault: string;
  subject: Subject;
  formats?: readonly string[];
}

/** Changes what came out, event by event. */
function changed(change: (event: ParserEvent, at: number, events: readonly ParserEvent[]) => ParserEvent[]): Subject {
  return (chunks, options, end) => {
    const trace = ours(chunks, options, end);
    return consistent({ ...trace, events: trace.events.flatMap(change) });
  };
}

/** The fault shows in the result as well as in the events, so that it is not found by comparing the two. */
function consistent({ events, result }: Trace): Trace {
  if (result === null) return { events, result };
  const texts = (type: ParserEvent["type"]): string =>
    events.map((event) => ("text" in event && event.type === type ? event.text : "")).join("");
  const ended = (type: ParserEvent["type"]): never[] =>
    events.flatMap((event) => ("call" in event && event.type === type ? [event.call as never] : []));
  const sum: ParseResult = {
    ...result,
    content: texts("text-delta"),
    reasoning: texts("reasoning-delta"),
    calls: ended("tool-call") as ToolCall[],
    rejected: ended("tool-call-rejected") as RejectedCall[],
  };
  return {
    events: events.map((event) => (event.type === "finish" ? { ...event, result: sum } : event)),
    result: sum,
  };
}

const asText =
  (finished: boolean): Subject =>
  (chunks, options, end) =>
    ours(chunks, { ...options, finished }, end);

const seeded: Seeded[] = [
  {
    law: "chunking",
    fault: "the last delta of a chunked text comes twice",
    subject: (chunks, options, end) =>
      chunks.length < 2
        ? ours(chunks, options, end)
        : changed((event) => (event.type === "text-delta" && event.text.endsWith("t") ? [event, event] : [event]))(
            chunks,
            options,
            end,
          ),
  },
  {
    law: "chunking",
    fault: "a surrogate pair that is cut is lost",
    subject: (chunks, options, end) =>
      ours(
        chunks.map((chunk) => chunk.replace(/[\ud800-\udbff]$/, "")),
        options,
        end,
      ),
  },
  {
    law: "chunking",
    fault: "a problem comes before the delta that it belongs behind",
    subject: (chunks, options, end) => {
      const { events, result } = ours(chunks, options, end);
      const swapped = [...events];
      for (let at = 1; at < swapped.length; at++) {
        const [before, event] = [swapped[at - 1], swapped[at]] as [ParserEvent, ParserEvent];
        if (event.type === "tool-problem" && before.type === "tool-input-delta" && chunks.length > 1) {
          swapped[at - 1] = event;
          swapped[at] = before;
        }
      }
      return { events: swapped, result };
    },
  },
  {
    law: "frontier",
    fault: "the end of each chunk waits for the next one",
    subject: (chunks, options, end = true) => {
      const held = end ? [...chunks] : [...chunks.slice(0, -1), (chunks.at(-1) ?? "").slice(0, -1)];
      return ours(chunks.length > 1 ? held : chunks, options, end);
    },
  },
  {
    law: "retraction",
    fault: "what may begin a marker is shown at once",
    subject: (chunks, options, end = true) => {
      const trace = ours(chunks, options, end);
      const half = /[<[]$/.exec(chunks.join(""))?.[0];
      return end || half === undefined
        ? trace
        : { ...trace, events: [...trace.events, { type: "text-delta", text: half }] };
    },
  },
  {
    law: "retraction",
    fault: "an open string is closed while it waits",
    subject: (chunks, options, end = true) => {
      const trace = ours(chunks, options, end);
      const last = trace.events.at(-1);
      return end || last?.type !== "tool-input-delta"
        ? trace
        : { ...trace, events: [...trace.events, { ...last, delta: '"' }] };
    },
  },
  {
    law: "loss",
    fault: "what was held back is not released at the end",
    subject: changed((event, at, events) =>
      "text" in event && at >= events.length - 2 ? [{ ...event, text: event.text.slice(0, -1) }] : [event],
    ),
  },
  {
    law: "loss",
    fault: "content is trimmed",
    subject: changed((event) => (event.type === "text-delta" ? [{ ...event, text: event.text.trim() }] : [event])),
  },
  {
    law: "loss",
    fault: "a rejected call's raw text misses its opener",
    subject: changed((event) =>
      event.type === "tool-call-rejected"
        ? [{ ...event, call: { ...event.call, raw: event.call.raw.slice(1) } }]
        : [event],
    ),
  },
  {
    law: "loss",
    fault: "a call's end is that of its closer",
    subject: changed((event) =>
      "call" in event ? [{ ...event, call: { ...event.call, end: event.call.end + 40 } } as ParserEvent] : [event],
    ),
  },
  {
    law: "arguments",
    fault: "the last delta is dropped",
    subject: changed((event, at, events) =>
      event.type === "tool-input-delta" && events[at + 1]?.type === "tool-call" ? [] : [event],
    ),
  },
  {
    law: "arguments",
    fault: "a rejected call's deltas are the raw text",
    subject: changed((event) =>
      event.type === "tool-call-rejected"
        ? [{ type: "tool-input-delta", index: event.call.index, id: event.call.id as string, delta: "oops" }, event]
        : [event],
    ),
  },
  {
    law: "verbatim",
    fault: "numbers are read and written again",
    subject: changed((event) => {
      if (event.type !== "tool-call") return [event];
      const argumentsText = event.call.argumentsText.replace(/\d/, "9");
      return [{ ...event, call: { ...event.call, argumentsText } }];
    }),
  },
  {
    law: "coercion",
    fault: "arguments are not coerced",
    subject: (chunks, options, end) =>
      ours(chunks, { ...options, validation: options.validation === "coerce" ? "lenient" : options.validation }, end),
  },
  {
    law: "roundTrip",
    fault: "two calls are swapped",
    subject: (chunks, options, end) => {
      const { events, result } = ours(chunks, options, end);
      return { events, result: result && { ...result, calls: [...result.calls].reverse() } };
    },
  },
  {
    law: "roundTripWithoutTools",
    fault: "a content that looks like a number is gone",
    subject: (chunks, options, end) => {
      const { events, result } = ours(chunks, options, end);
      return { events, result: result && { ...result, content: result.content.replace("4", "") } };
    },
  },
  { law: "truncation", fault: "a cut is taken for the end", subject: asText(true) },
  { law: "truncation", fault: "the end is taken for a cut", subject: asText(false) },
  {
    law: "truncation",
    fault: "a cut call is completed",
    formats: ["mistral", "hermes"],
    subject: (chunks, options, end) => {
      if (options.finished) return ours(chunks, options, end);
      const cut = ours(chunks, options, end);
      const completed = ours(chunks, { ...options, finished: true }, end);
      return {
        events: cut.events,
        result: cut.result && { ...(completed.result as ParseResult), finish: "truncated" },
      };
    },
  },
  { law: "cut", fault: "a cut is taken for the end", subject: asText(true) },
  { law: "cut", fault: "the end is taken for a cut", subject: asText(false) },
  {
    law: "repair",
    fault: "each call is said to be repaired",
    subject: changed((event) =>
      event.type === "tool-call"
        ? [{ ...event, call: { ...event.call, repairs: [{ kind: "missing-closer", offset: event.call.end }] } }]
        : [event],
    ),
  },
  {
    law: "repair",
    fault: "without repair a call needs its closer",
    subject: (chunks, options, end) =>
      ours(options.repair === false ? chunks.map((chunk) => chunk.replace("}", "")) : chunks, options, end),
    formats: ["mistral", "hermes", "raw-json"],
  },
  {
    law: "siblings",
    fault: "behind a bad call nothing is read",
    subject: (chunks, options, end) => {
      const { events, result } = ours(chunks, options, end);
      const bad = result?.rejected[0]?.index ?? Number.POSITIVE_INFINITY;
      return { events, result: result && { ...result, calls: result.calls.filter(({ index }) => index < bad) } };
    },
  },
  {
    law: "siblings",
    fault: "a bad call takes the text behind it along",
    subject: (chunks, options, end) => {
      const { events, result } = ours(chunks, options, end);
      const harmed = result !== null && result.rejected.length > 0;
      return { events, result: harmed ? { ...result, content: result.content.slice(0, -10) } : result };
    },
  },
  {
    law: "lostQuote",
    fault: "an open string swallows what follows",
    formats: ["mistral", "hermes"],
    subject: (chunks, options, end) => {
      const { events, result } = ours(chunks, options, end);
      const bad = result?.rejected[0]?.index ?? Number.POSITIVE_INFINITY;
      return { events, result: result && { ...result, calls: result.calls.filter(({ index }) => index < bad) } };
    },
  },
  {
    law: "problems",
    fault: "a problem is reported that the end mends",
    subject: changed((event) =>
      event.type === "tool-call"
        ? [
            { type: "tool-problem", index: event.call.index, problem: { kind: "truncated", path: "", message: "" } },
            event,
          ]
        : [event],
    ),
  },
  {
    law: "problems",
    fault: "calls with bad arguments are dispatchable",
    subject: (chunks, options, end) => ours(chunks, { ...options, validation: "none" }, end),
  },
];

describe("each law finds its seeded faults", () => {
  for (const { law, fault, subject, formats = ["mistral", "qwen3-coder", "hermes", "raw-json"] } of seeded) {
    test(`${law}: ${fault}`, () => {
      // which format shows it is left open: the first that does
      const found = formats.some(
        (format) => fc.check(laws[law]!.property(subject, format), { numRuns: 400, endOnFailure: true }).failed,
      );
      expect(found).toBe(true);
    });
  }

  test("there is a fault for each law", () => {
    expect(new Set(seeded.map(({ law }) => law))).toEqual(new Set(Object.keys(laws)));
  });
});
