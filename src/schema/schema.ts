import type { Check } from "./check.ts";
import type { Document, Resource } from "./document.ts";
import { ALL, bitsOf, INTEGER, isObject, NULL, NUMBER, typesOf } from "./value.ts";

let count = 0;

/** One schema of a document: its types, and its parts, each prepared when it is first asked for. */
export class Schema {
  /** Unique in the process; stands for the schema in cache keys. */
  readonly id: number = ++count;
  readonly raw: unknown;
  readonly resource: Resource;
  readonly document: Document;
  /** The keywords; empty for `true`, `false` and what is no schema at all. */
  readonly keywords: Readonly<Record<string, unknown>>;
  /** The type names as declared, split at commas. */
  readonly typeNames: readonly string[];
  /** The types of `type` and `nullable` as bits; `ALL` where nothing is said or a name is unknown. */
  readonly types: number;
  /** The first type name that JSON Schema does not have. */
  readonly unknownType: string | undefined;
  /** True where `type` says something: then that is the first check. */
  readonly typed: boolean;
  /** The values of `enum` or `const`. */
  readonly literals: readonly unknown[] | undefined;
  /** Compiled by check.ts at the first check. */
  checks: readonly Check[] | undefined;
  readonly #parts = new Map<string, unknown>();

  constructor(raw: unknown, resource: Resource, document: Document) {
    this.raw = raw;
    this.resource = resource;
    this.document = document;
    const keywords: Record<string, unknown> = isObject(raw) ? raw : {};
    this.keywords = resource.old && typeof keywords.$ref === "string" ? { $ref: keywords.$ref } : keywords;
    if ("$dynamicRef" in this.keywords || "$recursiveRef" in this.keywords) document.dynamic = true;
    const { type, nullable } = this.keywords;
    const declared = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
    const names: string[] = declared.flatMap((name) => name.split(",").map((part) => part.trim()));
    this.unknownType = names.find((name) => bitsOf(name) === undefined);
    if (nullable === true && names.length > 0 && !names.includes("null")) names.push("null");
    this.typeNames = names;
    this.types =
      names.length === 0 || this.unknownType !== undefined
        ? ALL
        : names.reduce((bits, name) => bits | (bitsOf(name) ?? 0), 0);
    this.typed = this.types !== ALL || this.unknownType !== undefined;
    const { enum: list } = this.keywords;
    this.literals = "const" in this.keywords ? [this.keywords.const] : Array.isArray(list) ? list : undefined;
  }

  /** True for what is no schema: a number, a string, null, a list. */
  get unusable(): boolean {
    return typeof this.raw !== "boolean" && !isObject(this.raw);
  }

  /** The types that a valid value may have, as far as `type`, `enum` and `const` say. */
  get mask(): number {
    if (this.raw === false) return 0;
    if (this.literals === undefined) return this.types;
    let bits = this.keywords.nullable === true ? NULL : 0;
    for (const literal of this.literals) bits |= typesOf(literal);
    return this.types & (bits & NUMBER && !(bits & INTEGER) ? bits | INTEGER : bits);
  }

  /** The schema under a keyword. */
  sub(keyword: string): Schema | undefined {
    return this.#part(keyword, (value) => (value === undefined ? undefined : this.#schema(value)));
  }

  /** The schemas in the list under a keyword. */
  list(keyword: string): readonly Schema[] {
    return this.#part(keyword, (value) => (Array.isArray(value) ? value.map((raw) => this.#schema(raw)) : []));
  }

  /** The schemas in the map under a keyword. */
  map(keyword: string): ReadonlyMap<string, Schema> {
    return this.#part(keyword, (value) => {
      const entries = isObject(value) ? Object.entries(value) : [];
      return new Map(entries.map(([name, raw]) => [name, this.#schema(raw)]));
    });
  }

  /** What `$ref` names; null where it leads nowhere. */
  get target(): Schema | null | undefined {
    return this.#resolve("$ref");
  }

  /** What `$dynamicRef` names before the way that led here is looked at; null where it leads nowhere. */
  get dynamic(): Schema | null | undefined {
    return this.#resolve("$dynamicRef");
  }

  /** The schemas of the first elements of an array: `prefixItems`, or `items` as draft-07 writes a list. */
  get prefix(): readonly Schema[] {
    return Array.isArray(this.keywords.items) ? this.list("items") : this.list("prefixItems");
  }

  /** The schema of the elements behind the prefix. */
  get rest(): Schema | undefined {
    return this.sub(Array.isArray(this.keywords.items) ? "additionalItems" : "items");
  }

  #schema(raw: unknown): Schema {
    return this.document.schema(raw, this.resource);
  }

  #resolve(keyword: string): Schema | null | undefined {
    const reference = this.keywords[keyword];
    if (typeof reference !== "string") return undefined;
    return this.#part(keyword, () => this.document.resolve(reference, this.resource) ?? null);
  }

  #part<T>(keyword: string, make: (value: unknown) => T): T {
    if (!this.#parts.has(keyword)) this.#parts.set(keyword, make(this.keywords[keyword]));
    return this.#parts.get(keyword) as T;
  }
}
