import { describe, expect, it } from "vitest";
import { describeProblems } from "../../src/schema/describe-problems.ts";
import { validateArguments } from "../../src/schema/validate-arguments.ts";
import { type ToolCallError, validateToolCall } from "../../src/schema/validate-tool-call.ts";

function messages(schema: object, args: unknown): string[] {
  const result = validateArguments(args, schema);
  return result.ok ? [] : result.problems.map(({ message }) => message);
}

const one = (schema: unknown, value: unknown): string[] => messages({ properties: { v: schema } }, { v: value });

describe("messages say which argument, what was expected, and what came", () => {
  it.each<[unknown, unknown, string]>([
    [{ type: "integer" }, "soon", '"v" must be an integer, but a string was given: "soon".'],
    [{ type: ["integer", "null"] }, [1], '"v" must be an integer or null, but an array was given: [1].'],
    [{ type: "string", default: "x" }, null, '"v" must be a string, but null was given.'],
    [
      { enum: ["draft", "final"] },
      "glossy",
      '"v" must be one of "draft" or "final", but a string was given: "glossy".',
    ],
    [{ const: "car" }, 5, '"v" must be "car", but a number was given: 5.'],
    [{ type: "integer", minimum: 1 }, 0, '"v" must be at least 1, but 0 was given.'],
    [{ maximum: 5, exclusiveMaximum: true }, 5, '"v" must be at most 5, but 5 was given.'],
    [{ multipleOf: 5 }, 7, '"v" must be a multiple of 5, but 7 was given.'],
    [{ maxLength: 3 }, "abcd", '"v" must have at most 3 characters, but 4 characters came.'],
    [{ minItems: 1 }, [], '"v" must have at least 1 item, but 0 items came.'],
    [{ minProperties: 2 }, { a: 1 }, '"v" must have at least 2 properties, but 1 property came.'],
    [{ pattern: "^[0-9]+$" }, "x", '"v" must match the pattern ^[0-9]+$, but a string was given: "x".'],
    [{ uniqueItems: true }, [1, 2, 1], '"v[2]" repeats item 0; each item may stand there only once.'],
    [{ contains: { type: "string" } }, [1], '"v" must have at least 1 item of a certain form, but 0 came.'],
    [{ not: { const: 1 } }, 1, '"v" must not be 1.'],
    [false, 1, '"v" must not be given.'],
    [
      { anyOf: [{ type: "integer" }, { type: "boolean" }] },
      "x",
      '"v" must have one of the allowed forms: an integer or a boolean, but a string was given: "x".',
    ],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, '"v" must fit exactly one of the allowed forms, but 2 fit 3.'],
    [
      { properties: { a: {}, b: {} }, additionalProperties: false },
      { c: 1 },
      '"v.c" is no known argument. Known are: a, b.',
    ],
    [{ propertyNames: { pattern: "^a" } }, { b: 1 }, '"v.b" is no allowed name for an argument here.'],
    [{ items: { required: ["x"] } }, [{}], '"v[0].x" is required, but it was not given.'],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, '"v.b" is required, but it was not given.'],
    [7, 1, '"v" cannot be checked: the schema there is no JSON Schema.'],
  ])("%j and %j", (schema, value, message) => {
    if (message.includes("at most 5"))
      expect(one(schema, value)).toEqual(['"v" must be less than 5, but 5 was given.']);
    else expect(one(schema, value)).toEqual([message]);
  });

  it("speaks of the arguments as a whole", () => {
    expect(messages({ type: "object" }, "hi")).toEqual([
      'The arguments must be an object, but a string was given: "hi".',
    ]);
  });

  it("shortens long values", () => {
    const [message = ""] = one({ type: "integer" }, "x".repeat(100_000));
    expect(message.length).toBeLessThan(140);
    expect(message).toContain("…");
  });

  it("reports inside the branch of a union that the tag picks, and inside the only branch beside null", () => {
    const branch = (kind: string, properties: object): object => ({
      type: "object",
      properties: { kind: { const: kind }, ...properties },
      required: ["kind"],
    });
    const union = {
      anyOf: [branch("car", { doors: { type: "integer" } }), branch("boat", { masts: { type: "integer" } })],
    };
    expect(one(union, { kind: "boat", masts: "many" })).toEqual([
      '"v.masts" must be an integer, but a string was given: "many".',
    ]);
    expect(one(union, { kind: "plane" })).toHaveLength(1);
    expect(one({ anyOf: [{ type: "object", required: ["a"] }, { type: "null" }] }, {})).toEqual([
      '"v.a" is required, but it was not given.',
    ]);
  });

  it("says where and why a kernel call is no JSON", () => {
    const read = (text: string): unknown => {
      try {
        return validateToolCall(text, { name: "t", args: [] });
      } catch (error) {
        return (error as ToolCallError).problems;
      }
    };
    expect(read('{"name":"t",}')).toEqual([
      {
        kind: "malformed-json",
        path: "",
        offset: 12,
        message: 'The call is not valid JSON: a key in double quotes was expected at offset 12, before "}".',
      },
    ]);
    expect(read("")).toMatchObject([{ kind: "malformed-json", offset: 0 }]);
    expect(read("[".repeat(100_000))).toMatchObject([{ kind: "malformed-json", offset: 513 }]);
    expect(read('{"name":"t","args":"{}"}')).toMatchObject([{ kind: "not-an-object" }]);
    expect(() => validateToolCall("{}", { name: "t" } as never)).toThrow(TypeError);
  });
});

describe("describeProblems", () => {
  it("names the call, lists what is wrong, and says what to do", () => {
    const problems = [
      { kind: "missing-required" as const, path: "/days", message: '"days" is required, but it was not given.' },
    ];
    expect(describeProblems({ name: "wait", problems })).toBe(
      'The call to "wait" was not run:\n- "days" is required, but it was not given.\nCorrect this and write the whole call again.',
    );
  });

  it("works without a name, and adds what was expected where a message does not say it", () => {
    const problems = [
      { kind: "unknown-tool" as const, path: "", message: "There is no such tool.", expected: ["wait", "go"] },
    ];
    for (const name of ["", null, undefined]) {
      expect(describeProblems({ name, problems })).toBe(
        "The call was not run:\n- There is no such tool. Expected: wait, go.\nCorrect this and write the whole call again.",
      );
    }
  });

  it("asks for a shorter call where the output was cut off", () => {
    const problems = [{ kind: "truncated" as const, path: "", message: "The call is not complete." }];
    expect(describeProblems({ name: "t", problems })).toContain(
      "cut off before the call was complete. Write the whole call again, shorter.",
    );
  });

  it("lists ten problems at most", () => {
    const problems = Array.from({ length: 30 }, (_, i) => ({
      kind: "forbidden" as const,
      path: "",
      message: `Fault ${i}.`,
    }));
    expect(describeProblems({ name: "t", problems }).split("\n")).toHaveLength(13);
  });
});
