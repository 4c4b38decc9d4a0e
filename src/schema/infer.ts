/**
 * The TypeScript type of the values that a JSON Schema accepts. Types only: nothing of this file is there at run time.
 * What is not understood is `unknown`, and a keyword that only narrows (`pattern`, `not`, `if`, ...) is left out, so that a
 * type never promises more than was checked.
 */

/**
 * The values of a JSON Schema that was written `as const`.
 *
 * @typeParam Null What an optional property may hold beside its own type: `null` where null counts as "not given", as under
 * `coerce`.
 * @example
 * ```ts
 * const schema = { type: "object", properties: { days: { type: "integer" } }, required: ["days"] } as const;
 * type Arguments = FromJsonSchema<typeof schema>; // { days: number }
 * ```
 */
export type FromJsonSchema<S, Null extends null = never> = Resource<S, S, Null, never, never>;

/** The same where the value is known to be an object, whether or not the schema says so. */
export type ObjectFromJsonSchema<S, Null extends null> = OnlyObjects<Resource<S, S, Null, "object", never>>;

type OnlyObjects<T> = unknown extends T
  ? Record<string, unknown>
  : [Objects<T>] extends [never]
    ? Record<string, unknown>
    : Objects<T>;
type Objects<T> = T extends object ? (T extends readonly unknown[] ? never : T) : never;

/** Keywords that make a schema more than `type` and what belongs to it. */
type Composing = "$ref" | "allOf" | "anyOf" | "oneOf" | "enum" | "const";
type OfObjects = "properties" | "required" | "additionalProperties" | "patternProperties";

/**
 * A schema at its place in a document.
 * `Root` is what `#` means there, `Type` the type names that hold from around it, `Seen` the references that were followed to
 * the value at hand: one that leads back to itself says nothing.
 */
type Value<S, Root, Null extends null, Type, Seen> = S extends { readonly $id: string }
  ? Resource<S, unknown, Null, Type, Seen>
  : Resource<S, Root, Null, Type, Seen>;

type Resource<S, Root, Null extends null, Type, Seen> = unknown extends S
  ? unknown
  : S extends false
    ? never
    : S extends object
      ? [Extract<keyof S, Composing>] extends [never]
        ? Typed<S, Root, Null, TypeNames<S, Type>>
        : Composed<S, Root, Null, TypeNames<S, Type>, Seen>
      : unknown;

type TypeNames<S, Type> = S extends { readonly type: infer T } ? (T extends readonly (infer Name)[] ? Name : T) : Type;

type Composed<S, Root, Null extends null, Type, Seen> = S extends { readonly $ref: infer Ref }
  ? Ref extends Seen
    ? unknown
    : unknown extends Root
      ? unknown
      : Root extends { readonly $schema: `${string}draft-0${4 | 5 | 6 | 7}${string}` }
        ? Referred<Ref, Root, Null, Type, Seen>
        : Referred<Ref, Root, Null, Type, Seen> & Combined<S, Root, Null, Type, Seen>
  : Combined<S, Root, Null, Type, Seen>;

type Combined<S, Root, Null extends null, Type, Seen> = Own<S, Root, Null, Type> &
  Literals<S> &
  (S extends { readonly anyOf: infer Branches } ? Either<Branches, Root, Null, Type, Seen> : unknown) &
  (S extends { readonly oneOf: infer Branches } ? Either<Branches, Root, Null, Type, Seen> : unknown) &
  (S extends { readonly allOf: infer Branches } ? Every<Branches, Root, Null, Type, Seen> : unknown);

/** `type: "object"` and nothing more around branches: they know it, and beside them it would only hide what they say. */
type Own<S, Root, Null extends null, Type> = [Type] extends ["object"]
  ? [Extract<keyof S, OfObjects>] extends [never]
    ? unknown
    : Typed<S, Root, Null, Type>
  : Typed<S, Root, Null, Type>;

type Literals<S> = S extends { readonly const: infer Value }
  ? Value | Nullable<S>
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value | Nullable<S>
    : unknown;

type Nullable<S> = S extends { readonly nullable: true } ? null : never;

type Either<Branches, Root, Null extends null, Type, Seen> = Branches extends readonly [unknown, ...unknown[]]
  ? Value<Branches[number], Root, Null, Type, Seen>
  : unknown;

type Every<Branches, Root, Null extends null, Type, Seen> = Branches extends readonly [infer First, ...infer Others]
  ? Value<First, Root, Null, Type, Seen> & Every<Others, Root, Null, Type, Seen>
  : unknown;

// --- references

type Referred<Ref, Root, Null extends null, Type, Seen> = Ref extends "#"
  ? Resource<Root, Root, Null, Type, Seen | Ref>
  : Ref extends `#/${infer Path}`
    ? Value<At<Root, Path>, Root, Null, Type, Seen | Ref>
    : unknown;

type At<S, Path> = Path extends `${infer Key}/${infer Others}` ? At<Member<S, Key>, Others> : Member<S, Path>;
type Member<S, Key> = Key extends keyof S ? S[Key] : unknown;

// --- types

/** `type` with the keywords that belong to it. Distributes over the names; without any nothing is known. */
type Typed<S, Root, Null extends null, Type> = [Type] extends [never]
  ? unknown
  : OfType<Type, S, Root, Null> | Nullable<S>;

type OfType<Type, S, Root, Null extends null> = Type extends "object"
  ? ObjectOf<S, Root, Null>
  : Type extends "array"
    ? ArrayOf<S, Root, Null>
    : Type extends keyof Scalars
      ? Scalars[Type]
      : unknown;

interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

type ArrayOf<S, Root, Null extends null> = S extends { readonly items: readonly unknown[] }
  ? Tuple<S["items"], Rest<S, "additionalItems", Root, Null>, S, Root, Null>
  : S extends { readonly prefixItems: readonly unknown[] }
    ? Tuple<S["prefixItems"], Rest<S, "items", Root, Null>, S, Root, Null>
    : Rest<S, "items", Root, Null>;

type Rest<S, Keyword extends string, Root, Null extends null> = S extends { readonly [K in Keyword]: infer Item }
  ? Item extends false
    ? []
    : Value<Item, Root, Null, never, never>[]
  : unknown[];

/** JSON Schema lets a list end early: only the first `minItems` elements are there for certain. */
type Tuple<
  Prefix extends readonly unknown[],
  Others extends unknown[],
  S,
  Root,
  Null extends null,
  Done extends unknown[] = [],
> = Prefix extends readonly [infer First, ...infer Later]
  ? S extends { readonly minItems: infer Least }
    ? Done["length"] extends Least
      ? [...Done, ...Partial<Values<Prefix, Root, Null>>, ...Others]
      : Tuple<Later, Others, S, Root, Null, [...Done, Value<First, Root, Null, never, never>]>
    : [...Partial<Values<Prefix, Root, Null>>, ...Others]
  : [...Done, ...Others];

type Values<Prefix extends readonly unknown[], Root, Null extends null> = {
  -readonly [I in keyof Prefix]: Value<Prefix[I], Root, Null, never, never>;
};

type ObjectOf<S, Root, Null extends null> = S extends { readonly properties: infer P }
  ? Members<S, P, Root, Null, Demanded<S>>
  : Members<S, unknown, Root, Null, Demanded<S>>;

/** The names under `required`; none where they are not known one by one. */
type Demanded<S> = S extends { readonly required: infer Names extends readonly unknown[] }
  ? number extends Names["length"]
    ? never
    : string extends Names[number]
      ? never
      : Names[number]
  : never;

/** `Known` is copied member by member, so that a reader is shown one object type and not what it is made from. */
type Members<S, P, Root, Null extends null, Name> = [keyof P | Name] extends [never]
  ? Undeclared<S, Root, Null>
  : Declared<P, Root, Null, Name> extends infer Known
    ? { [K in keyof Known]: Known[K] } & Additional<S, Root, Null, Known>
    : never;

type Declared<P, Root, Null extends null, Name> = {
  -readonly [K in Extract<keyof P, Name>]: Value<P[K], Root, Null, never, never>;
} & {
  -readonly [K in Exclude<keyof P, Name>]?: Value<P[K], Root, Null, never, never> | NullFor<P[K], Null>;
} & { [K in Extract<Exclude<Name, keyof P>, string>]: Something };

/** What is there, whatever it is. Not `unknown`: another part of the schema may declare it, as optional. */
type Something = NonNullable<unknown> | null;

/** Null stands for "not given", unless that would mean another default. */
type NullFor<S, Null extends null> = S extends false
  ? never
  : S extends { readonly default: infer D }
    ? null extends D
      ? Null
      : never
    : Null;

/** An object of which no member is named. */
type Undeclared<S, Root, Null extends null> = S extends { readonly patternProperties: unknown }
  ? Record<string, unknown>
  : S extends { readonly additionalProperties: infer Others }
    ? { [key: string]: Value<Others, Root, Null, never, never> }
    : Record<string, unknown>;

/** What keys may hold that are not declared. One that is declared is a key, too: whoever looks at all keys finds it. */
type Additional<S, Root, Null extends null, Known> = S extends { readonly patternProperties: unknown }
  ? Record<string, unknown>
  : S extends { readonly additionalProperties: infer Others }
    ? Others extends false
      ? unknown
      : { [key: string]: Value<Others, Root, Null, never, never> | Known[keyof Known] }
    : unknown;
