import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ParserOptions } from "../../src/index.ts";
import { root } from "./shared.ts";

/** A call as a case expects it. Without `id` the id is not compared. */
export interface ExpectedCall {
  id?: string;
  name: string;
  arguments: unknown;
}

/** What a rejected call is rejected for; `schema` stands for any problem that a schema can cause. */
export type ExpectedProblem =
  | "truncated"
  | "invalid-arguments"
  | "not-an-object"
  | "unknown-tool"
  | "missing-required"
  | "wrong-type"
  | "schema";

export interface Expectation {
  content: string;
  reasoning: string;
  calls: ExpectedCall[];
  problem: ExpectedProblem | null;
}

/** One output of a model and what it means. */
export interface Case {
  id: string;
  format: string;
  /** The name to ask the registry for, where it is not `format`. */
  alias?: string;
  why: string;
  origin: string;
  tools?: Tools;
  prefill?: string;
  input: string;
  /** One way in which the output arrived. */
  chunks?: string[];
  finished: boolean;
  /** Marks malformed output whose meaning is plain. */
  repair?: true;
  expect: Expectation;
}

/** A turn as a chat template writes it. */
export type Turn = Pick<Case, "id" | "format" | "prefill" | "input" | "finished" | "expect">;

export type Tools = NonNullable<ParserOptions["tools"]>;

export type RunOptions = ParserOptions & { finished: boolean };

const corpus = `${root}test/corpus/`;

/** Any JSON file of test/corpus, by its path in there. */
export function loadJson(path: string): unknown {
  return JSON.parse(readFileSync(corpus + path, "utf8"));
}

/** The formats that the corpus has cases for, whether we have them yet or not. */
export function corpusFormats(): string[] {
  return readdirSync(`${corpus}parse`)
    .map((file) => file.replace(/\.json$/, ""))
    .sort();
}

/** The cases of a format; none where the corpus has no file of that name. */
export function loadCases(format: string): Case[] {
  return existsSync(`${corpus}parse/${format}.json`) ? (loadJson(`parse/${format}.json`) as Case[]) : [];
}

/** The assistant turns that real chat templates wrote, and the tools that were offered in them. */
export function loadTurns(): { turns: Turn[]; tools: Tools } {
  return { turns: loadJson("rendered/turns.json") as Turn[], tools: loadJson("rendered/tools.json") as Tools };
}

/** The options that a case is run with: everything it does not name stays at its default. */
export function optionsOf(given: Pick<Case, "alias" | "format" | "tools" | "prefill" | "finished">): RunOptions {
  return {
    format: given.alias ?? given.format,
    tools: given.tools,
    prefill: given.prefill,
    finished: given.finished,
    generateId,
  };
}

/** Ids that depend on nothing but the call's position, so that two runs can be compared. */
export function generateId(index: number): string {
  return `generated${index}`;
}
