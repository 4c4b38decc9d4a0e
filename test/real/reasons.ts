import type { Differences } from "./differences.ts";

/** A kind of difference between llama.cpp's parser and ours. */
export interface Reason {
  kind: string;
  /** Whose calls are those that stand in the text; either: it can be read both ways. */
  right: "ours" | "either";
  why: string;
  /** By chat template, the scripts in which it shows; `all`: all in which there is a difference. */
  covers: Readonly<Record<string, readonly string[] | "all">>;
}

const rounds = ["one", "one+content", "two", "two+content"];
const twoCalls = ["two", "two+content"];
const withPythonValues = ["turn one", "turn text", "turn think"];

/** Why llama.cpp's calls are not ours. Each line of differences.json belongs to one of these. */
export const reasons: readonly Reason[] = [
  {
    kind: "No parser",
    right: "ours",
    why: "llama.cpp's own template engine cannot run the template: `in` with a list on its left (a parameter whose type is a list of types), or a macro where it expects an object. Without the template there is no parser.",
    covers: {
      "ByteDance-Seed-OSS": ["turn one", "turn two", "turn text", "turn think", "turn empty"],
      "CohereForAI-c4ai-command-r-plus-tool_use": "all",
      "GigaChat3-10B-A1.8B": "all",
      "GigaChat3.1-10B-A1.8B": ["turn one", "turn two", "turn text", "turn think", "turn empty"],
    },
  },
  {
    kind: "Derived parser misses the notation",
    right: "ours",
    why: "llama.cpp derives a parser by comparing what the template writes for a few examples. For these templates what it derives matches no call that the template writes; for Kimi K3, for one, the index `1` of an example is among its markers.",
    covers: { "Kimi-K3": "all", "Mistral-Small-3.2-24B-Instruct-2506": "all", "muse-glimmer": "all" },
  },
  {
    kind: "Id of the example taken for markup",
    right: "ours",
    why: "The derived parser reads a call only if its id is `call00001`, the id of llama.cpp's example.",
    covers: { "upstage-Solar-Open-100B": "all" },
  },
  {
    kind: "Layout of the template's own turns",
    right: "ours",
    why: "The derived parser takes the layout of its examples literally. The same template also writes a blank line behind the thought (Cohere2MoE), an id or a line break around the list (Apriel 1.5), a second call in the same wrapper (MiniMax M1 and M2), `>>>` behind text or another call (functionary 3.2).",
    covers: {
      Cohere2MoE: rounds,
      "MiniMax-M1": [...twoCalls, "turn two"],
      "MiniMax-M2": [...twoCalls, "turn two"],
      "meetkai-functionary-medium-v3.2": ["one+content", ...twoCalls, "turn two", "turn text"],
      "unsloth-Apriel-1.5": "all",
    },
  },
  {
    kind: "Layout of a sibling model",
    right: "either",
    why: "Our renderer writes one layout for a whole family, which is not the one of this template: line breaks between the tags (Laguna), no id (Mistral Nemo), the `>>>` that the prompt already ends in (functionary 3.2), the older marker (GigaChat 3.1). We read all of them.",
    covers: {
      "GigaChat3.1-10B-A1.8B": ["our own"],
      "meetkai-functionary-medium-v3.2": ["our own"],
      "mistralai-Mistral-Nemo-Instruct-2407": ["our own"],
      "poolside-Laguna-S-2.1": ["our own"],
    },
  },
  {
    kind: "Template that writes no calls",
    right: "either",
    why: "The template explains the notation at most, but writes no call itself, so llama.cpp has nothing to derive a parser from and gives the call as content. We know the notation of the model.",
    covers: {
      "HuggingFaceTB-SmolLM3-3B": ["our own"],
      "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": ["our own"],
      "ibm-granite-granite-3.3-2B-Instruct": ["our own"],
    },
  },
  {
    kind: "Python literals",
    right: "ours",
    why: "Where Python runs the template, it writes `True`, `None` and lists in single quotes, and that is what the model was trained on. llama.cpp accepts JSON only.",
    covers: {
      "ByteDance-Seed-OSS": twoCalls,
      "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": withPythonValues,
      "Qwen3-Coder": withPythonValues,
      "Qwen3.5-4B": withPythonValues,
      "StepFun3.5-Flash": withPythonValues,
      "google-gemma-4-31B-it": ["turn think"],
      "google-gemma-4-31B-it-interleaved": ["turn think"],
      "openbmb-MiniCPM5-1B": withPythonValues,
    },
  },
  {
    kind: "Nothing written for null",
    right: "either",
    why: "The template writes `[1,2.5,]` for a list that ends in null. llama.cpp drops that call and all behind it; we read the list without the null.",
    covers: { "google-gemma-4-31B-it": twoCalls, "google-gemma-4-31B-it-interleaved": twoCalls },
  },
  {
    kind: "End of a value",
    right: "ours",
    why: "The template writes no line break between `</arg_value>` and `<arg_key>`; the derived parser waits for one, and gives the next parameters as part of the first one's text.",
    covers: { "inclusionai-ling-3.0-flash": "all" },
  },
  {
    kind: "Backslash in a Python string",
    right: "ours",
    why: "The template escapes nothing in its strings, so that a backslash is a backslash. llama.cpp expects an escape behind it.",
    covers: { "LFM2.5-8B-A1B": "all" },
  },
  {
    kind: "Object without declared properties",
    right: "ours",
    why: "The template writes it as nested elements. llama.cpp reads nested elements only where the schema names them.",
    covers: { "MiniMax-M3": "all" },
  },
  {
    kind: "Call in an open thought",
    right: "either",
    why: "The prompt opens a thought, and the output ends without closing it. llama.cpp gives all of it as reasoning. We take a call with nothing but the natural end of the output behind it for real.",
    covers: { "Apriel-1.6-15b-Thinker-fixed": "all" },
  },
  {
    kind: "One fault loses the reply",
    right: "ours",
    why: "llama.cpp matches the whole reply or nothing: text behind a call, a draft in a thought, a call in a Markdown fence, an unknown tool or a call with destroyed values, and the good calls are lost with it (its server answers with status 500). In a stream it may have sent them already.",
    covers: {
      "our own": ["text behind", "a draft in a thought", "a call in a fence", "an unknown tool"],
      "openbmb-MiniCPM5-1B": twoCalls,
    },
  },
  {
    kind: "Malformed calls",
    right: "ours",
    why: "llama.cpp relies on its grammar, which does not let a model write them, and repairs nothing. We read what can be meant in one way only.",
    covers: {
      "our own": [
        "no line breaks",
        "arguments first",
        "no closing tag between two",
        "two objects in one tag",
        "a trailing comma",
        "single quotes",
        "a good call behind a bad one",
      ],
    },
  },
  {
    kind: "Arguments are not checked",
    right: "ours",
    why: "llama.cpp does not hold arguments against their schema, and gives those of a call that never ends as they are. We convert what can be converted and reject the rest.",
    covers: { "our own": ["a number as text", "a missing argument", "a string that does not end"] },
  },
];

/** The kinds of a difference; each should have one. */
export function reasonsOf(template: string, script: string): Reason[] {
  return reasons.filter(({ covers }) => {
    const scripts = covers[template];
    return scripts === "all" || scripts?.includes(script);
  });
}

/** The table of docs/llama-cpp.md. */
export function tableOf(differences: Differences): string {
  const found = Object.entries(differences).flatMap(([template, outcomes]) =>
    Object.keys(outcomes).map((script) => ({ template, script })),
  );
  const rows = reasons.map((reason) => {
    const cases = found.filter(({ template, script }) => reasonsOf(template, script).includes(reason));
    const templates = Object.keys(reason.covers).sort().join(", ");
    return `| ${reason.kind} | ${cases.length} | ${reason.right} | ${reason.why} | ${templates} |`;
  });
  return ["| kind | texts | right | why | chat templates |", "|---|---|---|---|---|", ...rows].join("\n");
}
