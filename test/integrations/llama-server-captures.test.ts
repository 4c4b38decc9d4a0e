import { describe, expect, test } from "vitest";
import { type ParseResult, parse } from "../../src/index.ts";
import { readEvents, type ServerStream } from "../../src/integrations/llama-server/sse.ts";
import { LlamaServerError, readChatStream, readCompletionStream } from "../../src/integrations/llama-server.ts";
import { TokenText } from "../../src/integrations/token-text.ts";
import {
  type Capture,
  callsOf,
  captured,
  captures,
  objectsIn,
  plainText,
  readAll,
  responseOf,
  tools,
} from "./llama-server-captures.ts";

const tried = new Set<string>();

/** The captures whose names fit; each must be tried by exactly one test. */
function those(pattern: RegExp): Capture[] {
  const found = captures.filter(({ file }) => pattern.test(file) && !tried.has(file));
  for (const { file } of found) tried.add(file);
  return found;
}

const one = ["get_weather", { city: "Zürich 🏔️", days: 3 }] as const;
const paris = ["get_weather", { city: "Paris" }] as const;
const two = [
  paris,
  ["search", { query: 'a "b" \\ <c>\nd', opts: { deep: true, n: [1, 2.5, null] }, tags: ["x", "y"] }],
] as const;

/** The format that each template writes, and what its prompt ends with where that matters. */
const templates: Record<string, { format: string; prefill?: string; reasoning?: string }> = {
  "Apertus-8B-Instruct": { format: "apertus" },
  "ByteDance-Seed-OSS": { format: "seed-oss" },
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": { format: "command-r7b" },
  "GLM-4.6": { format: "glm45" },
  "Kimi-K3": { format: "kimi-k3", prefill: "<|open|>think<|sep|>" },
  "LFM2.5-8B-A1B": { format: "lfm2" },
  "MiniMax-M2": { format: "minimax-m2", prefill: "<think>\n", reasoning: "Let me think." },
  "Mistral-Small-3.2-24B-Instruct-2506": { format: "mistral" },
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use": { format: "hermes" },
  "Qwen-Qwen2.5-7B-Instruct": { format: "hermes" },
  "Qwen3-Coder": { format: "qwen3-coder" },
  "Qwen3.5-4B": { format: "qwen3.5", prefill: "<think>\n", reasoning: "Let me think." },
  "deepseek-ai-DeepSeek-V3.1": { format: "deepseek-v31", prefill: "<think>" },
  "deepseek-ai-DeepSeek-V3.2": { format: "deepseek-v32", prefill: "<think>", reasoning: "Let me think." },
  "fireworks-ai-llama-3-firefunction-v2": { format: "firefunction" },
  "google-gemma-4-31B-it-interleaved": { format: "gemma4" },
  "ibm-granite-granite-4.0": { format: "hermes" },
  "meetkai-functionary-medium-v3.2": { format: "functionary-v3", prefill: ">>>" },
  "meta-llama-Llama-3.1-8B-Instruct": { format: "llama3-json" },
  "mistralai-Mistral-Nemo-Instruct-2407": { format: "mistral" },
  "moonshotai-Kimi-K2": { format: "kimi-k2" },
  "openai-gpt-oss-120b": { format: "harmony", prefill: "<|start|>assistant" },
  "tencent-Hy3": { format: "hy3" },
  "unsloth-mistral-Devstral-Small-2507": { format: "mistral" },
};

/** What the script of a template capture says. */
function scriptOf(file: string): { template: (typeof templates)[string]; calls: unknown; content: string } {
  const name = Object.keys(templates).find((key) => file.includes(`${key}-`));
  if (name === undefined) throw new Error(`the template of ${file} is not known`);
  const calls = /-one\./.test(file) ? [one] : two;
  return { template: templates[name]!, calls, content: file.includes("+content") ? "Sure." : "" };
}

/**
 * Where a capture cannot equal its script: the end-of-generation token of the tiny model is not one of the template's
 * model, and `--special` writes it into the text.
 */
const foreignEnd: Record<string, string> = {
  "tpl-Mistral-Small-3.2-24B-Instruct-2506-two.raw.sse.txt": "<|im_end|>",
  "tpl-mistralai-Mistral-Nemo-Instruct-2407-two.raw.sse.txt": "<|im_end|>",
  "tpl-unsloth-mistral-Devstral-Small-2507-two.raw.sse.txt": "<|im_end|>",
  // the template's own text behind the turn, to the end of the script
  "vocab-llama-spm-mistralai-Mistral-Nemo-Instruct-2407-two.raw.sse.txt": '<|im_end|>[TOOL_RESULTS]{"content":',
};

/** Is the text the script's, up to the end-of-generation token at which it stopped? */
function sameText(text: string, script: string): boolean {
  const common = text.trimStart().replace(/<\|im_end\|>$|<\/s>$/, "");
  return script.trimStart().startsWith(common) || common === script;
}

describe("/completion", () => {
  test.each(those(/^(tpl|vocab).*\.raw\.sse/))("$file", async ({ file, rawText = "" }) => {
    const { result: plain } = await readAll(readCompletionStream(responseOf(file), plainText));
    expect(plain.content).toBe(
      objectsIn(file)
        .map(({ content }) => content)
        .join(""),
    );
    expect(sameText(plain.content, rawText), plain.content).toBe(true);

    const { template, calls, content } = scriptOf(file);
    const { format, prefill, reasoning = "" } = template;
    const { result } = await readAll(readCompletionStream(responseOf(file), { format, prefill, tools }));
    expect(result.rejected).toEqual([]);
    expect(callsOf(result)).toEqual(calls);
    expect(result.content.trim()).toBe(foreignEnd[file] ?? content);
    expect(result.reasoning.trim()).toBe(reasoning);
    expect(result.finish).toBe("tool-calls");
    // the calls in the text are those of the same text in one piece
    expect(result).toEqual(sameIds(parse(plain.content, { format, prefill, tools }), result));
  });

  /** What the random model was made to say, and where the server does not send it as it is. */
  const random: Record<string, { format?: string; text: string; calls?: unknown; finish: string; why?: string }> = {
    "completion-stream-hermes.sse.txt": {
      text: scripted("completion-stream-hermes.sse.txt"),
      calls: 1,
      finish: "tool-calls",
    },
    "completion-stream-hermes-seed9.sse.txt": {
      text: scripted("completion-stream-hermes-seed9.sse.txt"),
      calls: 1,
      finish: "tool-calls",
    },
    "completion-stream-mistral-preserved.sse.txt": {
      format: "mistral",
      text: '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}',
      calls: [paris],
      finish: "tool-calls",
    },
    "completion-stream-mistral-hidden.sse.txt": {
      format: "mistral",
      text: 'get_weather{"city": "Paris"}',
      calls: [],
      finish: "stop",
      why: "control tokens have no text unless the request lists them in preserved_tokens",
    },
    "completion-mistral-hidden.json.txt": {
      format: "mistral",
      text: 'get_weather{"city": "Paris"}',
      calls: [],
      finish: "stop",
      why: "as above, not streamed",
    },
    "completion-stream-jsonschema.sse.txt": {
      text: '{"city":"Paris", "unit":\n "celsius","days":2 }',
      finish: "stop",
    },
    "completion-stream-nprobs.sse.txt": { text: '{"a": "é"}', finish: "stop" },
    "completion-stream-stopword.sse.txt": {
      text: "before",
      finish: "stop",
      why: "a stop string is taken out of the text",
    },
    "completion-stream-timings.sse.txt": { text: "ok", finish: "stop" },
    "completion-stream-utf8-cut1.sse.txt": cut(""),
    "completion-stream-utf8-cut2.sse.txt": cut("ü"),
    "completion-stream-utf8-cut3.sse.txt": cut("ü"),
    "completion-stream-utf8-cut4.sse.txt": cut("ü"),
    "completion-stream-utf8-cut5.sse.txt": cut("ü"),
    "completion-stream-utf8-cut6.sse.txt": cut("ü🏔"),
    "completion-utf8-cut4.json.txt": {
      text: "ü\uFFFD",
      finish: "truncated",
      why: "not streamed, the half character becomes U+FFFD",
    },
    "v1-completions-stream.sse.txt": {
      text: scripted("v1-completions-stream.sse.txt"),
      calls: 1,
      finish: "tool-calls",
    },
    "v1-completions.json.txt": { text: scripted("v1-completions.json.txt"), calls: 1, finish: "tool-calls" },
  };

  function cut(text: string): { text: string; finish: string; why: string } {
    return { text, finish: "truncated", why: "a generation that ends inside a character loses it when it is streamed" };
  }

  function scripted(file: string): string {
    return captures.find((capture) => capture.file === file)!.rawText!;
  }

  test.each(those(/^(completion-(?!error).*(sse|json)|v1-completions.*)\.txt$/))("$file", async ({ file, rawText }) => {
    const { format = "hermes", text, calls = [], finish, why } = random[file]!;
    const { result: plain } = await readAll(readCompletionStream(responseOf(file), plainText));
    expect(plain.content).toBe(text);
    if (why === undefined && rawText !== undefined) expect(text).toBe(rawText);

    const { result } = await readAll(readCompletionStream(responseOf(file), { format }));
    expect(result.finish).toBe(finish);
    if (calls === 1) expect(callsOf(result)).toEqual([["get_weather", JSON.parse(/\{.*\}/.exec(text)![0]).arguments]]);
    else expect(callsOf(result)).toEqual(calls);
    expect(result.content).toBe(result.calls.length > 0 ? "" : text);
  });

  test.each(those(/rawhttp/))("$file: the body between the lines of the protocol", async ({ file }) => {
    const http = captured(file);
    let at = http.indexOf("\r\n\r\n") + 4;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const line = http.indexOf("\r\n", at);
        const length = Number.parseInt(http.toString("latin1", at, line), 16);
        if (length === 0) return;
        yield http.subarray(line + 2, line + 2 + length);
        at = line + 2 + length + 2;
      }
    }
    const same = await readAll(readCompletionStream(responseOf("completion-stream-hermes.sse.txt"), { generateId }));
    expect((await readAll(readCompletionStream(chunks(), { generateId }))).result).toEqual(same.result);
  });
});

describe("/v1/chat/completions", () => {
  test.each(those(/^(tpl|vocab).*\.chat\.sse/))("$file", async ({ file }) => {
    const { template, calls, content } = scriptOf(file);
    const { format, reasoning = "" } = template;
    const { result, events } = await readAll(readChatStream(responseOf(file), { format, tools }));
    expect(result.rejected).toEqual([]);
    expect(callsOf(result)).toEqual(calls);
    expect(result.content.trim()).toBe(content);
    expect(result.reasoning.trim()).toBe(reasoning);
    expect(result.finish).toBe("tool-calls");
    expectSent(file, result);
    // the arguments stream: more than one piece of each call
    for (const call of result.calls) {
      const pieces = events.filter((event) => event.type === "tool-input-delta" && event.index === call.index);
      expect(pieces.length).toBeGreaterThan(1);
    }
  });

  /** Ids and text of the calls as the server sent them. */
  function expectSent(file: string, result: ParseResult): void {
    const sent: { id: string; arguments: string }[] = [];
    for (const { choices } of objectsIn(file)) {
      for (const { index, id, function: called } of choices[0]?.delta.tool_calls ?? []) {
        sent[index] ??= { id, arguments: "" };
        sent[index]!.arguments += called.arguments ?? "";
      }
    }
    expect(result.calls.map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
    expect(result.calls.map((call) => call.arguments)).toEqual(sent.map((call) => JSON.parse(call.arguments)));
  }

  const zurich = ["get_weather", { city: "Zürich", days: 3 }];
  const found = ["search", { query: 'a "b" <c>\né', tags: ["x", "y"] }];
  /** Texts that the echo model was made to say, and where the server changes them. */
  const echoes: Record<
    string,
    { content?: string; reasoning?: string; calls?: unknown[]; rejected?: string[]; finish: string; why?: string }
  > = {
    "text-then-two": { content: "Sure é🏔️.\n", calls: [zurich, found], finish: "tool-calls" },
    "think-then-one": { reasoning: "Need weather.", calls: [paris], finish: "tool-calls" },
    "no-newline": { calls: [paris], finish: "tool-calls" },
    "tag-lookalike": {
      content: "I saw <tool_calls> and < tool_call> and <tool_cal but none is one.",
      finish: "stop",
    },
    "json-in-prose": {
      content: 'Use {"name": "get_weather", "arguments": {"city": "Paris"}} like this.',
      finish: "stop",
    },
    fenced: {
      calls: [paris],
      finish: "tool-calls",
      why: "the server gives it as content; a fenced object that is all of the message is a call",
    },
    "one-then-text": {
      calls: [paris],
      finish: "tool-calls",
      why: "the server's grammar ends the output behind the calls: the text is not in the stream",
    },
    "no-close": {
      calls: [paris],
      finish: "truncated",
      why: "the server's grammar demands a closer, and the model wrote on to the limit",
    },
    "open-quote-eof": {
      rejected: ["truncated"],
      finish: "truncated",
      why: "the server's grammar forbids to end here, and the model wrote on to the limit",
    },
    "args-first": {
      rejected: ["truncated"],
      finish: "truncated",
      why: "the server's grammar demands the name first, and the model wrote something else",
    },
    "unknown-tool": {
      rejected: ["truncated"],
      finish: "truncated",
      why: "the server's grammar knows the offered names only, and the model wrote something else",
    },
    "trailing-comma": {
      calls: [["get_weather", { city: "Paris", days: 8 }]],
      finish: "truncated",
      why: "the server's grammar forbids the comma, and the model wrote another member",
    },
  };

  test.each(those(/^echo-hermes-.*(sse|json)\.txt$/))("$file", async ({ file, rawText = "" }) => {
    const expected = echoes[/^echo-hermes-(.*)\.(?:sse|json)\.txt$/.exec(file)![1]!]!;
    const { content = "", reasoning = "", calls = [], rejected = [], finish, why } = expected;
    const { result } = await readAll(readChatStream(responseOf(file), { format: "hermes", tools }));
    expect(result.content.trim()).toBe(content.trim());
    expect(result.reasoning.trim()).toBe(reasoning);
    expect(callsOf(result)).toEqual(calls);
    expect(result.rejected.map(({ problems }) => problems[0]!.kind)).toEqual(rejected);
    expect(result.finish).toBe(finish);
    if (why !== undefined) return;
    const script = parse(rawText, { format: "hermes", tools });
    expect(callsOf(result)).toEqual(callsOf(script));
    expect(result.content.trim()).toBe(script.content.trim());
    expect(result.finish).toBe(script.finish);
  });

  const requiredCalls = {
    "chat-stream-required.sse.txt": { city: "北京", unit: "fahrenheit", days: 5 },
    "chat-stream-required-usage.sse.txt": { city: "北京", unit: "celsius", days: 3 },
    "chat-required.json.txt": { city: "北京", unit: "fahrenheit", days: 5 },
  };

  test.each(those(/^chat-(stream-)?required(-usage)?\./))("$file", async ({ file, body }) => {
    let tokens: number | null = null;
    const options = {
      tools: body.tools,
      onEnd: (info: { completionTokens: number | null }) => (tokens = info.completionTokens),
    };
    const { result } = await readAll(readChatStream(responseOf(file), options));
    expect(callsOf(result)).toEqual([["get_weather", requiredCalls[file as keyof typeof requiredCalls]]]);
    expect(result.finish).toBe("tool-calls");
    if (/usage|json/.test(file)) expect(tokens).toBeGreaterThan(10);
  });

  test.each(those(/^chat-(stream-)?required-cut\./))("$file", async ({ file, body }) => {
    const { result } = await readAll(readChatStream(responseOf(file), { tools: body.tools }));
    expect(result.calls).toEqual([]);
    expect(result.rejected).toMatchObject([
      { name: "get_weather", raw: '{"city":"', problems: [{ kind: "truncated", offset: 9 }], start: 0, end: 9 },
    ]);
    expect(result.finish).toBe("truncated");
  });

  const texts = {
    "chat-stream-notools.sse.txt": "Hi é🏔️!",
    "chat-stream-responseformat.sse.txt": '{"city": "Paris","unit" :"celsius", "days":8 }',
  };

  test.each(those(/^chat-stream-(notools|responseformat)/))("$file", async ({ file }) => {
    const { result } = await readAll(readChatStream(responseOf(file)));
    expect(result).toMatchObject({ content: texts[file as keyof typeof texts], calls: [], finish: "stop" });
  });
});

describe("errors", () => {
  test.each(those(/error/))("$file", async ({ file }) => {
    const { error } = JSON.parse(captured(file).toString());
    for (const read of [readChatStream, readCompletionStream]) {
      const failure = await readAll(read(responseOf(file))).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(LlamaServerError);
      expect(failure).toMatchObject({ kind: "refused", status: 400, type: error.type, message: error.message });
      expect((failure as LlamaServerError).result).toBeNull();
    }
  });
});

describe("streams of the other APIs: read as events, whose meaning is theirs", () => {
  async function eventsOf(source: ServerStream): Promise<any[]> {
    const all = [];
    for await (const event of readEvents(source, undefined)) all.push(event);
    return all;
  }

  test.each(those(/^v1-(messages|responses)-stream/))("$file", async ({ file }) => {
    const events = await eventsOf(responseOf(file));
    expect(events).toEqual(objectsIn(file));
    const joined = (pick: (event: any) => unknown): string =>
      events
        .map(pick)
        .filter((part) => typeof part === "string")
        .join("");
    const messages = file.includes("messages");
    expect(
      joined((event) => (messages ? event.delta?.text : /output_text.delta/.test(event.type) && event.delta)),
    ).toBe("Sure é🏔️.\n");
    const text = joined((event) =>
      messages ? event.delta?.partial_json : /arguments.delta/.test(event.type) && event.delta,
    );
    expect(JSON.parse(text)).toEqual({ city: "Zürich", days: 3 });
  });
});

describe("what is no stream", () => {
  test.each(those(/^(props|apply-template|v1-models|health|tokenize-pieces)\.json/))(
    "$file is one event",
    async ({ file }) => {
      const events = [];
      for await (const event of readEvents(responseOf(file), undefined)) events.push(event);
      expect(events).toEqual([JSON.parse(captured(file).toString())]);
      // and no completion
      await expect(readAll(readCompletionStream(responseOf(file)))).rejects.toMatchObject({ kind: "incomplete" });
    },
  );
});

describe("events of the bindings, as a server would send them", () => {
  /** The pieces of a binding's text as a stream of `/completion`. */
  function asServer(lines: any[], last: object): Response {
    const events = [...textsOf(lines), ""].map((content) => ({ content, stop: false }));
    Object.assign(events.at(-1)!, { ...last, stop: true });
    return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  }

  function textsOf(lines: any[]): string[] {
    if (typeof lines[0].token !== "number")
      return lines.map(({ token, textChunk, text }) => token ?? textChunk ?? text);
    // ids: the tiny vocabulary begins with the 256 bytes, and a byte alone is no character
    const special = new Map<number, string>(lines.map(({ token, textSpecial }) => [token, textSpecial]));
    const bytesOf = (id: number): Buffer => (id < 256 ? Buffer.of(id) : Buffer.from(special.get(id)!));
    const decoded = new TokenText((ids: number[]) => Buffer.concat(ids.map(bytesOf)).toString());
    return [...lines.map(({ token }) => decoded.push(token)), decoded.flush()];
  }

  function linesOf(file: string): any[] {
    return captured(file)
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  const nodeCalls: Record<string, unknown> = {
    "args-first": [paris],
    "trailing-comma": [paris],
    "hermes-two": [
      ["get_weather", { city: "Zürich", days: 3 }],
      ["search", { query: 'a "b" <c>', tags: ["x"] }],
    ],
  };

  test.each(those(/^llamanode-/))("$file", async ({ file }) => {
    const lines = linesOf(file);
    const { result: said, rawText } = lines.pop();
    const { stopped_eos, stopped_limited: stopped_limit, stopped_words: stopped_word } = said;
    const server = (): Response => asServer(lines, { stopped_eos, stopped_limit, stopped_word });
    const { result: plain } = await readAll(readCompletionStream(server(), plainText));
    expect(plain.content).toBe(said.text);
    // the end-of-turn token, and what the script has behind it, is not sent
    expect(rawText.startsWith(said.text)).toBe(true);

    const { template, content } = file.includes("-tpl-")
      ? scriptOf(file)
      : { template: { format: "hermes" }, content: "Sure é🏔️." };
    const { format, prefill } = template as (typeof templates)[string];
    const { result } = await readAll(readCompletionStream(server(), { format, prefill, tools }));
    const key = Object.keys(nodeCalls).find((name) => file.includes(name));
    expect(callsOf(result)).toEqual(key === undefined ? scriptOf(file).calls : nodeCalls[key]);
    expect(result.content.trim()).toBe(file.includes("anygrammar") ? "" : content);
    expect(result.finish).toBe("tool-calls");
    expect(result.rejected).toEqual([]);
  });

  const bindings: Record<string, { format: string; content?: string; calls: unknown; why?: string }> = {
    "nodellamacpp-chat-jsonschema.jsonl.txt": {
      format: "raw-json",
      calls: [["get_weather", { city: "Zürich", days: 38710 }]],
    },
    "nodellamacpp-completion-grammar-hermes.jsonl.txt": { format: "hermes", calls: [one] },
    "nodellamacpp-echo-hermes-chunks.jsonl.txt": {
      format: "hermes",
      content: "Sure é.",
      calls: [["get_weather", { city: "Zürich 🏔️" }]],
    },
    "nodellamacpp-echo-hermes-tokens.jsonl.txt": {
      format: "hermes",
      content: "Sure é.",
      calls: [["get_weather", { city: "Zürich 🏔️" }]],
    },
    "nodellamacpp-echo-mistral-tokens.jsonl.txt": {
      format: "mistral",
      calls: [["get_weather", { city: "Zürich 🏔️" }]],
    },
    "nodellamacpp-echo-mistral-chunks.jsonl.txt": {
      format: "mistral",
      content: 'get_weather{"city": "Zürich 🏔️"}',
      calls: [],
      why: "the text API leaves control tokens out",
    },
  };

  test.each(those(/^nodellamacpp-/))("$file", async ({ file }) => {
    const { format, content = "", calls, why } = bindings[file]!;
    const lines = linesOf(file);
    const last = lines.pop();
    const { result: plain } = await readAll(readCompletionStream(asServer(lines, { stop_type: "eos" }), plainText));
    if (why === undefined) expect(plain.content).toBe(last.rawText ?? last.result?.response ?? last.response);
    const { result } = await readAll(readCompletionStream(asServer(lines, { stop_type: "eos" }), { format, tools }));
    expect(callsOf(result)).toEqual(calls);
    expect(result.content.trim()).toBe(content);
  });
});

test("each of the 142 captures was tried", () => {
  expect(captures.length).toBe(142);
  expect(captures.filter(({ file }) => !tried.has(file))).toEqual([]);
});

function generateId(index: number): string {
  return `id${index}`;
}

/** Generated ids differ from reading to reading. */
function sameIds(result: ParseResult, other: ParseResult): ParseResult {
  return { ...result, calls: result.calls.map((call, index) => ({ ...call, id: other.calls[index]!.id })) };
}
