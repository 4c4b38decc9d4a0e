import { formats } from "../formats/index.ts";
import type { Format, TemplateMarks } from "./format.ts";

/** What is known of a model. */
export interface DetectOptions {
  /** Its chat template: the Jinja text in `tokenizer_config.json`, `chat_template.jinja` or a GGUF file's metadata. */
  chatTemplate?: string | undefined;
  /** Its name, such as `"Qwen/Qwen3-Coder-30B-A3B-Instruct"` or `"llama3.1:8b"`; asked where the template does not tell. */
  model?: string | undefined;
}

/**
 * Which format does a model write? A name for `getFormat` and the `format` option, or null where it cannot be told: then
 * `"auto"` is the better choice than a guess.
 *
 * @example
 * ```ts
 * const format = detectFormat({ chatTemplate, model: "Qwen/Qwen3-0.6B" }) ?? "auto";
 * ```
 */
export function detectFormat({ chatTemplate, model }: DetectOptions): string | null {
  return byTemplate(chatTemplate ?? "") ?? byModel(model ?? "");
}

function byTemplate(text: string): string | null {
  const fits = ({ has, lacks = [] }: TemplateMarks): boolean =>
    has.every((mark) => holds(text, mark)) && !lacks.some((mark) => holds(text, mark));
  const found = formats.find(({ declaration }) => [declaration.template ?? []].flat().some(fits));
  return found?.name ?? null;
}

function holds(text: string, mark: string | RegExp): boolean {
  return typeof mark === "string" ? text.includes(mark) : mark.test(text);
}

/**
 * The format whose family stands first in the name, since tuned models name themselves before what they were made of;
 * and of those the longest: `Qwen3-Coder` says more than `Qwen3`.
 */
function byModel(model: string): string | null {
  return familyIn(model.slice(model.lastIndexOf("/") + 1)) ?? familyIn(model);
}

function familyIn(model: string): string | null {
  const given = parts(model);
  let found: string | null = null;
  let first = given.length;
  let longest = 0;
  const ask = (name: string, families: readonly string[]): void => {
    for (const wanted of families.map(parts)) {
      const at = place(given, wanted);
      const length = wanted.join("").length;
      if (at < 0 || at > first || (at === first && length <= longest)) continue;
      found = name;
      first = at;
      longest = length;
    }
  };
  for (const format of formats) ask(format.name, format.models);
  for (const format of formats) {
    for (const variant of format.variants.values()) {
      if (variant.models !== format.models) ask(nameOf(variant, format), variant.models);
    }
  }
  return found;
}

/** A family that reads thoughts in its own way has to be named, the others are the format itself. */
function nameOf(variant: Format, format: Format): string {
  const same = variant.callInThought === format.callInThought && variant.reasoning === format.reasoning;
  return same ? format.name : variant.name;
}

/** Words and numbers of a name, however they are joined: `Qwen3-Coder-30B` and `qwen3_coder:30b`. */
function parts(name: string): string[] {
  return name.toLowerCase().match(/[a-z]+|[0-9]+(?:\.[0-9]+)*/g) ?? [];
}

/** Where the family stands in the name, or -1. Others may stand before a word of it, but not between a word and its number. */
function place(given: readonly string[], wanted: readonly string[]): number {
  return given.findIndex((_, at) => {
    let next = at;
    return wanted.every((part, index) => {
      if (index > 0 && /^[a-z]/.test(part)) next = given.indexOf(part, next);
      return next >= 0 && samePart(given[next++], part);
    });
  });
}

function samePart(given: string | undefined, wanted: string): boolean {
  return given === wanted || given === `${wanted}.0`;
}
