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

/** The format with the longest family name in the model's name: `Qwen3-Coder` says more than `Qwen3`. */
function byModel(model: string): string | null {
  const given = parts(model);
  let found: string | null = null;
  let longest = 0;
  const ask = (name: string, families: readonly string[]): void => {
    for (const family of families) {
      const wanted = parts(family);
      const length = wanted.join("").length;
      if (length <= longest || !contains(given, wanted)) continue;
      found = name;
      longest = length;
    }
  };
  for (const format of formats) ask(format.name, format.models);
  for (const format of formats) for (const variant of format.variants.values()) ask(nameOf(variant, format), variant.models);
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

function contains(given: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length > 0 && given.some((_, at) => wanted.every((part, offset) => given[at + offset] === part));
}
