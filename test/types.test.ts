/** What the compiler knows of calls. `npm run typecheck` is what holds these; run, they only show that nothing is in the way. */
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import * as core from "../src/core.ts";
import {
  type ArgumentsOf,
  type CallOf,
  createParser,
  type FromJsonSchema,
  getFormat,
  type ParseResult,
  type Parser,
  type ParserEvent,
  type ParserOptions,
  parse,
  parseStream,
  type RejectedCall,
  type Snapshot,
  type ToolCall,
  ToolCallStream,
  type ToolDeclaration,
  type Validation,
} from "../src/index.ts";

type Anything = Record<string, unknown>;
/** A schema without keywords. */
type Empty = Record<never, never>;

const tideSchema = {
  type: "object",
  properties: { port: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["port"],
} as const;
const logSchema = {
  type: "object",
  properties: { wind: { enum: ["calm", "fresh", "gale"] }, at: { type: "array", items: { type: "number" } } },
  required: ["wind", "at"],
} as const;

const tools = [
  { type: "function", function: { name: "tide_level", parameters: tideSchema } },
  { name: "log", description: "Writes into the log.", parameters: logSchema },
] as const;

type Tide = { port: string; days?: number | null };
type Log = { wind: "calm" | "fresh" | "gale"; at: number[] };
type Call = ToolCall<"tide_level", Tide> | ToolCall<"log", Log>;

const output = '<tool_call>{"name": "tide_level", "arguments": {"port": "Oban"}}</tool_call>';

describe("calls", () => {
  test("are a union over the tools", () => {
    const { calls, rejected } = parse(output, { format: "hermes", tools });
    expectTypeOf(calls).toEqualTypeOf<Call[]>();
    for (const call of calls) {
      expectTypeOf(call.name).toEqualTypeOf<"tide_level" | "log">();
      if (call.name === "tide_level") {
        expectTypeOf(call.arguments).toEqualTypeOf<Tide>();
        expect(call.arguments.port.length).toBe(4);
        // @ts-expect-error: not declared
        call.arguments.prot;
        // @ts-expect-error: a number
        call.arguments.days satisfies string | null | undefined;
      } else {
        expectTypeOf(call).toEqualTypeOf<ToolCall<"log", Log>>();
        // @ts-expect-error: no such tool is left
        call.name satisfies "tide_level";
      }
      // @ts-expect-error: there is no such tool
      if (call.name === "tide_levels") throw call;
      switch (call.name) {
        case "tide_level":
        case "log":
          break;
        default:
          call satisfies never;
      }
    }
    expectTypeOf(rejected).toEqualTypeOf<RejectedCall[]>();
  });

  test("need no `as const` where the tools stand in the call", () => {
    const { calls } = parse(output, {
      tools: [
        {
          name: "tide_level",
          parameters: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
        },
        { name: "stop" },
      ],
    });
    expectTypeOf(calls).toEqualTypeOf<(ToolCall<"tide_level", { port: string }> | ToolCall<"stop", Anything>)[]>();
    expect(calls.map(({ name }) => name)).toEqual(["tide_level"]);
  });

  test("come out of everything that reads", async () => {
    const parser = createParser({
      format: "hermes",
      tools,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<ParserEvent<Call>>();
        if (event.type === "tool-call") expectTypeOf(event.call).toEqualTypeOf<Call>();
        if (event.type === "tool-input-start") expectTypeOf(event.name).toEqualTypeOf<"tide_level" | "log">();
        if (event.type === "tool-call-rejected") expectTypeOf(event.call.arguments).toEqualTypeOf<Anything | null>();
        if (event.type === "finish") expectTypeOf(event.result).toEqualTypeOf<ParseResult<Call>>();
      },
    });
    expectTypeOf(parser).toEqualTypeOf<Parser<Call>>();
    parser.feed(output);
    expectTypeOf(parser.snapshot()).toEqualTypeOf<Snapshot<Call>>();
    expectTypeOf(parser.snapshot().calls).toEqualTypeOf<Call[]>();
    expectTypeOf(parser.end()).toEqualTypeOf<ParseResult<Call>>();

    async function* source(): AsyncGenerator<string> {
      yield output;
    }
    const format = getFormat("hermes");
    for await (const event of parseStream(source(), { format: "hermes", tools }))
      expectTypeOf(event).toEqualTypeOf<ParserEvent<Call>>();
    for await (const event of core.parseStream(source(), { format, tools }))
      expectTypeOf(event).toEqualTypeOf<ParserEvent<Call>>();

    const stream = new ToolCallStream({ format: "hermes", tools });
    expectTypeOf(stream.readable).toEqualTypeOf<ReadableStream<ParserEvent<Call>>>();
    expectTypeOf(new core.ToolCallStream({ format, tools }).readable).toEqualTypeOf<typeof stream.readable>();
    expectTypeOf(core.parse(output, { format, tools }).calls).toEqualTypeOf<Call[]>();
    expectTypeOf(core.createParser({ format, tools })).toEqualTypeOf<Parser<Call>>();
  });

  test("fit wherever plain ones do", () => {
    const plain: ParseResult = parse(output, { tools });
    const parser: Parser = createParser({ tools, onEvent: (event: ParserEvent) => event.type });
    const handle = (call: ToolCall): string => call.name;
    expect(parse(output, { tools }).calls.map(handle)).toEqual(plain.calls.map(handle));
    const stream: TransformStream<string, ParserEvent> = new ToolCallStream({ tools });
    expect([parser, stream]).toHaveLength(2);
    const call: CallOf<typeof tools> | undefined = parse(output, { tools }).calls[0];
    expect(call?.name).toBe("tide_level");
  });
});

describe("what is not known stays as it was", () => {
  test("without tools, with an empty list, with tools that are not literals", () => {
    expectTypeOf(parse(output)).toEqualTypeOf<ParseResult>();
    expectTypeOf(parse(output, {}).calls).toEqualTypeOf<ToolCall[]>();
    expectTypeOf(parse(output, { tools: undefined }).calls).toEqualTypeOf<ToolCall[]>();
    expectTypeOf(parse(output, { tools: [] }).calls).toEqualTypeOf<ToolCall[]>();
    const read: readonly ToolDeclaration[] = [...tools];
    expectTypeOf(parse(output, { tools: read }).calls).toEqualTypeOf<ToolCall[]>();
    const widened = [{ name: "log", parameters: { type: "object", properties: { wind: { type: "string" } } } }];
    expectTypeOf(parse(output, { tools: widened }).calls).toEqualTypeOf<ToolCall[]>();
    expectTypeOf(parse(output, { tools: JSON.parse("[]") }).calls).toEqualTypeOf<ToolCall[]>();
    const options: ParserOptions = { tools };
    expectTypeOf(parse(output, options)).toEqualTypeOf<ParseResult>();
    expectTypeOf(createParser(options)).toEqualTypeOf<Parser>();
    expectTypeOf(createParser()).toEqualTypeOf<Parser>();
    expectTypeOf(new ToolCallStream().readable).toEqualTypeOf<ReadableStream<ParserEvent>>();
    expectTypeOf<ToolCall>().toEqualTypeOf<ToolCall<string, Anything>>();
  });

  test("tools that may be absent: then every call is taken", () => {
    const some = (Date.now() > 0 ? tools : undefined) as typeof tools | undefined;
    expectTypeOf(parse(output, { tools: some }).calls).toEqualTypeOf<ToolCall[]>();
  });

  test("one tool that is not known beside known ones", () => {
    const more: ToolDeclaration = { name: "read from a file" };
    const { calls } = parse(output, { tools: [{ name: "log", parameters: logSchema }, more] });
    expectTypeOf(calls).toEqualTypeOf<(ToolCall | ToolCall<"log", Log>)[]>();
  });
});

describe("validation", () => {
  type Named = ToolCall<"tide_level", Anything> | ToolCall<"log", Anything>;

  test("that looks at the top level only, or not at all, leaves the names", () => {
    for (const validation of ["none", "lenient", "kernel"] as const) {
      expectTypeOf(parse(output, { tools, validation }).calls).toEqualTypeOf<Named[]>();
    }
    expectTypeOf(parse(output, { tools, validation: "none" }).calls).toEqualTypeOf<Named[]>();
    expectTypeOf(createParser({ tools, validation: "lenient" })).toEqualTypeOf<Parser<Named>>();
    expectTypeOf(parse(output, { tools, validation: "coerce" as Validation }).calls).toEqualTypeOf<Named[]>();
    const wrong = '{"name": "tide_level", "arguments": {"port": 4}}';
    expect(parse(wrong, { tools, validation: "none" }).calls[0]?.arguments.port).toBe(4);
  });

  test("`coerce` keeps null for an optional argument, and the type says so; `strict` does not", () => {
    const wrote = '{"name": "tide_level", "arguments": {"port": "Oban", "days": null}}';
    const { calls } = parse(wrote, { tools });
    expect(calls[0]?.arguments).toEqual({ port: "Oban", days: null });
    expectTypeOf<ArgumentsOf<(typeof tools)[0]>>().toEqualTypeOf<Tide>();
    expectTypeOf<ArgumentsOf<(typeof tools)[0], "coerce">>().toEqualTypeOf<Tide>();
    expectTypeOf<ArgumentsOf<(typeof tools)[0], "coerce" | "strict">>().toEqualTypeOf<Tide>();
    type Strict = { port: string; days?: number };
    expectTypeOf<ArgumentsOf<(typeof tools)[0], "strict">>().toEqualTypeOf<Strict>();
    const strict = parse(wrote, { tools, validation: "strict" });
    expectTypeOf(strict.calls).toEqualTypeOf<(ToolCall<"tide_level", Strict> | ToolCall<"log", Log>)[]>();
    expect(strict.rejected).toHaveLength(1);
    // What is not given is the default.
    const maybe = (Date.now() > 0 ? "strict" : undefined) as "strict" | undefined;
    expectTypeOf(parse(wrote, { tools, validation: maybe }).calls).toEqualTypeOf<Call[]>();
  });

  test("null means no other default", () => {
    type Days<S> = ArgumentsOf<{ name: "wait"; parameters: { type: "object"; properties: { days: S } } }>;
    expectTypeOf<Days<{ type: "integer"; default: 3 }>>().toEqualTypeOf<{ days?: number }>();
    expectTypeOf<Days<{ type: "integer"; default: null }>>().toEqualTypeOf<{ days?: number | null }>();
  });
});

describe("the forms of a declaration", () => {
  type Wait = { name: "wait" };

  test("carry the same arguments", () => {
    type Forms = [
      { type: "function"; function: Wait & { parameters: typeof tideSchema; strict: true } },
      { function: Wait & { parameters: typeof tideSchema } },
      Wait & { type: "function"; parameters: typeof tideSchema },
      Wait & { parameters: typeof tideSchema },
      Wait & { input_schema: typeof tideSchema },
      Wait & { inputSchema: typeof tideSchema; annotations: object },
    ];
    expectTypeOf<CallOf<Forms>>().toEqualTypeOf<ToolCall<"wait", Tide>>();
  });

  test("kernel", () => {
    const kernel = [
      {
        name: "wait",
        args: [
          { name: "days", type: "int", required: true },
          { name: "why", type: "str" },
          { name: "wet", type: "bool", required: false },
          { name: "depth", type: "float", required: true },
        ],
      },
    ] as const;
    type Wait = { days: number; depth: number; why?: string | null; wet?: boolean | null };
    expectTypeOf<CallOf<typeof kernel>>().toEqualTypeOf<ToolCall<"wait", Wait>>();
    expectTypeOf(parse("", { tools: kernel, validation: "kernel" }).calls).toEqualTypeOf<
      ToolCall<"wait", Anything>[]
    >();
    expectTypeOf<ArgumentsOf<{ name: "wait"; args: [] }>>().toEqualTypeOf<Anything>();
    type Some = { name: "days"; type: "int"; required: true }[];
    expectTypeOf<ArgumentsOf<{ name: "wait"; args: Some }>>().toEqualTypeOf<Anything>();
  });

  test("without a schema, or with one that says nothing", () => {
    expectTypeOf<ArgumentsOf<Wait>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: undefined }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: null }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: true }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: Empty }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: { type: "object" } }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: { type: "object"; properties: Empty } }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: { type: "array" } }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: any }>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Wait & { parameters: Anything }>>().toEqualTypeOf<Anything>();
    // What stands around arguments is an object, whether or not the schema says so.
    expectTypeOf<ArgumentsOf<Wait & { parameters: { required: ["days"] } }>>().toEqualTypeOf<{
      days: NonNullable<unknown> | null;
    }>();
  });
});

describe("Standard Schema", () => {
  test("Zod", () => {
    const { calls } = parse("", {
      tools: [
        {
          name: "tide_level",
          parameters: z.object({
            port: z.string(),
            days: z.number().int().default(3),
            unit: z.enum(["m", "ft"]).optional(),
          }),
        },
        { name: "log", input_schema: z.object({ at: z.string().transform(Number), tags: z.array(z.string()) }) },
      ],
    });
    type Tide = { port: string; days?: number | undefined; unit?: "m" | "ft" | undefined };
    // Validated, not transformed: `at` is the string that the model wrote.
    type Log = { at: string; tags: string[] };
    expectTypeOf(calls).toEqualTypeOf<(ToolCall<"tide_level", Tide> | ToolCall<"log", Log>)[]>();
    const shapes = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]);
    type Shape = { kind: "circle"; radius: number } | { kind: "square"; side: number };
    expectTypeOf<ArgumentsOf<{ name: "draw"; parameters: typeof shapes }>>().toEqualTypeOf<Shape>();
    expectTypeOf<ArgumentsOf<{ name: "any"; parameters: z.ZodType }>>().toEqualTypeOf<Anything>();
  });

  test("the arguments are what went in, not what a transformation makes of it", () => {
    const waits = [{ name: "wait", parameters: z.object({ days: z.string().transform(Number) }) }] as const;
    const [call] = parse('{"name": "wait", "arguments": {"days": "3"}}', { tools: waits }).calls;
    expectTypeOf(call!.arguments).toEqualTypeOf<{ days: string }>();
    expect(call?.arguments.days).toBe("3");
  });

  test("Valibot", () => {
    const schema = v.object({ port: v.string(), days: v.optional(v.pipe(v.string(), v.transform(Number))) });
    const { calls } = parse("", { tools: [{ name: "tide_level", inputSchema: schema }] });
    type Tide = { port: string; days?: string | undefined };
    expectTypeOf(calls).toEqualTypeOf<ToolCall<"tide_level", Tide>[]>();
  });

  test("an input that is an interface fits a plain call", () => {
    interface Tide {
      port: string;
    }
    interface Schema {
      readonly "~standard": {
        readonly version: 1;
        readonly vendor: "mine";
        readonly validate: (value: unknown) => { value: Tide };
        readonly types?: { readonly input: Tide; readonly output: Tide } | undefined;
      };
    }
    type Found = CallOf<[{ name: "tide_level"; parameters: Schema }]>;
    expectTypeOf<Found["arguments"]>().toEqualTypeOf<{ port: string }>();
    expectTypeOf<Found>().toExtend<ToolCall>();
  });

  test("without `validate`, its JSON Schema decides: under `coerce` its type promises too much", () => {
    interface Schema {
      readonly "~standard": {
        readonly version: 1;
        readonly vendor: "mine";
        readonly types?: { readonly input: { days?: number }; readonly output: unknown } | undefined;
        readonly jsonSchema: { readonly input: () => Anything };
      };
    }
    type Tool = { name: "wait"; parameters: Schema };
    expectTypeOf<ArgumentsOf<Tool>>().toEqualTypeOf<Anything>();
    expectTypeOf<ArgumentsOf<Tool, "strict">>().toEqualTypeOf<{ days?: number }>();
  });
});

describe("JSON Schema", () => {
  test("scalars, constants, null", () => {
    expectTypeOf<FromJsonSchema<{ type: "string"; minLength: 2 }>>().toEqualTypeOf<string>();
    expectTypeOf<FromJsonSchema<{ type: "integer" }>>().toEqualTypeOf<number>();
    expectTypeOf<FromJsonSchema<{ type: readonly ["number", "null"] }>>().toEqualTypeOf<number | null>();
    expectTypeOf<FromJsonSchema<{ type: "boolean"; nullable: true }>>().toEqualTypeOf<boolean | null>();
    expectTypeOf<FromJsonSchema<{ enum: readonly ["a", 1, null] }>>().toEqualTypeOf<"a" | 1 | null>();
    expectTypeOf<FromJsonSchema<{ type: "string"; enum: readonly ["a", 1] }>>().toEqualTypeOf<"a">();
    expectTypeOf<FromJsonSchema<{ type: "string"; enum: readonly ["a"]; nullable: true }>>().toEqualTypeOf<
      "a" | null
    >();
    expectTypeOf<FromJsonSchema<{ const: true; enum: readonly [false] }>>().toEqualTypeOf<true>();
    expectTypeOf<FromJsonSchema<false>>().toEqualTypeOf<never>();
  });

  test("what is not understood is unknown", () => {
    expectTypeOf<FromJsonSchema<true>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<Empty>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<any>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<Anything>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ type: string }>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ type: "uuid" }>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ type: "any" }>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ type: readonly ["string", "uuid"] }>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ type: "string,null" }>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ anyOf: readonly [] }>>().toEqualTypeOf<unknown>();
    expectTypeOf<FromJsonSchema<{ not: { type: "string" } }>>().toEqualTypeOf<unknown>();
    // Without `type` a string would be valid, too.
    expectTypeOf<FromJsonSchema<{ properties: { a: { type: "string" } } }>>().toEqualTypeOf<unknown>();
  });

  test("objects", () => {
    type Of<S> = FromJsonSchema<{ type: "object" } & S>;
    type Ab = { a: { type: "string" }; b: { type: "number" } };
    expectTypeOf<Of<{ properties: Ab; required: readonly ["a"] }>>().toEqualTypeOf<{ a: string; b?: number }>();
    expectTypeOf<Of<{ properties: Ab; required: string[] }>>().toEqualTypeOf<{ a?: string; b?: number }>();
    expectTypeOf<Of<{ required: readonly ["c"] }>>().toEqualTypeOf<{ c: NonNullable<unknown> | null }>();
    expectTypeOf<Of<{ properties: Ab; required: "a"[] }>>().toEqualTypeOf<{ a?: string; b?: number }>();
    expectTypeOf<Of<{ properties: { a: false } }>>().toEqualTypeOf<{ a?: never }>();
    expectTypeOf<Of<{ additionalProperties: false }>>().toEqualTypeOf<Record<string, never>>();
    expectTypeOf<Of<{ additionalProperties: { type: "number" } }>>().toEqualTypeOf<{ [key: string]: number }>();
    expectTypeOf<Of<{ properties: Ab; additionalProperties: false }>>().toEqualTypeOf<{ a?: string; b?: number }>();

    type Open = Of<{ properties: Ab; required: readonly ["a"]; additionalProperties: { type: "boolean" } }>;
    expectTypeOf<Open["a"]>().toEqualTypeOf<string>();
    expectTypeOf<Open["c"]>().toEqualTypeOf<boolean | string | number | undefined>();
    type Patterns = Of<{
      properties: Ab;
      patternProperties: { "^x-": { type: "string" } };
      additionalProperties: false;
    }>;
    expectTypeOf<Patterns["b"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Patterns["x-1"]>().toEqualTypeOf<unknown>();
  });

  test("lists", () => {
    type Of<S> = FromJsonSchema<{ type: "array" } & S>;
    type Pair = readonly [{ type: "string" }, { type: "number" }];
    expectTypeOf<Of<unknown>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<Of<{ items: { type: "string" } }>>().toEqualTypeOf<string[]>();
    expectTypeOf<Of<{ items: false }>>().toEqualTypeOf<[]>();
    expectTypeOf<Of<{ prefixItems: Pair }>>().toEqualTypeOf<[string?, number?, ...unknown[]]>();
    expectTypeOf<Of<{ prefixItems: Pair; items: false }>>().toEqualTypeOf<[string?, number?]>();
    expectTypeOf<Of<{ prefixItems: Pair; items: false; minItems: 1 }>>().toEqualTypeOf<[string, number?]>();
    expectTypeOf<Of<{ prefixItems: Pair; items: { type: "null" }; minItems: 4 }>>().toEqualTypeOf<
      [string, number, ...null[]]
    >();
    expectTypeOf<Of<{ items: Pair; additionalItems: false; minItems: 2 }>>().toEqualTypeOf<[string, number]>();
  });

  test("branches", () => {
    type Circle = {
      type: "object";
      properties: { kind: { const: "circle" }; r: { type: "number" } };
      required: ["kind", "r"];
    };
    type Square = { type: "object"; properties: { kind: { const: "square" } }; required: ["kind"] };
    type Shape = { kind: "circle"; r: number } | { kind: "square" };
    expectTypeOf<FromJsonSchema<{ oneOf: readonly [Circle, Square] }>>().toEqualTypeOf<Shape>();
    expectTypeOf<FromJsonSchema<{ anyOf: readonly [Circle, Square] }>>().toEqualTypeOf<Shape>();
    expectTypeOf<FromJsonSchema<{ anyOf: readonly [Circle, Square, Empty] }>>().toEqualTypeOf<unknown>();
    // A type around the branches holds for those that name none.
    expectTypeOf<
      FromJsonSchema<{ type: "object"; anyOf: [Omit<Circle, "type">, Omit<Square, "type">] }>
    >().toEqualTypeOf<Shape>();
    expectTypeOf<
      ArgumentsOf<{ name: "draw"; parameters: { oneOf: [Circle, Square] } }, "strict">
    >().toEqualTypeOf<Shape>();
    type Both = FromJsonSchema<{
      allOf: readonly [
        { type: "object"; properties: { a: { type: "string" } } },
        { type: "object"; properties: { b: { type: "string" } }; required: ["a", "b"] },
      ];
    }>;
    expectTypeOf<Both>().toExtend<{ a: string; b: string }>();
    expectTypeOf<Both["a"]>().toEqualTypeOf<string>();
    type Closed = FromJsonSchema<{
      allOf: [
        { type: "object"; additionalProperties: false },
        { type: "object"; properties: { a: { type: "string" } } },
      ];
    }>;
    expectTypeOf<Closed["a"]>().toEqualTypeOf<string | undefined>();
    type OneOfTwo = FromJsonSchema<{
      type: "object";
      properties: { a: { type: "string" }; b: { type: "string" } };
      anyOf: [{ required: ["a"] }, { required: ["b"] }];
    }>;
    expectTypeOf<OneOfTwo>().toExtend<{ a: string } | { b: string }>();
    // @ts-expect-error: neither is there
    ({}) satisfies OneOfTwo;
  });

  test("references", () => {
    type Berth = { type: "object"; properties: { length: { type: "number" } }; required: ["length"] };
    type Of<S, More = unknown> = FromJsonSchema<
      {
        type: "object";
        properties: { a: S };
        required: ["a"];
        $defs: { berth: Berth; ports: [{ type: "string" }] };
      } & More
    >;
    expectTypeOf<Of<{ $ref: "#/$defs/berth" }>>().toEqualTypeOf<{ a: { length: number } }>();
    expectTypeOf<Of<{ $ref: "#/$defs/berth/properties/length" }>>().toEqualTypeOf<{ a: number }>();
    expectTypeOf<Of<{ $ref: "#/$defs/ports/0" }>>().toEqualTypeOf<{ a: string }>();
    expectTypeOf<Of<{ $ref: "#/$defs/nowhere" }>>().toEqualTypeOf<{ a: unknown }>();
    expectTypeOf<Of<{ $ref: "https://example.com/berth" }>>().toEqualTypeOf<{ a: unknown }>();
    expectTypeOf<Of<{ anyOf: [{ $ref: "#/$defs/berth" }, { type: "null" }] }>>().toEqualTypeOf<{
      a: { length: number } | null;
    }>();
    // Under an `$id` of its own, `#` means another document.
    expectTypeOf<Of<{ $id: "other"; items: { $ref: "#/$defs/berth" }; type: "array" }>>().toEqualTypeOf<{
      a: unknown[];
    }>();
    // Draft-07: a reference hides what stands beside it.
    type Beside = {
      $ref: "#/$defs/berth";
      type: "object";
      properties: { wet: { type: "boolean" } };
      required: ["wet"];
    };
    expectTypeOf<Of<Beside>["a"]>().toExtend<{ length: number; wet: unknown }>();
    expectTypeOf<Of<Beside, { $schema: "http://json-schema.org/draft-07/schema#" }>>().toEqualTypeOf<{
      a: { length: number };
    }>();
  });

  test("schemas that contain themselves", () => {
    type Tree = FromJsonSchema<{
      type: "object";
      properties: { name: { type: "string" }; children: { type: "array"; items: { $ref: "#" } } };
      required: readonly ["name", "children"];
    }>;
    const tree: Tree = { name: "a", children: [{ name: "b", children: [] }] };
    expectTypeOf(tree.children[0]!.children).toEqualTypeOf<Tree["children"]>();
    // @ts-expect-error: not a string, two levels down
    tree.children[0]!.children = [{ name: 3, children: [] }];

    type Loop = FromJsonSchema<{ $ref: "#/$defs/a"; $defs: { a: { $ref: "#/$defs/b" }; b: { $ref: "#/$defs/a" } } }>;
    expectTypeOf<Loop>().toEqualTypeOf<unknown>();
    type Nested = FromJsonSchema<{
      $ref: "#/$defs/list";
      $defs: { list: { type: "array"; items: { anyOf: [{ type: "string" }, { $ref: "#/$defs/list" }] } } };
    }>;
    expectTypeOf<Nested[number]>().toExtend<string | Nested>();
    const nested: Nested = ["a", ["b", ["c"]]];
    expect(nested).toHaveLength(2);
  });
});
