import { Run } from "../check.ts";
import { checkKey } from "../check-children.ts";
import { numeric } from "../check-values.ts";
import { narrows } from "../facts.ts";
import { type Choice, declaredSchemas, demands, flatten, itemSchema, propertySchemas } from "../flatten.ts";
import type { Schema } from "../schema.ts";
import { ALL, INTEGER, NUMBER } from "../value.ts";

/** Keywords that say something of a string, a list or an object beyond its type and its children. */
const BESIDE_TEXTS = ["not", "if", "anyOf", "oneOf", "minLength", "maxLength", "pattern"];
const OF_STRINGS = ["enum", "const", ...BESIDE_TEXTS];
/** What is decided of a list or an object only when it closes, by a look at all of it. */
const WHOLE = [
  ...["not", "if", "oneOf", "uniqueItems", "contains", "dependentRequired", "dependentSchemas", "dependencies"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];
/** Required names that are kept as bits. */
const BITS = 30;
/** Names come from the model: a cache of them must not grow without end. */
const CACHE = 1000;

/** A property of an object. */
export interface Member {
  /** What holds for its value. */
  readonly place: Place;
  /** May an object have it? */
  readonly admitted: boolean;
  /** Its bit, if it is required. */
  readonly bit: number;
}

/**
 * A place in a schema for the checks that run while a value streams: the schemas that all hold there, and the unions of
 * which one branch must. Made when it is reached, and kept.
 */
export class Place {
  /** The schemas by which the place was reached. */
  readonly seeds: readonly Schema[];
  /** These and what they lead to by `$ref` and `allOf`. */
  readonly all: readonly Schema[];
  /** Kinds of values that the types admit. */
  readonly kinds: number;
  /** A string has to be read whole, or its beginning looked at. */
  readonly watchesText: boolean;
  /** The values of `enum` or `const` that are strings, once for each such keyword. */
  readonly texts: readonly (readonly string[])[];
  /** Nothing but `enum` and `const` is said of strings. */
  readonly onlyTexts: boolean;
  readonly longest: number;
  readonly mostItems: number;
  readonly mostProperties: number;
  /** The names of an object have to be kept, not just bits of them. */
  readonly countsNames: boolean;
  /** A list or an object may have too few of what is in it. */
  readonly leastSize: boolean;
  /** The names that an object must have. */
  readonly required: readonly string[];
  /** A list or an object has to be looked at once more when it closes. */
  readonly whole: boolean;
  /** All that is said of a list or an object here is decided while it streams. */
  readonly decided: boolean;
  /** Kinds of which a number, a boolean or null needs no look at its value. */
  readonly plainKinds: number;
  readonly #members = new Map<string, Member>();
  readonly #items = new Map<number, Place>();
  readonly #choices: readonly Choice[];
  #unions: readonly (readonly Place[])[] | undefined;
  readonly #prefix: number;

  constructor(seeds: readonly Schema[]) {
    const { all, choices } = flatten(seeds);
    this.seeds = seeds;
    this.all = all;
    this.#choices = choices.filter(({ condition }) => condition === undefined);
    this.kinds = all.reduce((kinds, schema) => kinds & kindsOf(schema), ALL);
    const usual = all.length < 200 && all.every(isUsual) && !seeds.some((seed) => isCircular(seed));
    this.watchesText = !usual || all.some((schema) => uses(schema, OF_STRINGS));
    this.whole = all.some((schema) => uses(schema, WHOLE));
    this.decided = usual && !this.whole && choices.length === 0 && all.every(({ literals }) => literals === undefined);
    this.texts = all.flatMap(({ literals }) =>
      literals === undefined ? [] : [literals.filter((literal) => typeof literal === "string")],
    );
    this.onlyTexts = usual && this.texts.length > 0 && !all.some((schema) => uses(schema, BESIDE_TEXTS));
    this.longest = least(all, "maxLength");
    this.mostItems = least(all, "maxItems");
    this.mostProperties = least(all, "maxProperties");
    this.leastSize = all.some((schema) => uses(schema, ["minItems", "minProperties"]));
    this.required = [...new Set(seeds.flatMap((schema) => [...demands(schema)]))].filter(
      (name) => typeof name === "string",
    );
    const bare =
      usual &&
      choices.length === 0 &&
      all.every(({ raw, keywords }) => raw !== false && !Object.keys(keywords).some(narrows));
    this.plainKinds = bare ? all.reduce((kinds, { types }) => kinds & types, this.kinds) : 0;
    this.countsNames =
      this.required.length > BITS ||
      Number.isFinite(this.mostProperties) ||
      all.some((schema) => uses(schema, ["minProperties"]));
    this.#prefix = all.reduce((most, { prefix }) => Math.max(most, prefix.length), 0);
  }

  /** `anyOf` and `oneOf`: a branch may lead back here, so they are not looked at before they are needed. */
  get unions(): readonly (readonly Place[])[] {
    this.#unions ??= this.#choices.map(({ branches }) => branches.map((branch) => placeOf(branch as Schema)));
    return this.#unions;
  }

  /** Nothing is said here, nor below. */
  get free(): boolean {
    return this.seeds.length === 0;
  }

  /** What is known of a property. */
  member(name: string): Member {
    let member = this.#members.get(name);
    if (member === undefined) {
      if (this.#members.size >= CACHE) this.#members.clear();
      const number = this.required.indexOf(name);
      member = {
        place: placeOfAll(this.all.flatMap((schema) => schemasFor(schema, name))),
        admitted: this.all.every((schema) => checkKey(schema, name, new Run(false, null))),
        bit: number < 0 || number >= BITS ? 0 : 1 << number,
      };
      this.#members.set(name, member);
    }
    return member;
  }

  /** What holds for the element of an array, counted from 0. */
  item(index: number): Place {
    const at = Math.min(index, this.#prefix);
    let place = this.#items.get(at);
    if (place === undefined) {
      place = placeOfAll(this.all.flatMap((schema) => itemSchema(schema, at)));
      this.#items.set(at, place);
    }
    return place;
  }
}

/** A key that is refused is told at the key. */
function schemasFor(schema: Schema, name: string): Schema[] {
  const refuses = schema.sub("additionalProperties")?.raw === false;
  return refuses ? declaredSchemas(schema, name) : propertySchemas(schema, name);
}

const places = new WeakMap<Schema, Place>();

/** The place of one schema. */
export function placeOf(schema: Schema): Place {
  let place = places.get(schema);
  if (place === undefined) {
    place = new Place([schema]);
    places.set(schema, place);
  }
  return place;
}

const free = new Place([]);

function placeOfAll(schemas: readonly Schema[]): Place {
  const distinct = [...new Set(schemas)].filter(({ raw }) => raw !== true);
  const [first] = distinct;
  return first === undefined ? free : distinct.length === 1 ? placeOf(first) : new Place(distinct);
}

function uses({ keywords }: Schema, names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(keywords, name));
}

/** Is the schema one of which the answers are known beforehand? */
function isUsual(schema: Schema): boolean {
  return !schema.unusable && schema.unknownType === undefined && schema.target !== null && schema.dynamic === undefined;
}

/** Does a `$ref` lead back to itself at the same value? The last check has a word about that. */
function isCircular(schema: Schema, open = new Set<Schema>(), done = new Set<Schema>()): boolean {
  if (open.has(schema)) return true;
  if (done.has(schema)) return false;
  open.add(schema);
  const next = schema.target ? [schema.target, ...schema.list("allOf")] : schema.list("allOf");
  const found = next.some((one) => isCircular(one, open, done));
  open.delete(schema);
  done.add(schema);
  return found;
}

/** The kinds that `type` admits; what is wrong in `type` itself is said at the end. */
function kindsOf({ raw, types, unknownType }: Schema): number {
  if (raw === false) return 0;
  if (unknownType !== undefined) return ALL;
  return types & INTEGER ? types | NUMBER : types;
}

function least(all: readonly Schema[], keyword: string): number {
  return Math.min(...all.map((schema) => numeric(schema, keyword) ?? Number.POSITIVE_INFINITY));
}
