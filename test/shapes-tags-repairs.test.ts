import { describe, expect, test } from "vitest";
import { parse } from "../src/index.ts";
import { chunkings, expectChunkingNeverMatters } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";

const text = { type: "string" };
const tool = (name: string, properties: Record<string, unknown> = {}) => ({
  name,
  parameters: { type: "object", properties },
});
const declared = [
  tool("write", { text, n: { type: "integer" } }),
  tool("ring", { bell: text }),
  tool("clock"),
  tool("place", { at: { type: "object" }, days: { type: "integer" } }),
];

interface Row {
  cut?: boolean;
  tools?: typeof declared | undefined;
  prefill?: string;
}

/** What came of an output, on one line: content, calls, and the rejected with their problems. */
function read(format: string, output: string, { cut = false, ...rest }: Row): string {
  const options = { format, tools: declared, ...rest, finished: !cut, generateId };
  expectChunkingNeverMatters(output, options, chunkings(output));
  const { content, calls, rejected } = parse(output, options);
  const parts = calls.map((call) => `${call.name}${call.argumentsText}`);
  const bad = rejected.map(({ name, problems }) => `${name}: ${problems.map(({ kind }) => kind).join()}`);
  return [content, ...parts, ...bad].filter((part) => part !== "").join(" | ");
}

function table(format: string, rows: readonly [output: string, expected: string, row?: Row][]): void {
  describe(format, () => {
    for (const [output, expected, row = {}] of rows) {
      const conditions = Object.keys(row).join();
      test(`${output}${conditions && ` (${conditions})`}`, () => expect(read(format, output, row)).toBe(expected));
    }
  });
}

const cut = { cut: true };
const noTools = { tools: undefined };

table("minicpm5", [
  ['<function name="write"><arguments><param name="text">a</param></arguments></function>', 'write{"text":"a"}'],
  ['<function name="write"><arguments><param name="text">a</param></argum', 'write{"text":"a"}'],
  ['<function name="write"><arguments><param name="text">a</param></argum', "write: truncated", cut],
  ['<function name="nope"><arguments><param name="x">1</param></arguments></function>', 'nope{"x":1}', noTools],
  ['Use `<function name="clock">` tags.', 'Use `<function name="clock">` tags.'],
  ['<tool_call><function name="write"><param name="text">a</param></function></tool_call>', 'write{"text":"a"}'],
  ['<function name="write"><param name="properties">{"n":"1"}</param></function>', 'write{"n":1}'],
]);

const write = "<function=write>\n<parameter=n>\n1\n</parameter>\n</function>\n";

table("qwen3-coder", [
  [`<tool_call>\n${write}<function=wri`, 'write{"n":1} | null: truncated', cut],
  [`<tool_call>\n${write}<`, 'write{"n":1}', cut],
  [`<tool_call>\n${write}</func`, 'write{"n":1}', cut],
  [`<tool_call>\n${write}</function>\n</tool_call>after`, 'after | write{"n":1}'],
  [`<tool_call>\n${write}</function>\n<function=nope>\n</function>\n</tool_call>`, 'write{"n":1} | nope: unknown-tool'],
  ["<tool_call>\n<function=write >\n<parameter=n >1</parameter >\n</function >\n</tool_call >!", '! | write{"n":1}'],
  ["Use `<tool_call>` and `<function=clock>` tags.", "Use `<tool_call>` and `<function=clock>` tags."],
  ["<function=clock>", "clock{}"],
  ["<function=clock>\n</fun", "clock: truncated", cut],
]);

table("seed-oss", [
  [`<seed:tool_call>\n${write}<function=wri`, 'write{"n":1} | null: truncated', cut],
  [`<seed:tool_call>\n${write}</function>\n</seed:tool_call>`, 'write{"n":1}'],
]);

const invoke = '<invoke name="write"><parameter name="n">1</parameter></invoke>';

table("minimax-m2", [
  [`<minimax:tool_call>\n${invoke}\n<invoke name="wr`, 'write{"n":1} | null: truncated', cut],
  [`<minimax:tool_call>\n${invoke}</invoke>\n</minimax:tool_call>`, 'write{"n":1}'],
]);

table("dots", [
  [
    '<dots_function_call><invoke name="ring"><parameter name="bell">e</param></invoke></dots_function_call>',
    'ring{"bell":"e"}',
  ],
  [
    '<dots_function_call><invoke name="ring"><parameter name="bell">e</param></parameter></invoke></dots_function_call>',
    'ring{"bell":"e</param>"}',
  ],
  [`<dots_function_call>${invoke}</invoke></dots_function_call>`, 'write{"n":1}'],
]);

const step = (name: string, body = ""): string => `<steptml:invoke name="${name}">${body}</steptml:invoke>`;
const lead = "<｜tool_call_begin｜>function<｜tool_sep｜>";

table("step3", [
  [`<｜tool_calls_begin｜>${lead}${step("clock")}<steptml:inv`, "clock{} | null: truncated", cut],
  [`<｜tool_calls_begin｜>${lead}${step("clock")}<｜tool_call_`, "clock{}", cut],
  [`<｜tool_calls_begin｜>${lead}${step("clock")}</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`, "clock{}"],
  [`<｜tool_calls_begin｜>${lead}clock\n${step("clock")}<｜tool_call_end｜><｜tool_calls_end｜>`, "clock{}"],
  [`<｜tool_calls_begin｜>${lead}clock\n${step("clock")}<｜tool_call_end｜>`, "clock{}", noTools],
  [`<｜tool_calls_begin｜>${lead}clo`, "null: truncated", cut],
  [
    `<｜tool_calls_begin｜>${lead}{"name": "clock", "arguments": {}}<｜tool_call_end｜>${lead}${step("clock")}`,
    "clock{} | clock{}",
  ],
  [
    `<｜tool_calls_begin｜><｜tool_call_begin｜>${step("clock")}<｜tool_call_end｜><｜tool_sep｜><｜tool_call_begin｜>${step("clock")}`,
    "clock{} | clock{}",
  ],
  ["a<｜tool_calls_begin｜> <｜tool_calls_end｜>b", "ab"],
]);

const NS = "]<]minimax[>[";
const m3 = (text: string): string => text.replaceAll("@", NS);
const ring = '@<invoke name="ring">@<bell>e@</bell>@</invoke>';

table("minimax-m3", [
  [m3(`@<tool_call>\n${ring}\n@<invoke name="ri`), 'ring{"bell":"e"} | null: truncated', cut],
  [m3('@<tool_call>\n@<invoke name="ring">@<be'), "ring: truncated", cut],
  [m3('@<tool_call>\n@<invoke name="ring">@<be'), "ring: invalid-arguments"],
  [m3(`@<tool_call>${ring}\n]<]mini`), 'ring{"bell":"e"}', cut],
  [m3(`@<tool_call>${ring}\n]<]mini`), 'ring{"bell":"e"}'],
  [m3(`@<tool_call>${ring}@</tool_call>@`), 'ring{"bell":"e"}'],
  [m3(`@<tool_call>${ring}@</tool_call>@ more`), m3('@ more | ring{"bell":"e"}')],
  [m3(`@<tool_call>${ring}]}@</tool_call>`), 'ring{"bell":"e"}'],
  [
    m3('@<tool_call>@<invoke name="ring">@<parameter name="bell">e@</parameter>@</invoke>@</tool_call>'),
    'ring{"bell":"e"}',
  ],
  [m3('@<tool_call>@<invoke name="ring">@<bell>e@</ball>@</invoke>@</tool_call>'), 'ring{"bell":"e"}'],
  [
    m3('@<tool_call>@<invoke name="ring">@<bell>@<x>e@</x>@</bell>@</invoke>@</tool_call>'),
    m3('ring{"bell":"@<x>e@</x>"}'),
  ],
  [
    m3('@<tool_call>@<invoke name="place">@<at>@<x>1@</at>@<days>2@</days>@</invoke>@</tool_call>'),
    'place{"at":{"x":1},"days":2}',
  ],
  [m3('Use @<invoke name="clock"> tags.'), m3('Use @<invoke name="clock"> tags.')],
  [m3("a@<tool_call>\n@</tool_call>b"), "ab"],
]);

const atem = (name: string, body = ""): string =>
  `<atem:function_calls><atem:invoke name="${name}">${body}</atem:invoke></atem:function_calls>`;

table("muse-glimmer", [
  [` to=clock<|message|>${atem("clock")}\n${atem("ring")}<|eot|>`, "clock{} | ring{}"],
  [
    `<|start|>assistant to=clock<|message|>${atem("clock")}<atem:function_calls><atem:inv`,
    "clock{} | null: truncated",
    cut,
  ],
  [`<|start|>assistant to=clock<|message|>${atem("clock")}<|eo`, "clock{}", cut],
  [' to=ring<|message|>{"bell": "e"}<|eot|>', 'ring{"bell":"e"}'],
]);

table("inkling", [
  [
    '<|message_model|>ring<|content_invoke_tool_json|>{"name": "ring", "args": {}} {"name": "clock", "args": {}}<|end_message|>',
    "ring{} | clock{}",
  ],
  ['ring<|content_invoke_tool_json|>{"name": "ring", "args": {}}<|end_message|>', "ring{}", noTools],
]);

table("auto", [
  [' to=ring<|message|>{"bell": "e"}<|call|><|start|>assistant<|channel|>final<|message|>a', 'a | ring{"bell":"e"}'],
  ['<tool_call><function name="write"><param name="text">a</param></function></tool_call>', 'write{"text":"a"}'],
  ["a<｜DSML｜tool_calls></｜DSML｜tool_calls>b", "ab"],
]);

const json = '<ifm|tool_call>{"name": "ring", "arguments": {"bell": "e"}}</ifm|tool_call>';

table("k2-horizon", [
  [`<ifm|tool_calls>${json}\n${json}</ifm|tool_calls>`, 'ring{"bell":"e"} | ring{"bell":"e"}'],
  ["<ifm|tool_calls><ifm|tool_call>clock</ifm|tool_call>\n<ifm|tool_c", "clock{} | null: truncated", cut],
  ["<ifm|tool_calls><ifm|tool_call>clock</ifm|tool_call>\n</ifm|too", "clock{}", cut],
]);

const pair = "<arg_key>text</arg_key><arg_value>a</arg_value>";

table("glm45", [
  [`<tool_call>write<arg_key>${pair}</tool_call>`, 'write{"text":"a"}'],
  [
    `<tool_call>write${pair}<arg_key>\n<arg_key>n</arg_key></arg_key><arg_value>1</arg_value></tool_call>`,
    'write{"text":"a","n":1}',
  ],
  ["<tool_call>write<arg_key><arg_k", "write: truncated", cut],
  ["<tool_call>clock</arg_value></tool_call>", "clock{}"],
  ["<tool_call>clock</arg_value>", "clock{}"],
  ["a<tool_call></tool_call>b", "a<tool_call></tool_call>b"],
  [`<tool_call>write${pair}\n<arg_kye>n</arg_key><arg_value>1</arg_value></tool_call>`, "write: invalid-arguments"],
  ["<tool_call>write<arg_key>text</arg_key>\n<arg_val>a</arg_value></tool_call>", 'write{"text":"a"}'],
]);

const section = (suffix: string): string =>
  `<tool_calls${suffix}><tool_call${suffix}>clock<tool_sep${suffix}></tool_call${suffix}></tool_calls${suffix}>`;

table("hunyuan", [[`${section(":opensource")}<｜hy_eos:opensource｜>`, "clock{}"]]);

test("the tags of Hunyuan 3 are its own", () => {
  expect(parse(section(":opensource")).format).toBe("hy3");
});

const gigachat = 'function call<|role_sep|>\n{"name": "ring", "arguments": {"bell": "e"}}';

table("gigachat3", [
  [gigachat, 'ring{"bell":"e"}'],
  [gigachat, 'ring{"bell":"e"}', { prefill: "assistant<|role_sep|>\n" }],
  ["function call", "function call"],
]);

const k3 = '<|open|>tools<|sep|><|open|>call tool="clock" index="1"<|sep|>';

table("kimi-k3", [
  [k3, "clock{}"],
  [k3, "clock{}", noTools],
  [k3, "clock: truncated", cut],
  [`${k3}<|close|>cal<|sep|><|open|>call tool="clock" index="2"<|sep|><|close|>call<|sep|>`, "clock{} | clock{}"],
]);

/** With `@` for the mark. */
const dsml = (text: string, mark = "｜DSML｜"): string => text.replaceAll("@", mark);
const marked = '<@invoke name="ring">\n<@parameter name="bell" string="true">e</@parameter>\n';

table("deepseek-v4", [
  [dsml("a<@tool_calls>\n</@tool_calls>b"), "ab"],
  [dsml('The tag `<@invoke name="ring">` begins a call.'), dsml('The tag `<@invoke name="ring">` begins a call.')],
  [dsml(`<@tool_calls>${marked}</@invoke>\n</@tool_calls>`, "｜｜DSML｜｜ "), 'ring{"bell":"e"}'],
  [dsml(`<@calls>${marked}</@invoke>\n</@calls>`, "｜｜DSML｜｜ "), 'ring{"bell":"e"}'],
  [dsml(`<@tool_calls>${marked}</@invoke>\n</@tool_calls>`).replaceAll(/(?<=<\/[^>]*)>/g, " >"), 'ring{"bell":"e"}'],
  [
    dsml(`<@tool_calls>${marked}</@xinvoke>\n${marked}</@invoke>\n</@tool_calls>`),
    'ring{"bell":"e"} | ring{"bell":"e"}',
  ],
]);

table("deepseek-v4", [
  [dsml(`<@tool_calls>${marked}</@inv`), 'ring{"bell":"e"}'],
  [dsml(`<@tool_calls>${marked}</@inv`), "ring: truncated", cut],
  [dsml(`<@tool_calls>${marked}</@inx`), "ring: invalid-arguments"],
  [dsml(`<@tool_calls>${marked}</@inx`), "ring: truncated", cut],
  [dsml(`<@tool_calls>${marked.replace("</@parameter>", "</@para>")}</@invoke>\n</@tool_calls>`), 'ring{"bell":"e"}'],
  [
    dsml(`<@tool_calls>${marked.replace("<@parameter", "<@param")}</@invoke>\n${marked}</@invoke></@tool_calls>`),
    'ring{"bell":"e"} | ring: invalid-arguments',
  ],
  [
    dsml(`<@tool_calls>${marked}<@paramater name="days" string="false">3</@parameter>\n</@invoke>\n</@tool_calls>`),
    "ring: invalid-arguments",
  ],
]);

const argument = (key: string, value: string): string => `<|open|>argument key="${key}" type="string"<|sep|>${value}`;

table("kimi-k3", [
  [
    `${k3.replace("clock", "write")}${argument("text", "a<|close|>arg<|sep|>")}${argument("n", "1<|close|>argument<|sep|>")}<|close|>tool<|sep|>`,
    'write{"text":"a","n":1}',
  ],
  [
    `${k3.replace("clock", "write")}${argument("text", "a<|close|>argument<|sep|>")}<|open|>arg key="n"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>`,
    "write: invalid-arguments",
  ],
]);

table("solar-open2", [["a<|tool_call:end|>b", "ab"]]);

const days = (format: string, output: string) => {
  const options = { format, tools: declared, finished: true, generateId };
  expectChunkingNeverMatters(output, options, chunkings(output));
  return output.slice(parse(output, options).rejected[0]?.problems[0]?.offset).slice(0, 5);
};

describe("an early problem stands where its value does", () => {
  const rows: [format: string, output: string][] = [
    [
      "deepseek-v4",
      dsml('<@tool_calls><@invoke name="place"><@parameter name="days" string="true">three</@parameter></@invoke>'),
    ],
    ["glm45", "<tool_call>place<arg_key>days</arg_key>\n<arg_value>three</arg_value></tool_call>"],
    ["dots", '<dots_function_call><invoke name="place"><parameter name="days">three</parameter></invoke>'],
    [
      "kimi-k3",
      k3
        .replace("clock", "place")
        .concat('<|open|>argument key="days" type="string"<|sep|>three<|close|>argument<|sep|><|close|>call<|sep|>'),
    ],
    ["minimax-m3", m3('@<tool_call>@<invoke name="place">@<days>three@</days>@</invoke>')],
  ];
  for (const [format, output] of rows) {
    test(format, () => expect(days(format, `${output} {"days": 1}`)).toBe("three"));
  }
});
