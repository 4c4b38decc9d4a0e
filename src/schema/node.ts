import { accepts, Run } from "./check.ts";
import { convert } from "./convert.ts";
import { Document } from "./document.ts";
import { type Facts, learn, NOTHING, wireOf } from "./facts.ts";
import { flatten, itemSchema, propertySchemas } from "./flatten.ts";
import { choose, type Fork, roleOf } from "./fork.ts";
import type { Schema } from "./schema.ts";
import { ARRAY, equal, isObject, kindOf, kindOfText, OBJECT, setOwn, typesOf } from "./value.ts";

/** A place in a schema: what the parser asks while a value streams. */
export interface SchemaNode {
  /** True when coercion can change nothing at or below this node; `key` and `item` then return a plain node too. */
  readonly plain: boolean;
  /** The node of a property, looked for through `$ref`, `allOf`, `anyOf`, `oneOf` and `if`. */
  key(name: string): SchemaNode;
  /** The node of an array element, counted from 0. */
  item(index: number): SchemaNode;
  /**
   * May coercion change the JSON value that begins with this character code? True: read the whole value and send
   * `coerce(value)` instead. False: the value streams as it is, and its children are asked one by one.
   */
  holds(first: number): boolean;
  /** The value as the coerce profile takes it; the very same value where nothing changes. Never throws. */
  coerce(value: unknown): unknown;
  /**
   * How the text of a tag format is typed. `text`: raw text. `text-or-null`: exactly `null` is null, else raw text.
   * `json`: read as JSON or as a Python literal. `open` (undeclared or untyped): JSON if it reads as JSON, else text.
   */
  readonly wire: "text" | "text-or-null" | "json" | "open";
}

/** More schemas than this below a place, and it counts as not plain without a closer look. */
const LOOK = 500;
/** Levels of a value that are coerced: the parser's own limit is lower. */
const DEPTH = 400;
/** Names come from the model: a cache of them must not grow without end. */
const CACHE = 1000;

/** The cursor itself: some schemas that all hold, and forks of which a value takes one branch. */
export class Node implements SchemaNode {
  readonly seeds: readonly Schema[];
  readonly seedForks: readonly Fork[];
  /** The same place with the forks that coercion settles elsewhere, which count for `wire` all the same. */
  readonly #typing: Node | undefined;
  #facts: Facts | undefined;
  #busy = false;
  #plain: boolean | undefined;
  #wire: SchemaNode["wire"] | undefined;
  readonly #keys = new Map<string, Node>();
  readonly #items = new Map<number, Node>();

  constructor(seeds: readonly Schema[], forks: readonly Fork[] = [], typing?: Node) {
    this.seeds = seeds;
    this.seedForks = forks;
    this.#typing = typing;
  }

  /** What the schemas say about this place. Nothing while that is being found out: a choice that leads to itself. */
  get facts(): Facts {
    if (this.#facts !== undefined) return this.#facts;
    if (this.#busy) return NOTHING;
    this.#busy = true;
    try {
      this.#facts = learn(flatten(this.seeds), this.seedForks, nodeOf);
    } catch {
      // Choices inside choices, thousands deep: no coercion there.
      this.#facts = NOTHING;
    }
    this.#busy = false;
    return this.#facts;
  }

  get plain(): boolean {
    this.#plain ??= this.#look();
    return this.#plain;
  }

  get wire(): SchemaNode["wire"] {
    this.#wire ??= this.#typing ? this.#typing.wire : wireOf(this.facts.mask);
    return this.#wire;
  }

  key(name: string): Node {
    let node = this.#keys.get(name);
    if (node === undefined) {
      if (this.#keys.size >= CACHE) this.#keys.clear();
      this.#keys.set(name, anything);
      node = this.#child(
        OBJECT,
        (schema) => propertySchemas(schema, name),
        (branch) => branch.key(name),
      );
      this.#keys.set(name, node);
    }
    return node;
  }

  item(index: number): Node {
    const place = Math.min(index, this.facts.prefix);
    let node = this.#items.get(place);
    if (node === undefined) {
      this.#items.set(place, anything);
      node = this.#child(
        ARRAY,
        (schema) => itemSchema(schema, place),
        (branch) => branch.item(place),
      );
      this.#items.set(place, node);
    }
    return node;
  }

  holds(first: number): boolean {
    const { held } = this.facts;
    return held !== 0 && (held & kindOfText(first)) !== 0;
  }

  coerce(value: unknown): unknown {
    return this.plain ? value : this.run(value, 0, new Run(true, null));
  }

  /** `coerce`, some levels down. */
  run(value: unknown, depth: number, run: Run): unknown {
    if (this.plain || depth > DEPTH || run.exhausted) return value;
    const { held, own, names, forks } = this.facts;
    const kind = kindOf(value);
    if (held & kind && (typesOf(value) & own) === 0) {
      const read = convert(value, names);
      if (read !== value) return this.run(read, depth + 1, run);
    }
    let result = kind & (OBJECT | ARRAY) ? this.#inside(value as object, depth + 1, run) : value;
    if (held & kind) {
      for (const fork of forks) {
        if (roleOf(fork, kindOf(result)) === "choose") result = choose(fork, result, depth + 1, run);
      }
      // JSON text that a branch has read: what is in it has not been asked yet.
      if (result !== value && typeof value === "string" && typeof result === "object")
        return this.run(result, depth + 1, run);
      // A branch may undo what another schema has done.
      if (result !== value && equal(result, value)) return value;
    }
    return result;
  }

  /** Is the value valid at this place, null rule included? */
  accepts(value: unknown, run: Run): boolean {
    return (
      this.seeds.every((schema) => accepts(schema, value, run, true)) &&
      this.seedForks.every(({ branches }) => branches.some((branch) => branch.accepts(value, run)))
    );
  }

  /** The children of a list or an object, coerced; the same value where none changes. */
  #inside(value: object, depth: number, run: Run): unknown {
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        const item = this.item(i).run(value[i], depth, run);
        if (item !== value[i]) {
          copy ??= value.slice();
          copy[i] = item;
        }
      }
      return copy ?? value;
    }
    const object = value as Record<string, unknown>;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(object)) {
      const item = this.key(key).run(object[key], depth, run);
      if (item !== object[key]) {
        copy ??= { ...object };
        setOwn(copy, key, item);
      }
    }
    return copy ?? value;
  }

  #child(kind: number, find: (schema: Schema) => readonly Schema[], descend: (branch: Node) => Node): Node {
    const { all, forks } = this.facts;
    const seeds = all.flatMap(find);
    const merged: Fork[] = [];
    const others: Fork[] = [];
    for (const fork of forks) {
      const role = roleOf(fork, kind);
      const branches = (role instanceof Node ? [role] : fork.branches).map(descend);
      // A branch that says nothing about the child has no voice in how its text is typed.
      const speaking = branches.filter((branch) => branch !== anything);
      if (speaking.length > 0) (role instanceof Node ? merged : others).push({ branches: speaking });
    }
    const typing = others.length > 0 ? new Node(seeds, [...merged, ...others]) : undefined;
    if (typing === undefined && seeds.length + merged.length === 0) return anything;
    if (typing === undefined && seeds.length === 1 && merged.length === 0) return nodeOf(seeds[0]);
    const [only] = merged;
    if (typing === undefined && seeds.length === 0 && merged.length === 1 && only?.branches.length === 1) {
      return only.branches[0] ?? anything;
    }
    return new Node(seeds, merged, typing);
  }

  /** Looks through everything below for a place where coercion changes something. */
  #look(): boolean {
    const seen = new Set<Node>([this]);
    for (const node of seen) {
      if (node.#plain === true) continue;
      if (node.#plain === false || node.#busy || node.facts.held !== 0 || seen.size > LOOK) return false;
      for (const { branches } of node.facts.forks) for (const branch of branches) seen.add(branch);
      for (const schema of node.facts.all) for (const child of childSchemas(schema)) seen.add(nodeOf(child));
    }
    for (const node of seen) node.#plain = true;
    return true;
  }
}

/** The place of which nothing is known. */
export const anything: Node = new Node([]);

const nodes = new WeakMap<Schema, Node>();

/** The node of one schema; of none, the place of which nothing is known. */
export function nodeOf(schema: Schema | undefined): Node {
  if (schema === undefined) return anything;
  let node = nodes.get(schema);
  if (node === undefined) {
    node = new Node([schema]);
    nodes.set(schema, node);
  }
  return node;
}

/**
 * The root of the cursor for a JSON Schema. Nothing below it is looked at before it is reached: large and recursive
 * schemas cost nothing until then. `others` are documents that a `$ref` may name, by URI. What is neither an object nor a boolean says nothing.
 */
export function prepareSchema(schema: unknown, others?: Readonly<Record<string, unknown>>): Node {
  return isObject(schema) || typeof schema === "boolean" ? nodeOf(new Document(schema, others).root) : anything;
}

function* childSchemas(schema: Schema): Generator<Schema> {
  yield* schema.map("properties").values();
  yield* schema.map("patternProperties").values();
  yield* schema.prefix;
  const rest = [schema.sub("additionalProperties"), schema.rest];
  for (const one of rest) if (one) yield one;
}
