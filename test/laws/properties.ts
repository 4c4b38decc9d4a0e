import fc from "fast-check";
import {
  brokenReplies,
  lostQuoteReplies,
  type Output,
  outputs,
  toolsOf,
  writesMarkers,
  written,
  writtenScenes,
} from "../support/arbitraries.ts";
import { generateId } from "../support/corpus.ts";
import {
  argumentsFault,
  chunkingFault,
  coercionFault,
  cutFault,
  type Fault,
  frontierFault,
  lossFault,
  problemFault,
  repairFault,
  retractionFault,
  roundTripFault,
  type Subject,
  siblingsFault,
  truncationFault,
  verbatimFault,
} from "./laws.ts";

/** A law, as a property of a parser that reads a format. */
export interface Law {
  title: string;
  /** How often it is tried: the laws that read every beginning of a text cost most. */
  usual: number;
  /** Does it hold of `auto` too, on what the format writes? */
  auto: boolean;
  property: (subject: Subject, format: string, asked?: string) => fc.IProperty<[unknown]>;
}

const clean = { finished: true, generateId };
const called = { minLength: 1 };
const profiles = [undefined, "strict", "coerce", "lenient", "none"] as const;

export const laws: Record<string, Law> = {
  chunking: {
    title: "law 1: chunking never matters",
    usual: 25,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(outputs(format), (output) => chunkingFault(subject, readAs(output, asked))),
  },
  frontier: {
    title: "law 1: nor does it matter for what is out after a part of the text",
    usual: 15,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(outputs(format), (output) => frontierFault(subject, readAs(output, asked))),
  },
  retraction: {
    title: "law 2: what came out is never taken back",
    usual: 30,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(outputs(format), (output) => retractionFault(subject, readAs(output, asked))),
  },
  loss: {
    title: "law 3: nothing is lost",
    usual: 250,
    auto: false,
    property: (subject, format) => holds(outputs(format), (output) => lossFault(subject, output)),
  },
  arguments: {
    title: "law 4: the deltas are the arguments, under every profile",
    usual: 250,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(outputs(format), (output) => argumentsFault(subject, readAs(output, asked))),
  },
  verbatim: {
    title: "law 4: the arguments' text is as it was written, without blanks",
    usual: 100,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(writtenScenes(format), (scene) => verbatimFault(subject, scene, { ...clean, format: asked })),
  },
  coercion: {
    title: "law 4: coercion is that of validateArguments, and coercing again changes nothing",
    usual: 150,
    auto: false,
    property: (subject, format) =>
      holds(outputs(format), ({ text, options }) => coercionFault(subject, text, options, toolsOf(options))),
  },
  roundTrip: {
    title: "law 5: what render writes comes back, under every profile",
    usual: 80,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(writtenScenes(format), (scene) =>
        first(profiles, (validation) => roundTripFault(subject, scene, { ...clean, format: asked, validation })),
      ),
  },
  roundTripWithoutTools: {
    title: "law 5: and without tools",
    usual: 80,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(writtenScenes(format), ({ turn }) => {
        const text = written(format, turn, undefined);
        return text === null
          ? null
          : roundTripFault(subject, { turn, text, tools: undefined }, { ...clean, format: asked });
      }),
  },
  truncation: {
    title: "law 6: truncation is never completion",
    usual: 8,
    auto: false,
    property: (subject, format) =>
      holds(writtenScenes(format, called), ({ text, tools }) =>
        truncationFault(subject, text, { ...clean, format, tools }),
      ),
  },
  cut: {
    title: "law 6: truncated means cut off, whatever the output",
    usual: 200,
    auto: true,
    property: (subject, format, asked = format) =>
      holds(outputs(format), (output) => cutFault(subject, readAs(output, asked))),
  },
  repair: {
    title: "law 7: clean text needs no repair",
    usual: 150,
    auto: false,
    property: (subject, format) =>
      holds(writtenScenes(format), ({ text, tools }) => repairFault(subject, text, { ...clean, format, tools })),
  },
  siblings: {
    title: "law 9: one bad call harms no other",
    usual: 100,
    auto: false,
    property: (subject, format) =>
      holds(brokenReplies(format), (reply) => siblingsFault(subject, reply, { ...clean, format, tools: reply.tools })),
  },
  lostQuote: {
    title: "law 9: nor does one that has lost a quote, where a marker follows it",
    usual: 60,
    auto: false,
    property: (subject, format) =>
      holds(lostQuoteReplies(format), (reply) =>
        siblingsFault(subject, reply, { ...clean, format, tools: reply.tools }),
      ),
  },
  problems: {
    title: "law 10: an early problem is final, and no invalid call is dispatchable",
    usual: 200,
    auto: false,
    property: (subject, format) =>
      holds(outputs(format), (output) => problemFault(subject, output, toolsOf(output.options))),
  },
};

/** A lost quote can only be told where the format has markers. */
export function applies(law: Law, format: string): boolean {
  return law !== laws.lostQuote || writesMarkers(format);
}

/** The property that a law finds no fault in what is given. */
function holds<Given>(given: fc.Arbitrary<Given>, law: (given: Given) => Fault): fc.IProperty<[unknown]> {
  return fc.property(given, (one) => {
    const fault = law(one);
    if (fault !== null) throw new Error(fault);
  }) as fc.IProperty<[unknown]>;
}

function readAs(output: Output, format: string): Output {
  return { ...output, options: { ...output.options, format } };
}

function first<Given>(list: readonly Given[], law: (given: Given) => Fault): Fault {
  for (const given of list) {
    const fault = law(given);
    if (fault !== null) return `${given}: ${fault}`;
  }
  return null;
}
