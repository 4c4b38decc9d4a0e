import type { DeclarationTarget, LostKeyword } from "./declare-tools.ts";
import { LIST, MAP, ONE } from "./keywords.ts";
import { isObject, pointer, setOwn } from "./value.ts";
import type { Keywords } from "./write-unions.ts";

/** A keyword that a target cannot carry, before the tool is named. */
export type Loss = Omit<LostKeyword, "tool">;

type Keys = readonly (string | number)[];

/** What the APIs refuse at the root of the parameters, with an error for the whole request. */
const REFUSED: Partial<Record<DeclarationTarget, readonly string[]>> = {
  openai: ["allOf", "anyOf", "oneOf", "not", "enum", "const"],
  anthropic: ["allOf", "anyOf", "oneOf"],
};

/** A schema that is written, as the target takes it; what it cannot carry goes to `lost`. */
export function forTarget(written: Keywords, target: DeclarationTarget, lost: Loss[]): Keywords {
  if (target === "ollama") return carriedByOllama(written, lost);
  if (target === "llama.cpp") return anchoredPatterns(written, [], lost) as Keywords;
  const refused = (REFUSED[target] ?? []).filter((keyword) => keyword in written);
  if (refused.length === 0) return written;
  // Under an `if` that always holds they say the same, are seen by the model, and are not refused.
  const kept: Keywords = {};
  const moved: Keywords = {};
  for (const [keyword, value] of Object.entries(written)) {
    setOwn([...refused, "if", "then", "else"].includes(keyword) ? moved : kept, keyword, value);
  }
  setOwn(kept, "if", {});
  setOwn(kept, "then", moved);
  return kept;
}

const OLLAMA_ROOT = new Set(["type", "$defs", "items", "required", "properties"]);
const OLLAMA_PROPERTY = new Set(["type", "items", "description", "enum", "anyOf", "properties"]);

/** Ollama reads the parameters into fixed fields; only `items` and `$defs` may hold any schema. */
function carriedByOllama(root: Keywords, lost: Loss[]): Keywords {
  const carried = (schema: unknown, keys: Keys, fields: ReadonlySet<string>): Keywords => {
    if (!isObject(schema)) {
      lost.push({ path: pointer(keys), keyword: "", message: `Ollama cannot read the schema at ${at(keys)}.` });
      return {};
    }
    const kept: Keywords = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (!fields.has(keyword)) {
        lost.push({ path: pointer(keys), keyword, message: `Ollama does not carry "${keyword}" at ${at(keys)}.` });
      } else if (keyword === "properties" && isObject(value)) {
        const properties: Keywords = {};
        for (const [name, one] of Object.entries(value))
          setOwn(properties, name, carried(one, [...keys, keyword, name], OLLAMA_PROPERTY));
        kept[keyword] = properties;
      } else if (keyword === "anyOf" && Array.isArray(value)) {
        kept[keyword] = value.map((one, i) => carried(one, [...keys, keyword, i], OLLAMA_PROPERTY));
      } else kept[keyword] = value;
    }
    return kept;
  };
  return carried(root, [], OLLAMA_ROOT);
}

/** llama.cpp makes a grammar of the schema, and refuses a `pattern` that does not begin with `^` and end with `$`. */
function anchoredPatterns(schema: unknown, keys: Keys, lost: Loss[]): unknown {
  if (!isObject(schema)) return schema;
  const result: Keywords = {};
  const visit = (value: unknown, ...more: (string | number)[]): unknown =>
    anchoredPatterns(value, [...keys, ...more], lost);
  for (const [keyword, value] of Object.entries(schema)) {
    let kept = value;
    if (keyword === "pattern" && typeof value === "string") {
      const found = anchored(value);
      if (found === undefined) {
        const message = `llama.cpp refuses the pattern at ${at(keys)}: it must begin with ^ and end with $.`;
        lost.push({ path: pointer(keys), keyword, message });
        continue;
      }
      kept = found;
    } else if (ONE.has(keyword)) kept = visit(value, keyword);
    else if (LIST.has(keyword) && Array.isArray(value)) kept = value.map((one, i) => visit(one, keyword, i));
    else if (MAP.has(keyword) && isObject(value)) {
      const map: Keywords = {};
      for (const [name, one] of Object.entries(value)) setOwn(map, name, visit(one, keyword, name));
      kept = map;
    }
    setOwn(result, keyword, kept);
  }
  return result;
}

/** Any text, line breaks included, in what llama.cpp reads of regular expressions. */
const ANY = "([^\\n]|\\n)*";

/** The same pattern with both anchors; undefined where that is not certain. */
function anchored(pattern: string): string | undefined {
  const end = /(?<!\\)(?:\\\\)*\$$/.test(pattern);
  if (pattern.startsWith("^") && end) return pattern;
  const body = pattern.slice(pattern.startsWith("^") ? 1 : 0, end ? -1 : undefined);
  // Further anchors, look-around, back-references: what they mean depends on what stands around them.
  if (/\(\?|\\[1-9bBk]|\$|(?<!\[)\^/.test(body)) return undefined;
  if (body !== pattern && body.includes("|")) return undefined;
  return `^${pattern.startsWith("^") ? "" : ANY}(${body})${end ? "" : ANY}$`;
}

function at(keys: Keys): string {
  return keys.length === 0 ? "the root" : pointer(keys);
}
