import type { Document } from "./document.ts";
import { LIST, MAP, ONE } from "./keywords.ts";
import type { Schema } from "./schema.ts";
import { isObject, OBJECT, setOwn } from "./value.ts";
import { areExclusive, combined, folded, type Keywords, typeWords } from "./write-unions.ts";
import { copy, names, plain } from "./write-values.ts";

/** Schemas that are written before references stay: definitions that use each other grow without end. */
const MOST = 10_000;

/** Says nothing of values and nothing to the model, or is said in another way. */
const DROPPED = new Set(
  "$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment $defs definitions $ref title nullable discriminator additionalItems".split(
    " ",
  ),
);

/** The schema uses what depends on the way that led to it (`$dynamicRef`): it can only be handed on as it is. */
export class NotWritable extends Error {}

/**
 * Writes a schema again: with the same meaning, in the words of 2020-12, and with what a `$ref` names in the place of the
 * `$ref`. A definition that contains itself stays a `$ref` into `$defs`.
 */
export class SchemaWriter {
  readonly #document: Document;
  /** Inline a recursive definition where it is first referred to, and write a constant as a list of one value. */
  readonly #narrow: boolean;
  readonly #names = new Map<Schema, string>();
  readonly #recursive = new Map<Schema, boolean>();
  #inside = false;
  #count = 0;

  constructor(document: Document, narrow: boolean) {
    this.#document = document;
    this.#narrow = narrow;
  }

  /** The whole document, with the definitions that its references need. */
  root(): Keywords {
    const { root } = this.#document;
    // A root that only refers is written out: no target wants a reference there.
    const written = this.#write(root, true);
    const defs: Keywords = {};
    this.#inside = true;
    // Writing one definition may need others.
    for (const [schema, name] of this.#names) setOwn(defs, name, this.#write(schema));
    return this.#names.size > 0 ? { ...written, $defs: defs } : written;
  }

  #write(schema: Schema, whole = false): Keywords {
    this.#count++;
    if (schema.raw === false) return { not: {} };
    if (schema.unusable) return copy(schema.raw) as Keywords;
    if ("$dynamicRef" in schema.keywords || "$recursiveRef" in schema.keywords) throw new NotWritable();
    let written = this.#keywords(schema);
    if ("oneOf" in written && !("anyOf" in written) && areExclusive(schema.list("oneOf"))) {
      const { oneOf, ...rest } = written;
      written = { ...rest, anyOf: oneOf };
    }
    written = folded(written);
    if (Array.isArray(written.allOf) && written.allOf.length === 1 && isObject(written.allOf[0])) {
      const { allOf, ...rest } = written;
      written = combined((allOf as [Keywords])[0], rest);
    }
    const { target } = schema;
    if (target === undefined) return written;
    // A reference that leads nowhere stays one.
    const reference = String(schema.keywords.$ref);
    const base = target ? this.#target(target, reference, whole) : { $ref: reference };
    return combined(base, written);
  }

  #target(target: Schema, reference: string, whole: boolean): Keywords {
    const recursive = this.#isRecursive(target);
    if (whole || (!recursive && this.#count < MOST)) return this.#write(target);
    if (recursive && this.#narrow && !this.#inside) {
      const before = this.#inside;
      this.#inside = true;
      const written = this.#write(target);
      this.#inside = before;
      return written;
    }
    return target === this.#document.root && isPlainRoot(target)
      ? { $ref: "#" }
      : { $ref: this.#name(target, reference) };
  }

  #name(target: Schema, reference: string): string {
    let name = this.#names.get(target);
    if (name === undefined) {
      const last = /[^/#]*$/.exec(reference)?.[0].replace(/[^\w.-]/g, "_") || "arguments";
      const taken = new Set(this.#names.values());
      name = last;
      for (let i = 2; taken.has(name); i++) name = `${last}_${i}`;
      this.#names.set(target, name);
    }
    return `#/$defs/${name}`;
  }

  #isRecursive(target: Schema): boolean {
    let found = this.#recursive.get(target);
    if (found === undefined) {
      found = reachesItself(target);
      this.#recursive.set(target, found);
    }
    return found;
  }

  #keywords(schema: Schema): Keywords {
    const written: Keywords = {};
    const { nullable } = schema.keywords;
    for (const [keyword, value] of Object.entries(schema.keywords)) {
      if (value === undefined || DROPPED.has(keyword)) continue;
      if (keyword === "items" && Array.isArray(value)) {
        if (value.length > 0) written.prefixItems = schema.prefix.map((one) => this.#write(one));
        if (schema.rest) written.items = this.#sub("items", schema.rest);
      } else if (keyword === "prefixItems" && Array.isArray(schema.keywords.items)) {
        // The list under `items` hides it.
      } else if (ONE.has(keyword)) {
        const sub = schema.sub(keyword);
        if (sub) written[keyword] = this.#sub(keyword, sub);
      } else if (LIST.has(keyword)) {
        if (Array.isArray(value) && value.length > 0)
          written[keyword] = schema.list(keyword).map((one) => this.#write(one));
      } else if (MAP.has(keyword)) {
        if (isObject(value)) written[keyword] = this.#map(schema.map(keyword));
      } else if (keyword === "type") {
        const words = schema.unknownType === undefined ? typeWords(schema.typeNames) : copy(value);
        if (words !== undefined) written.type = words;
      } else if (keyword === "const" || keyword === "enum") {
        const { literals } = schema;
        if (literals === undefined) continue;
        const list = nullable === true && !literals.includes(null) ? [...literals, null] : literals;
        if ("const" in schema.keywords && list.length === 1 && !this.#narrow) written.const = copy(list[0]);
        else written.enum = copy(list);
      } else setOwn(written, keyword, plain(keyword, value, schema));
    }
    for (const keyword of Object.keys(written)) if (written[keyword] === undefined) delete written[keyword];
    return written;
  }

  #sub(keyword: string, sub: Schema): unknown {
    // Elsewhere servers expect an object; here `false` is what everybody writes.
    const closing = keyword === "additionalProperties" || keyword.startsWith("unevaluated");
    return closing && typeof sub.raw === "boolean" ? sub.raw : this.#write(sub);
  }

  #map(schemas: ReadonlyMap<string, Schema>): Keywords {
    const written: Keywords = {};
    for (const [name, sub] of schemas)
      setOwn(written, name, Array.isArray(sub.raw) ? names(sub.raw) : this.#write(sub));
    return written;
  }
}

/** May the written root stand for the root that was given, wherever it is referred to? */
function isPlainRoot({ types, keywords }: Schema): boolean {
  return (
    types === OBJECT && !["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"].some((one) => one in keywords)
  );
}

/** Does a schema contain itself? Said, too, of one that is so large that it should be written once. */
function reachesItself(schema: Schema): boolean {
  const seen = new Set<Schema>();
  const open = within(schema);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one === schema || seen.size > 5_000) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    for (const part of within(one)) open.push(part);
  }
  return false;
}

function within(schema: Schema): Schema[] {
  const { keywords, target } = schema;
  // `prefix` and `rest` know whether `items` is a list: a part is prepared once, as what it is first asked for.
  const parts = [target, schema.rest, ...schema.prefix];
  for (const keyword of ONE) if (keyword !== "items") parts.push(schema.sub(keyword));
  for (const keyword of LIST) if (Array.isArray(keywords[keyword])) parts.push(...schema.list(keyword));
  for (const keyword of MAP) if (keyword !== "$defs") for (const one of schema.map(keyword).values()) parts.push(one);
  return parts.filter((one) => one !== undefined && one !== null);
}
