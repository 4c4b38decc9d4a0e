import { describe, expect, test, vi } from "vitest";
import * as core from "../src/core.ts";
import {
  bracketed,
  createParser,
  defineFormat,
  formatNames,
  getFormat,
  jsonInTags,
  type ParserEvent,
  type ParserOptions,
  parse,
  RenderError,
} from "../src/index.ts";
import { unchecked } from "./support/arbitraries.ts";
import { chunksOf, run } from "./support/chunks.ts";
import { generateId } from "./support/corpus.ts";
import { eventFault, mergeEvents } from "./support/merge.ts";

const tools = [{ name: "tide", parameters: { type: "object", properties: { port: { type: "string" } } } }];
const call = '<tool_call>\n{"name": "tide", "arguments": {"port": "Oban"}}\n</tool_call>';
const hermes = { format: "hermes", tools, generateId } as const;

describe("feed, end and reset", () => {
  test("feed throws after end", () => {
    const parser = createParser(hermes);
    parser.feed("a");
    parser.end();
    expect(() => parser.feed("b")).toThrow(/reset/);
    expect(() => parser.feed("")).toThrow(/reset/);
  });

  test("a second end returns the same result and no events", () => {
    const events: ParserEvent[] = [];
    const parser = createParser({ ...hermes, onEvent: (event) => events.push(event) });
    parser.feed(call);
    const result = parser.end();
    const count = events.length;
    expect(parser.end({ finished: false })).toBe(result);
    expect(events).toHaveLength(count);
    expect(result.finish).toBe("tool-calls");
  });

  test("without any text the result is empty", () => {
    expect(createParser().end()).toEqual({
      content: "",
      reasoning: "",
      calls: [],
      rejected: [],
      finish: "stop",
      format: "auto",
    });
    expect(parse("", { ...hermes, finished: false }).finish).toBe("truncated");
  });

  test("after reset another reply is read with the same options", () => {
    const events: ParserEvent[] = [];
    const parser = createParser({ ...hermes, prefill: "<think>\n", onEvent: (event) => events.push(event) });
    for (const text of [`a</think>${call}`, `b</think>${call}c`]) {
      events.length = 0;
      parser.feed(text.slice(0, 20));
      parser.reset();
      events.length = 0;
      parser.feed(text);
      expect(parser.end()).toEqual(parse(text, { ...hermes, prefill: "<think>\n" }));
      expect(eventFault(events)).toBeNull();
      parser.reset();
    }
  });

  test("a result that was handed out does not change after reset", () => {
    const parser = createParser(hermes);
    parser.feed(call);
    const result = parser.end();
    const copy = structuredClone(result);
    parser.reset();
    parser.feed("something else");
    parser.end();
    expect(result).toEqual(copy);
  });

  test("parse is feed and end", () => {
    for (const format of formatNames()) {
      const text = unchecked(format, {
        reasoning: "a",
        content: "b",
        calls: [{ name: "tide", arguments: { port: "c" } }],
      });
      expect(parse(text, { format, tools, generateId })).toEqual(
        run([text], { format, tools, generateId, finished: true }).result,
      );
    }
  });

  test("an empty chunk is no text", () => {
    const { events } = run(["", "a", "", "", "b", ""], { ...hermes, finished: true });
    expect(mergeEvents(events)[0]).toEqual({ type: "text-delta", text: "ab" });
  });
});

describe("onEvent", () => {
  for (const method of ["feed", "end", "reset"] as const) {
    test(`${method} inside onEvent throws, and the parser stays usable`, () => {
      const seen: ParserEvent[] = [];
      const errors: unknown[] = [];
      const parser = createParser({
        ...hermes,
        onEvent: (event) => {
          seen.push(event);
          try {
            if (method === "feed") parser.feed("x");
            else parser[method]();
          } catch (error) {
            errors.push(error);
          }
        },
      });
      parser.feed(`hello ${call}`);
      const result = parser.end();
      expect(errors).toHaveLength(seen.length);
      for (const error of errors) expect(String(error)).toContain(`${method}() must not be called inside onEvent`);
      expect(result).toEqual(parse(`hello ${call}`, hermes));
      expect(eventFault(seen)).toBeNull();
    });
  }

  test("its exception reaches the caller, the parser stays usable, and no event is lost", () => {
    const text = `<think>a</think>hello ${call} and ${call} more`;
    const quiet = run(chunksOf(text, 5), { ...hermes, finished: true });
    for (let failing = 0; failing < quiet.events.length; failing++) {
      const seen: ParserEvent[] = [];
      let count = 0;
      const parser = createParser({
        ...hermes,
        onEvent: (event) => {
          seen.push(event);
          if (count++ === failing) throw new Error("no more room");
        },
      });
      let thrown = 0;
      const attempt = (action: () => void): void => {
        try {
          action();
        } catch (error) {
          expect(String(error)).toContain("no more room");
          thrown++;
        }
      };
      for (const chunk of chunksOf(text, 5)) attempt(() => parser.feed(chunk));
      attempt(() => parser.end());
      expect(parser.end()).toEqual(quiet.result);
      expect(thrown).toBe(1);
      expect(mergeEvents(seen), `exception at event ${failing}`).toEqual(mergeEvents(quiet.events));
    }
  });

  test("events come in the feed that makes them certain", () => {
    const seen: string[] = [];
    const parser = createParser({ ...hermes, onEvent: ({ type }) => seen.push(type) });
    const taken = (chunk: string): string[] => {
      seen.length = 0;
      parser.feed(chunk);
      return [...seen];
    };
    expect(taken("Hi ")).toEqual(["text-delta"]);
    expect(taken("<tool_call>\n")).toEqual([]);
    expect(taken('{"name": "tide", ')).toEqual([]);
    expect(taken('"arguments"')).toEqual(["tool-input-start"]);
    expect(taken(": {")).toEqual(["tool-input-delta"]);
    expect(taken('"port": "O')).toEqual(["tool-input-delta"]);
    expect(taken("ban")).toEqual(["tool-input-delta"]);
    expect(taken('"}')).toEqual(["tool-input-delta"]);
    expect(taken("}")).toEqual(["tool-call"]);
    expect(taken("\n</tool_call>")).toEqual([]);
    expect(taken("\n")).toEqual([]);
    expect(taken("x")).toEqual(["text-delta"]);
  });
});

describe("options", () => {
  test("every option accepts undefined", () => {
    const nothing: Required<{ [Key in keyof ParserOptions]: undefined }> & { finished: undefined; onEvent: undefined } =
      {
        format: undefined,
        tools: undefined,
        validation: undefined,
        prefill: undefined,
        repair: undefined,
        generateId: undefined,
        stopOnProblem: undefined,
        limits: undefined,
        finished: undefined,
        onEvent: undefined,
      };
    const { calls, finish, format } = parse(call, nothing);
    expect(calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual([
      { name: "tide", args: { port: "Oban" } },
    ]);
    expect(finish).toBe("tool-calls");
    expect(format).toBe("hermes");
    const parser = createParser({
      ...nothing,
      limits: { depth: undefined, argumentsLength: undefined, calls: undefined },
    });
    parser.feed(call);
    expect(parser.end({ finished: undefined }).calls).toHaveLength(1);
    expect(parse(call).calls).toHaveLength(1);
  });

  test("generateId is called once for each call without an id, with its index and name", () => {
    const make = vi.fn((index: number, name: string) => `${name}-${index}`);
    const text = `[TOOL_CALLS]a[ARGS]{}[TOOL_CALLS]b[CALL_ID]own[ARGS]{}[TOOL_CALLS]c[ARGS]{}[TOOL_CALLS]d[ARGS]{"x`;
    for (const chunks of [[text], chunksOf(text, 1)]) {
      make.mockClear();
      const { result } = run(chunks, { format: "mistral", generateId: make, finished: true });
      expect(make.mock.calls).toEqual([
        [0, "a"],
        [2, "c"],
        [3, "d"],
      ]);
      expect(result.calls.map(({ id }) => id)).toEqual(["a-0", "own", "c-2"]);
    }
  });

  test("generateId is not called for a draft in a thought", () => {
    const make = vi.fn(() => "made");
    parse(`<think>${call}</think>${call}`, { ...hermes, generateId: make });
    expect(make.mock.calls).toEqual([[0, "tide"]]);
  });

  test("ids are nine letters and digits, and differ", () => {
    const { calls } = parse(call.repeat(50), { format: "hermes" });
    for (const { id } of calls) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(50);
  });

  test("tools: [] offers nothing: a marked call is rejected, a bare object is text", () => {
    for (const chunks of [[call], chunksOf(call, 1)]) {
      const { result } = run(chunks, { ...hermes, tools: [], finished: true });
      expect(result.calls).toEqual([]);
      expect(result.rejected.map(({ problems }) => problems.map(({ kind }) => kind))).toEqual([["unknown-tool"]]);
      expect(result.rejected[0]).toMatchObject({ name: "tide", arguments: { port: "Oban" } });
      expect(result.content.trim()).toBe("");
    }
    const bare = '{"name": "tide", "arguments": {"port": "Oban"}}';
    for (const format of ["raw-json", "hermes", "auto"]) {
      expect(parse(bare, { format, tools: [] })).toMatchObject({ content: bare, calls: [], rejected: [] });
    }
  });

  test("without tools every call is taken as it is read", () => {
    const { calls } = parse('<tool_call>{"name": "anything", "arguments": {"a": "1"}}</tool_call>', {
      format: "hermes",
    });
    expect(calls).toMatchObject([{ name: "anything", arguments: { a: "1" } }]);
  });

  test("validation none checks names and no arguments", () => {
    const text =
      '<tool_call>{"name": "tide", "arguments": {"port": 5}}</tool_call><tool_call>{"name": "no"}</tool_call>';
    const { calls, rejected } = parse(text, { ...hermes, validation: "none" });
    expect(calls).toMatchObject([{ name: "tide", arguments: { port: 5 } }]);
    expect(rejected).toMatchObject([{ name: "no", problems: [{ kind: "unknown-tool" }] }]);
  });

  test("repair: false is the format's own grammar and nothing else", () => {
    const text = "<tool_call>{'name': 'tide', 'arguments': {'port': 'Oban'}}</tool_call>";
    expect(parse(text, hermes).calls).toHaveLength(1);
    expect(parse(text, { ...hermes, repair: false }).calls).toEqual([]);
  });
});

describe("limits", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
  const marked = (json: string): string => `<tool_call>{"name": "f", "arguments": ${json}}</tool_call>`;
  const sibling = marked('{"b": 1}');

  for (const { title, limits, good, bad } of [
    { title: "depth", limits: { depth: 4 }, good: nested(4), bad: nested(5) },
    { title: "depth, by default 256", limits: undefined, good: nested(256), bad: nested(257) },
    {
      title: "argumentsLength",
      limits: { argumentsLength: 20 },
      good: `{"a":"${"x".repeat(12)}"}`,
      bad: `{"a":"${"x".repeat(13)}"}`,
    },
  ]) {
    test(`${title}: passing it rejects that call as limit-exceeded`, () => {
      const text = `${marked(good)}${marked(bad)}${sibling} end`;
      for (const chunks of [[text], chunksOf(text, 1), chunksOf(text, 7)]) {
        const { result, events } = run(chunks, { format: "hermes", generateId, limits, finished: true });
        expect(eventFault(events)).toBeNull();
        expect(result.calls.map(({ argumentsText }) => argumentsText)).toEqual([good, '{"b":1}']);
        expect(result.rejected.map(({ index, problems }) => [index, problems.map(({ kind }) => kind)])).toEqual([
          [1, ["limit-exceeded"]],
        ]);
        expect(result.content).toBe(" end");
      }
    });
  }

  test("argumentsLength: what went out of a call is not longer", () => {
    const text = marked(`{"a":"${"x".repeat(100)}"}`);
    for (const chunks of [[text], chunksOf(text, 1)]) {
      const { result } = run(chunks, { format: "hermes", generateId, limits: { argumentsLength: 20 }, finished: true });
      expect(result.rejected[0]?.argumentsText.length).toBeLessThanOrEqual(20);
    }
  });

  test("calls: the ones behind the last are rejected", () => {
    const text = sibling.repeat(4);
    for (const chunks of [[text], chunksOf(text, 1)]) {
      const { result } = run(chunks, { format: "hermes", generateId, limits: { calls: 2 }, finished: true });
      expect(result.calls.map(({ index }) => index)).toEqual([0, 1]);
      expect(result.rejected.map(({ index, problems }) => [index, problems[0]?.kind])).toEqual([
        [2, "limit-exceeded"],
        [3, "limit-exceeded"],
      ]);
    }
  });
});

describe("prefill", () => {
  const read = (
    text: string,
    prefill: string,
    format = "hermes",
  ): { content: string; reasoning: string; names: string[] } => {
    const whole = parse(text, { ...hermes, format, prefill });
    for (const chunks of [chunksOf(text, 1), chunksOf(text, 3)]) {
      const { result, events } = run(chunks, { ...hermes, format, prefill, finished: true });
      expect(result).toEqual(whole);
      expect(eventFault(events)).toBeNull();
    }
    return { content: whole.content, reasoning: whole.reasoning, names: whole.calls.map(({ name }) => name) };
  };

  test("an open thought: the output starts in reasoning", () => {
    expect(read("They ask.</think>Hello", "<think>\n")).toEqual({
      reasoning: "They ask.",
      content: "Hello",
      names: [],
    });
    expect(read("They ask.", "<think>")).toEqual({ reasoning: "They ask.", content: "", names: [] });
    expect(read(`They ask.</think>${call}`, "<think>\n")).toEqual({
      reasoning: "They ask.",
      content: "",
      names: ["tide"],
    });
  });

  test("a closed pair: the output starts in content", () => {
    expect(read("Hello", "<think>\n\n</think>\n\n")).toEqual({ reasoning: "", content: "Hello", names: [] });
    expect(read("Hello", "</think>")).toEqual({ reasoning: "", content: "Hello", names: [] });
  });

  test("one repeated opener is dropped", () => {
    expect(read("<think>They ask.</think>Hello", "<think>\n")).toMatchObject({
      reasoning: "They ask.",
      content: "Hello",
    });
  });

  test("a whole prompt: earlier turns mean nothing", () => {
    const history = `<|im_start|>user\nHi <think> there<|im_end|>\n<|im_start|>assistant\n${call}<|im_end|>\n`;
    expect(read("Hello", `${history}<|im_start|>assistant\n`)).toEqual({ reasoning: "", content: "Hello", names: [] });
    expect(read("They ask.</think>x", `${history}<|im_start|>assistant\n<think>\n`)).toMatchObject({
      reasoning: "They ask.",
    });
    expect(read(call, `${history}<|im_start|>assistant\n`)).toMatchObject({ names: ["tide"] });
    const truncated = 'arguments": {}}\n</tool_call><|im_end|>\n<|im_start|>assistant\n';
    expect(read(call, truncated)).toMatchObject({ names: ["tide"], content: "" });
  });

  test("half a marker joins the output", () => {
    expect(read("nk>They ask.</think>Hello", "<thi")).toEqual({ reasoning: "They ask.", content: "Hello", names: [] });
    expect(read("hink>Hello", "<think>They ask.</t")).toEqual({ reasoning: "", content: "Hello", names: [] });
    expect(read(call.slice(6), call.slice(0, 6))).toEqual({ reasoning: "", content: "", names: ["tide"] });
    expect(read(" and more", "5 <")).toEqual({ reasoning: "", content: " and more", names: [] });
  });

  test("an opened call: the output goes on in it", () => {
    for (let length = 1; length < call.length; length++) {
      const { names, content } = read(call.slice(length), call.slice(0, length));
      // where the prompt holds the whole object, the call is not the output's
      const theirs = call.slice(0, length).includes("}}");
      expect([names, content.trim()], call.slice(0, length)).toEqual([theirs ? [] : ["tide"], ""]);
    }
  });

  test("an opened call of each format", () => {
    for (const format of formatNames()) {
      const text = unchecked(format, { calls: [{ name: "tide", arguments: { port: "Oban" } }] });
      const openers = Object.keys(getFormat(format).declaration.opens).filter((opener) => text.startsWith(opener));
      const opener = openers.sort((one, other) => other.length - one.length)[0];
      // some write their calls without a marker, some in messages of their own
      if (opener === undefined || getFormat(format).declaration.messages !== undefined) continue;
      expect(read(text.slice(opener.length), opener, format)).toEqual({ reasoning: "", content: "", names: ["tide"] });
    }
  });

  test("offsets count from the start of the output", () => {
    const rest = `${call.slice(11)} x ${call}`;
    const { calls } = parse(rest, { ...hermes, prefill: "<tool_call>" });
    expect(calls.map(({ start, end }) => rest.slice(start, end))).toEqual([
      call.slice(11).replace("\n</tool_call>", ""),
      call.replace("\n</tool_call>", ""),
    ]);
  });
});

describe("snapshot", () => {
  test("says at each character what the events said, and costs none of them", () => {
    const text = `<think>a</think>b ${call} c`;
    const events: ParserEvent[] = [];
    const parser = createParser({ ...hermes, onEvent: (event) => events.push(event) });
    for (const unit of text) {
      parser.feed(unit);
      const { content, reasoning, calls, open } = parser.snapshot();
      const said = (type: string): string =>
        events.map((event) => ("text" in event && event.type === type ? event.text : "")).join("");
      expect(content).toBe(said("text-delta"));
      expect(reasoning).toBe(said("reasoning-delta"));
      expect(calls.length).toBe(events.filter(({ type }) => type === "tool-call").length);
      const deltas = events.map((event) => (event.type === "tool-input-delta" ? event.delta : "")).join("");
      if (open !== null)
        expect(open).toMatchObject({ index: 0, id: "generated0", name: "tide", argumentsText: deltas });
    }
    const result = parser.end();
    expect(result).toEqual(parse(text, hermes));
    expect(mergeEvents(events)).toEqual(mergeEvents(run([text], { ...hermes, finished: true }).events));
    const { finish: _, ...known } = result;
    expect(parser.snapshot()).toEqual({ ...known, open: null });
  });

  test("shows the arguments of the open call as far as they are known", () => {
    const parser = createParser(hermes);
    parser.feed('<tool_call>{"name": "tide", "arguments": {"port": "Ob');
    expect(parser.snapshot().open).toMatchObject({ name: "tide", arguments: { port: "Ob" } });
  });
});

describe("formats", () => {
  test("an unknown name throws, and says which are known", () => {
    expect(() => getFormat("herms")).toThrow(/"herms".*hermes/);
    expect(() => createParser({ format: "herms" })).toThrow(RangeError);
    expect(() => parse("", { format: "__proto__" })).toThrow(RangeError);
    expect(() => getFormat("constructor")).toThrow(RangeError);
  });

  test("every alias is a format with its own name and the same grammar", () => {
    for (const name of formatNames()) {
      for (const [alias, variant] of getFormat(name).variants) {
        expect(getFormat(alias)).toBe(variant);
        expect(variant.name).toBe(alias);
        expect(formatNames()).not.toContain(alias);
        const text = variant.render({ content: "a", calls: [{ name: "tide", arguments: { port: "b" } }] }, { tools });
        expect(parse(text, { format: alias, tools, generateId })).toEqual({
          ...parse(text, { format: name, tools, generateId }),
          format: alias,
        });
      }
    }
  });

  test("a call in a thought counts at once for trinity", () => {
    const text = `<think>a ${call} b</think>c`;
    expect(parse(text, hermes)).toMatchObject({ calls: [], content: "c" });
    const trinity = parse(text, { ...hermes, format: "trinity" });
    expect(trinity.calls.map(({ name }) => name)).toEqual(["tide"]);
    expect(trinity.content).toBe("c");
  });

  test("a format is also given as a value", () => {
    expect(parse(call, { ...hermes, format: getFormat("hermes") })).toEqual(parse(call, hermes));
    const mine = defineFormat({
      name: "mine",
      models: ["Mine"],
      source: "a test",
      tokens: ["<call>", "</call>"],
      stops: ["<eot>"],
      opens: { "<call>": jsonInTags() },
      closers: ["</call>"],
      render: ({ calls = [] }) => calls.map((given) => `<call>${JSON.stringify(given)}</call>`).join(""),
    });
    const result = parse(`a<call>{"name": "tide", "arguments": {"port": "Oban"}}</call>b<eot>c`, {
      format: mine,
      tools,
    });
    expect(result).toMatchObject({ content: "ab", format: "mine", calls: [{ name: "tide" }] });
    expect(mine.render({ calls: [{ name: "tide", arguments: { port: "x" } }] })).toContain("<call>");
  });

  test("the bracketed shape is a format made of markers", () => {
    const format = bracketed({ open: "<<", close: ">>", separator: "::" });
    expect(parse('x<<ring::{"times": 4}>>y', { format })).toMatchObject({
      content: "xy",
      calls: [{ name: "ring", arguments: { times: 4 } }],
    });
  });

  test("render refuses what reads back as something else", () => {
    for (const name of formatNames()) {
      const { render } = getFormat(name);
      const text = getFormat(name).render({ calls: [{ name: "tide", arguments: { port: "x" } }] }, { tools });
      expect(() => render({ content: text }, { tools })).toThrow(RenderError);
    }
  });

  test("every format declares its tokens and stops", () => {
    for (const name of formatNames()) {
      const { tokens, stops, models, source } = getFormat(name);
      for (const token of [...tokens, ...stops]) expect(token).not.toBe("");
      expect(models.length).toBeGreaterThan(0);
      expect(source).not.toBe("");
    }
  });
});

describe("tool-call-parser/core", () => {
  test("takes formats as values, and knows no names", () => {
    const format = getFormat("hermes");
    expect(core.parse(call, { ...hermes, format })).toEqual(parse(call, hermes));
    expect(() => core.parse(call, { format: "hermes" })).toThrow(TypeError);
    expect(() => core.createParser({})).toThrow(/format/);
    expect(() => core.createParser({ format: "auto" })).toThrow(TypeError);
  });

  test("does not load the registry", async () => {
    const { readFileSync } = await import("node:fs");
    const seen = new Set<string>();
    const visit = (url: URL): void => {
      if (seen.has(url.href)) return;
      seen.add(url.href);
      const code = readFileSync(url, "utf8");
      for (const [statement, path] of code.matchAll(/^(?:import|export)[^;]*?from "(\.[^"]+)";/gms)) {
        if (!/^(?:import|export) type/.test(statement)) visit(new URL(path as string, url));
      }
    };
    visit(new URL("../src/core.ts", import.meta.url));
    expect(seen.size).toBeGreaterThan(10);
    expect([...seen].filter((href) => /\/formats\/|\/registry\.ts|\/src\/index\.ts/.test(href))).toEqual([]);
  });
});
