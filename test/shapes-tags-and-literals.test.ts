import { describe, expect, test } from "vitest";
import { parse } from "../src/index.ts";
import { chunkingsBySize, expectChunkingNeverMatters } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";

const text = { type: "string" };
const tool = (name: string, properties: Record<string, unknown> = {}) => ({
  name,
  parameters: { type: "object", properties },
});
const tools = [
  tool("hunt", { pattern: text, folder: text, days: { type: "integer" }, list: { type: "array" } }),
  tool("clock"),
  tool("write", { text, n: { type: "integer" } }),
];

/** What came of an output, on one line: content, calls, and the rejected with their problems. */
function read(format: string, output: string, finished: boolean): string {
  const options = { format, tools, finished, generateId };
  const { content, calls, rejected } = parse(output, options);
  expectChunkingNeverMatters(output, options, chunkingsBySize(output));
  const parts = calls.map((call) => `${call.name}${call.argumentsText}`);
  const bad = rejected.map(({ name, problems }) => `${name}: ${problems.map(({ kind }) => kind).join()}`);
  return [content.trim(), ...parts, ...bad].filter((part) => part !== "").join(" | ");
}

function table(format: string, rows: readonly [output: string, expected: string, finished?: boolean][]): void {
  describe(format, () => {
    for (const [output, expected, finished = true] of rows) {
      test(`${output}${finished ? "" : " (cut)"}`, () => expect(read(format, output, finished)).toBe(expected));
    }
  });
}

const pair = (key: string, value: string): string => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`;
const write = (body: string): string => `<tool_call>write${body}</tool_call>`;

table("glm47", [
  ["<tool_call>clock", "clock{}"],
  ["<tool_call>clo", "<tool_call>clo"],
  ["<tool_call>clo", "null: truncated", false],
  ["<tool_call>clock<tool_call>clock</tool_call>", "clock{} | clock{}"],
  [write("<arg_key>text</arg_key></arg_key><arg_value>a</arg_value>"), 'write{"text":"a"}'],
  [write("\ntext</arg_key><arg_value>a</arg_value>"), 'write{"text":"a"}'],
  [write(`${pair("n", "1")}text</arg_key><arg_value>a</arg_value>`), 'write{"n":1,"text":"a"}'],
  [write("<arg_key>text</arg_key>a</arg_value>"), 'write{"text":"a"}'],
  [write("<arg_key>text</arg_key>a"), "write: invalid-arguments"],
  [write(`<arg_key>text</arg_key><arg_value>a\n${pair("n", "1")}`), 'write{"text":"a","n":1}'],
  [write(`<arg_key>text</arg_key><arg_value>a</arg_key>${pair("n", "1")}`), 'write{"text":"a","n":1}'],
  [write(pair("text", "a</arg_key> b<arg_value> c")), 'write{"text":"a</arg_key> b<arg_value> c"}'],
  [
    write(pair("text", `<tool_call>clock${pair("a", "b")}</tool_call> c`)),
    `write{"text":"<tool_call>clock${pair("a", "b")}</tool_call> c"}`,
  ],
  [
    "<tool_call>write<arg_key>text</arg_key><arg_value>open<tool_call>clock</tool_call>",
    "clock{} | write: invalid-arguments",
  ],
  [
    "<tool_call>write<arg_key>text</arg_key><arg_value>a</tool_call><tool_call>clock</tool_call>",
    'write{"text":"a"} | clock{}',
  ],
  ["<tool_call>write<arg_key>text</arg_key><arg_value>a</tool_call>", "write: truncated", false],
  [`<tool_call>write${pair("text", "a")}</tool_ca`, 'write{"text":"a"}'],
  [`<tool_call>write${pair("text", "a")}</tool_ca`, "write: truncated", false],
  [`<tool_call>write${pair("text", "a")}<|user|>more`, 'write{"text":"a"}'],
  [`${write("<arg_value>a</arg_value>")}then`, "then | write: invalid-arguments"],
  ["`<tool_call>` opens one", "`<tool_call>` opens one"],
]);

const quote = '<|"|>';
const call = (body: string): string => `<|tool_call>call:${body}<tool_call|>`;

table("gemma4", [
  [
    call(`write{text:${quote}She said ${quote}go${quote} now${quote},n:2}`),
    'write{"text":"She said \\"go\\" now","n":2}',
  ],
  [call(`write{text:${quote}a }<tool_call|> b${quote}}`), 'write{"text":"a }<tool_call|> b"}'],
  [call(`write{text:${quote}open}`) + call("clock{}"), 'write{"text":"open"} | clock{}'],
  [call(`write{text:${quote}a ${quote}open}`) + call("clock{}"), "clock{} | write: invalid-arguments"],
  [`<|tool_call>call:write{text:${quote}a${quote}`, 'write{"text":"a"}'],
  [`<|tool_call>call:write{text:${quote}a${quote}`, "write: truncated", false],
  [`<|tool_call>call:write{text:${quote}a`, "write: invalid-arguments"],
  ["<|tool_call>call:write", "write: invalid-arguments"],
  ["<|tool_call>call:wri", "null: truncated", false],
  [call("clock{}call:clock{}"), "clock{} | clock{}"],
  [call("write{text:'it's ok',n: 3}"), 'write{"text":"it\'s ok","n":3}'],
  [call("write{text:wait, then go,n:3}"), 'write{"text":"wait, then go","n":3}'],
  [`${call("hunt{list:[1,,2]}")}x${call("hunt{list:[1,2,],}")}`, 'x | hunt{"list":[1,2]} | hunt: invalid-arguments'],
  [call(`write{note:"raw",also:${quote}g${quote}}`), 'write{"note":"raw","also":"g"}'],
  // a backslash in quotes that are JSON's is JSON's
  [call(String.raw`write{text:"C:\Maps\new"}`), String.raw`write{"text":"C:\\Maps\\new"}`],
  [call(String.raw`write{text:"a\/b\"c\u00e9"}`), String.raw`write{"text":"a/b\"c\u00e9"}`],
  [call(String.raw`write{text:"C:\new\Maps"}`), "write: invalid-arguments"],
  [call(String.raw`write{text:"C:\users\bob"}`), "write: invalid-arguments"],
  [String.raw`<|tool_call>call:write{text:"caf\u00`, "write: truncated", false],
  // a comma is missing, or a quote: never one value of two
  [call(`hunt{pattern:${quote}a${quote}folder:${quote}b${quote}} `), 'hunt{"pattern":"a","folder":"b"}'],
  [call(`hunt{pattern:${quote}a${quote} "folder":"b"}`), 'hunt{"pattern":"a","folder":"b"}'],
  [call(`hunt{pattern:${quote}a${quote} other:${quote}b${quote}}`), "hunt: invalid-arguments"],
  [call(`other{pattern:${quote}a${quote} folder:${quote}b${quote}}`), "other: unknown-tool,invalid-arguments"],
  [call(`hunt{pattern:${quote}a,folder:${quote}b${quote}}`), "hunt: invalid-arguments"],
  [call(`hunt{pattern:"a, "folder":"b"}`), "hunt: invalid-arguments"],
  [call(`hunt{list:[${quote}a,${quote}b${quote}]}`), "hunt: invalid-arguments"],
  [call(`hunt{list:[${quote}a${quote}${quote}b${quote}]}`), "hunt: invalid-arguments"],
  [
    call(`hunt{pattern:${quote}the ${quote}folder: x${quote} one${quote}}`),
    'hunt{"pattern":"the \\"folder: x\\" one"}',
  ],
  [call(String.raw`hunt{pattern:':\s*'${quote}}`), String.raw`hunt{"pattern":":\\s*"}`],
  [call(`hunt{pattern:"a"${quote},folder:${quote}b${quote}}`), 'hunt{"pattern":"a","folder":"b"}'],
  // a quote in the string: its end is one only where the call ends
  [
    call(`write{text:${quote}{${quote}a${quote}: ${quote}b${quote}} c${quote}}`),
    'write{"text":"{\\"a\\": \\"b\\"} c"}',
  ],
  [`<|tool_call>call:write{text:${quote}{${quote}a${quote}: ${quote}b${quote}}`, "write: truncated", false],
  [`<|tool_call>call:write{text:${quote}{${quote}a${quote}: ${quote}b${quote}}<`, "write: truncated", false],
  [call(`write{text:${quote}a"}`), "write: invalid-arguments"],
  [call(`write{text:${quote}a},call:write{text:${quote}b${quote}}`), "write: invalid-arguments"],
  [`<|tool_call>call:write{text:${quote}a ${quote}b${quote}}`, 'write{"text":"a \\"b"}'],
  // a key does not reach into the next call
  [`${call("write(x)")}${call("clock{}")}a`, "a | clock{} | write: invalid-arguments"],
  [`${call("write{x")}${call("clock{}")}a`, "a | clock{} | write: invalid-arguments"],
  [call("write{:1}"), "write: invalid-arguments"],
  ["<|channel>thought\na<channel|>b<|channel>thought\nc<channel|>d", "bd"],
]);

const escaped = (text: string): string => `<escape>${text}<escape>`;
const plain = (body: string): string => `<start_function_call>call:${body}<end_function_call>`;

table("functiongemma", [
  [plain(`hunt{pattern:${escaped("a")}folder:${escaped("b")}}`), 'hunt{"pattern":"a","folder":"b"}'],
  [plain("hunt{pattern:<escape>a,folder:<escape>b<escape>}"), "hunt: invalid-arguments"],
  [plain("write(x)") + plain("clock{}"), "clock{} | write: invalid-arguments"],
]);

const list = (body: string): string => `<|tool_call_start|>${body}<|tool_call_end|>`;

table("lfm2", [
  [list("[write(text='say 'x') now', n=3)]"), 'write{"text":"say \'x\') now","n":3}'],
  [list("[hunt(list=(1, -2, .5, 1_000, True,), days=007)]"), 'hunt{"list":[1,-2,0.5,1000,true],"days":7}'],
  [
    list("[write(text='''a\n'b' c'''), write(text='\\x41\\d\\u00e9\\101')]"),
    'write{"text":"a\\n\'b\' c"} | write{"text":"A\\\\d\\u00e9A"}',
  ],
  [
    list(`[write(text='a\nb ${list("\n[clock()]")}\n${list("[clock()]")} c')]`),
    `write${JSON.stringify({ text: `a\nb ${list("\n[clock()]")}\n${list("[clock()]")} c` })}`,
  ],
  [`${list("[write(text='a)]")}\n${list("[write(text='b')]")}`, 'write{"text":"b"} | write: invalid-arguments'],
  [list("[write(n=float('inf')), clock()]"), "clock{} | write: invalid-arguments"],
  [list("[write('x'), clock(),]"), "clock{} | write: invalid-arguments"],
  [`${list("clock()")}after`, "after | clock{}"],
  ["<|tool_call_start|>[clock(), wri", "clock{} | null: truncated", false],
  ["<|tool_call_start|>[clock(), write(text='x'", 'clock{} | write{"text":"x"}'],
  ["<|tool_call_start|>[clock(), write(text='x'", "clock{} | write: truncated", false],
  // a quote in the string: its end is one only where the call ends
  [list(`[write(text='f(g='a'))"')]`), `write{"text":"f(g='a'))\\""}`],
  [list("[write(text='x[f('a')] b')]"), `write{"text":"x[f('a')] b"}`],
  [list("[write(text='f('a')\nf('b')')]"), `write{"text":"f('a')\\nf('b')"}`],
  [list("[write(text='f('a', end='')')]"), `write{"text":"f('a', end='')"}`],
  [list("[write(text='f('a', n=3)')]"), "write: invalid-arguments"],
  [list("[write(text='it's'), clock()]"), 'write{"text":"it\'s"} | clock{}'],
  ["<|tool_call_start|>[write(text='f('a')", "write: truncated", false],
  ["<|tool_call_start|>[write(text='f('a')]", "write: truncated", false],
  ["<|tool_call_start|>[write(text='f('a')", "write: invalid-arguments"],
  // nothing but a blank between two calls
  [list("[write(text='a') write(text='b')]"), 'write{"text":"a"} | write{"text":"b"}'],
  // something is missing at the end of the first: never one call of two
  [list("[write(text='a') and write(text='b')]"), "write: invalid-arguments"],
  [list(String.raw`[write(text='a')\nwrite(text='b')]`), "write: invalid-arguments"],
  [list("[write(text='a), write(text='b')]"), "write: invalid-arguments"],
  [list("[write(text='a', write(text='b')]"), "write: invalid-arguments"],
  [list(String.raw`[write(text='a\'), write(n=1, text='b')]`), "write: invalid-arguments"],
  // a set is a list, as a tuple is
  [list("[hunt(list={'a', 'b',})]"), 'hunt{"list":["a","b"]}'],
  [list("[hunt(list={1, None})]"), 'hunt{"list":[1,null]}'],
  [list("[write(o={}, s={'a'}, t={'b': {2}, 'c': {'d': {}}})]"), 'write{"o":{},"s":["a"],"t":{"b":[2],"c":{"d":{}}}}'],
  ["<|tool_call_start|>[hunt(list={'a', 'b'", "hunt: truncated", false],
  // two strings, one value
  [list("[write(text='a'\n'b')]"), "write: invalid-arguments"],
  [list("[hunt(list=['a' 'b'])]"), "hunt: invalid-arguments"],
  // a comma is missing, or a quote
  [list("[hunt(pattern='a' folder='b')]"), 'hunt{"pattern":"a","folder":"b"}'],
  [list("[hunt(pattern='a, folder='b')]"), "hunt: invalid-arguments"],
  [list("[hunt(list=['a, 'b'])]"), "hunt: invalid-arguments"],
  // an escape that there is not: backslashes are meant as they stand
  [list(String.raw`[write(text='C:\Users\bob')]`), String.raw`write{"text":"C:\\Users\\bob"}`],
  [list(String.raw`[write(text='C:\bob\users')]`), "write: invalid-arguments"],
  ["[clock()] [clock](http://x) [a(b)]", "[clock](http://x) [a(b)] | clock{}"],
]);

table("llama3-python-tag", [
  ["<|python_tag|>write.call(text='it's'); clock.call()", 'write{"text":"it\'s"} | clock{}'],
  ["<|python_tag|>write.call(text='a); write.call(text='b')", "write: invalid-arguments"],
]);

table("pythonic", [
  ["[write(text='it's')]\nThen", 'Then | write{"text":"it\'s"}'],
  ["[write(text='it's')]", "write: truncated", false],
  ['[write(text="a") write(text="b")]', 'write{"text":"a"} | write{"text":"b"}'],
  ["[1, 2] and [clock] and [other(a=1)]", "[1, 2] and [clock] and [other(a=1)]"],
  ["Now [clock(), other(a=1)] then", "Now  then | clock{} | other: unknown-tool"],
]);

table("olmo3", [
  [
    '<function_calls>\nwrite(text="a\\"b", n=3)\nclock()\n</function_calls>tail',
    'tail | write{"text":"a\\"b","n":3} | clock{}',
  ],
  ['<function_calls>write(text="a") write(text="b")</function_calls>', 'write{"text":"a"} | write{"text":"b"}'],
  ["<function_calls>write(text='f('a')", "write: truncated", false],
  ['<function_calls>{"name": "clock", "arguments": {}}</function_calls>', "clock{}"],
  ['<function_calls>write(text="x")\nclo', 'write{"text":"x"} | null: truncated', false],
]);
