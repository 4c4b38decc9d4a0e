/** What the declarations of tools say about their calls, as TypeScript types. Nothing of this file is there at run time. */
import type { ToolCall } from "./events.ts";
import type { KernelArgument, ToolDeclaration } from "./schema/declare.ts";
import type { ObjectFromJsonSchema } from "./schema/infer.ts";
import type { Validation } from "./schema/profiles.ts";

/** What the option `tools` takes. */
export type ToolsOption = readonly ToolDeclaration[] | undefined;

/** What the option `validation` takes. */
export type ValidationOption = Validation | undefined;

/**
 * A call of one of some tools: a union over their names, each with its own arguments. Tools whose names are not known to
 * the compiler (they were read from a file, or not declared `as const`) make plain `ToolCall`s.
 *
 * @typeParam V The option `validation`: under `"lenient"`, `"kernel"` and `"none"` the arguments stay
 * `Record<string, unknown>`, since they are not held against the whole schema.
 * @example
 * ```ts
 * const tools = [{ name: "wait", parameters: { type: "object", properties: { days: { type: "integer" } } } }] as const;
 * type Call = CallOf<typeof tools>; // ToolCall<"wait", { days?: number | null }>
 * ```
 */
export type CallOf<T extends ToolsOption, V extends ValidationOption = undefined> = OneCall<ToolIn<T>, V>;

/** Without tools, or with none, a call may be anything. */
type ToolIn<T> = T extends readonly (infer Tool)[] ? ([Tool] extends [never] ? unknown : Tool) : unknown;

type OneCall<Tool, V> = Tool extends unknown
  ? IsKnown<NameOf<Tool>> extends true
    ? ToolCall<NameOf<Tool>, ArgumentsOf<Tool, V>>
    : ToolCall
  : never;

/** On its own: with `NameOf<Tool>` behind `extends` up there, the compiler would make a new `ToolCall` for each tool. */
type IsKnown<Name> = string extends Name ? false : true;

type NameOf<Tool> = Body<Tool> extends { readonly name: infer Name extends string } ? Name : string;

/**
 * The arguments of a valid call of a tool, declared in any of the accepted forms.
 * Under `coerce`, the default, an optional argument may be null: models write that for "not given", and it is kept. With
 * a Standard Schema they are its input: it validates, but what it makes of the value is not taken.
 */
export type ArgumentsOf<Tool, V = undefined> = [V] extends ["strict"]
  ? Declared<Body<Tool>, never>
  : [V] extends ["strict" | "coerce" | undefined]
    ? Declared<Body<Tool>, null>
    : Record<string, unknown>;

type Body<Tool> = Tool extends { readonly function: infer Inner } ? Inner : Tool;

type Declared<Inner, Null extends null> = Inner extends { readonly parameters: unknown }
  ? FromSchema<Inner["parameters"], Null>
  : Inner extends { readonly args: infer Arguments extends readonly KernelArgument[] }
    ? FromKernel<Arguments, Null>
    : Inner extends { readonly input_schema: infer Schema }
      ? FromSchema<Schema, Null>
      : Inner extends { readonly inputSchema: infer Schema }
        ? FromSchema<Schema, Null>
        : Record<string, unknown>;

type FromSchema<Schema, Null extends null> = Schema extends { readonly "~standard": infer Standard }
  ? FromStandard<Standard, Null>
  : ObjectFromJsonSchema<Schema, Null>;

/** Without `validate` only its JSON Schema is checked, where an optional null passes that the input type does not have. */
type FromStandard<Standard, Null extends null> = Standard extends {
  readonly types?: { readonly input: infer Input } | undefined;
}
  ? unknown extends Input
    ? Record<string, unknown>
    : [Null] extends [never]
      ? Plain<Input>
      : Standard extends { readonly validate: (...args: never) => unknown }
        ? Plain<Input>
        : Record<string, unknown>
  : Record<string, unknown>;

/** Copied member by member: an interface would not do for `Record<string, unknown>`. */
type Plain<T> = T extends object ? { [K in keyof T]: T[K] } : never;

interface KernelTypes {
  str: string;
  int: number;
  float: number;
  bool: boolean;
}

type FromKernel<Arguments extends readonly KernelArgument[], Null extends null> = Arguments extends readonly []
  ? Record<string, unknown>
  : number extends Arguments["length"]
    ? Record<string, unknown>
    : string extends Arguments[number]["name"]
      ? Record<string, unknown>
      : KernelMembers<Arguments[number], Null> extends infer Known
        ? { [K in keyof Known]: Known[K] }
        : never;

type KernelMembers<Argument extends KernelArgument, Null extends null> = {
  [A in Argument as A extends { readonly required: true } ? A["name"] : never]: KernelTypes[A["type"]];
} & {
  [A in Argument as A extends { readonly required: true } ? never : A["name"]]?: KernelTypes[A["type"]] | Null;
};
