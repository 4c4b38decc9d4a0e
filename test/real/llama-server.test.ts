import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getFormat, type ParserEvent, type ToolDeclaration } from "../../src/index.ts";
import {
  type ChatRequest,
  createLlamaServer,
  type Message,
  messagesOf,
  readChatStream,
} from "../../src/integrations/llama-server.ts";
import { readDifferences } from "./differences.ts";
import { RealServer, serverBinary } from "./llama-server.ts";
import { begun, type ReplyStart } from "./reply-start.ts";
import { type Play, type Script, type Template, templates } from "./scripts.ts";

const expected = readDifferences();
const where = serverBinary === undefined ? " (skipped: LLAMA_SERVER names no llama-server)" : "";

describe.skipIf(serverBinary === undefined)(`createLlamaServer and a real llama-server${where}`, () => {
  for (const template of templates()) {
    describe(`${template.name} as ${template.format}`, () => {
      let server: RealServer;

      beforeAll(async () => {
        server = await RealServer.start(template);
      });

      afterAll(() => server?.stop());

      test("the format is that of the template", async () => {
        const client = createLlamaServer({ baseUrl: server.url });
        expect(await client.detectFormat()).toBe(template.format);
      });

      for (const { title, tools, scripts } of template.plays) {
        test.each(scripts)(`${title}: $id`, async (script) => {
          if (expected[template.name]?.[script.id] === "no parser") {
            const refused = chat(server, { messages: [{ role: "user", content: "Well?" }], tools });
            await expect(refused).rejects.toMatchObject({ kind: "refused" });
            return;
          }
          const { text } = begun(script, await startOf(server, template, tools));
          const messages = [await server.script(text, { tools })];
          const { events, calls } = await chat(server, { messages, tools });
          expect(calls).toEqual(script.calls);
          expect(argumentsIn(events)).toEqual(script.calls.map((call) => call.arguments));
        });
      }

      const [play] = template.plays;
      const script = play?.scripts.find(
        ({ id, calls }) => calls.length > 0 && expected[template.name]?.[id] !== "no parser",
      );

      describe.skipIf(script === undefined)("behind calls and their results", () => {
        const { tools } = play as Play;
        let text: string;
        let history: Message[];

        beforeAll(async () => {
          text = begun(script as Script, await startOf(server, template, tools)).text;
          const { result } = await chat(server, { messages: [await server.script(text, { tools })], tools });
          const results = result.calls.map(({ id, name }) => ({ role: "tool", tool_call_id: id, name, content: "12" }));
          history = [...messagesOf(result), ...results];
        });

        test("the model goes on", async () => {
          const messages = [await server.script(text, { behind: history, tools }), ...history];
          expect((await chat(server, { messages, tools })).calls).toEqual(script?.calls);
        });

        test("the user goes on", async () => {
          const before: Message[] = [
            { role: "user", content: "Well?" },
            ...history,
            { role: "assistant", content: "Cold." },
          ];
          const messages = [...before, await server.script(text, { before, tools })];
          expect((await chat(server, { messages, tools })).calls).toEqual(script?.calls);
        });
      });
    });
  }

  describe("with our own template", () => {
    const [own] = templates() as [Template];
    const { tools } = own.plays[0] as Play;
    const call = '<tool_call>\n{"name": "tide_level", "arguments": {"port": "Oban"}}\n</tool_call>';
    const oban = [{ name: "tide_level", arguments: { port: "Oban" } }];
    let server: RealServer;

    beforeAll(async () => {
      server = await RealServer.start(own);
    });

    afterAll(() => server?.stop());

    test("a reply that the token limit cuts off dispatches nothing", async () => {
      const messages = [await server.script(call, { tools })];
      const { result } = await chat(server, { messages, tools, n_predict: 8 });
      expect(result).toMatchObject({ finish: "truncated", calls: [], completion: { stopType: "limit" } });
      expect(result.rejected.map(({ problems }) => problems[0]?.kind)).toEqual(["truncated"]);
    });

    test("a reply goes on with the message of the model that the conversation ends in", async () => {
      const behind: Message[] = [{ role: "assistant", content: "I will look.\n<tool_call>\n" }];
      const messages = [await server.script(call.replace("<tool_call>\n", ""), { behind, tools }), ...behind];
      const { calls, result } = await chat(server, { messages, tools });
      expect(calls).toEqual(oban);
      expect(result.content).toBe("");
    });

    test("a prompt that is too long is refused with the server's reason", async () => {
      const refused = chat(server, { messages: [{ role: "user", content: "x y ".repeat(10_000) }], tools });
      await expect(refused).rejects.toMatchObject({
        kind: "refused",
        status: 400,
        message: expect.stringMatching(/context size/),
      });
    });

    test("the calls that the server has read itself are read from its chat stream", async () => {
      const text = `I will look.\n${call}\n${call.replace("Oban", "Bergen")}`;
      const messages = [await server.script(text, { tools })];
      const body = { messages, tools, temperature: 0, stream: true, parallel_tool_calls: true };
      const answer = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
      const events: ParserEvent[] = [];
      for await (const event of readChatStream(answer, { tools: [...tools] })) events.push(event);
      const last = events.at(-1);
      expect(last).toMatchObject({ type: "finish", finish: "tool-calls", result: { content: "I will look.\n" } });
      expect(argumentsIn(events)).toEqual([{ port: "Oban" }, { port: "Bergen" }]);
    });

    test.each([1, 2, 3, 4, 5, 6])(
      "of a character that the limit of %d tokens cuts nothing comes",
      async (n_predict) => {
        const messages = [await server.script("A \u{1f3d4}\ufe0f.", { tools })];
        const { result } = await chat(server, { messages, tools, n_predict });
        expect("A \u{1f3d4}\ufe0f.".startsWith(result.content)).toBe(true);
        expect(result.content).not.toMatch(/\ufffd|[\ud800-\udbff]$/);
        expect(result.finish).toBe("truncated");
      },
    );

    test("calls come while the reply is generated, and aborting ends it", async () => {
      const messages = [await server.script(`${call}\n${"and so on ".repeat(100)}`, { tools })];
      const controller = new AbortController();
      const reply = createLlamaServer({ baseUrl: server.url }).chat({ messages, tools, signal: controller.signal });
      const seen: string[] = [];
      const reading = (async () => {
        for await (const event of reply) {
          seen.push(event.type);
          if (event.type === "tool-call") controller.abort();
        }
      })();
      await expect(reading).rejects.toMatchObject({ kind: "aborted" });
      expect(seen).toContain("tool-call");
      expect((await chat(server, { messages: [await server.script(call, { tools })], tools })).calls).toEqual(oban);
    });
  });
});

/** How the server's template begins a reply. */
async function startOf(
  server: RealServer,
  { format }: Template,
  tools: readonly ToolDeclaration[],
): Promise<ReplyStart> {
  const request = { messages: [{ role: "user", content: "How is the weather?" }], tools };
  const prompt = await server.prompt(request);
  const shorter = await server.prompt({ ...request, add_generation_prompt: false });
  const header = prompt.startsWith(shorter) ? prompt.slice(shorter.length) : "";
  const tags = format === "auto" ? [] : getFormat(format).reasoning;
  return { header, ...(tags.find(({ open }) => header.trimEnd().endsWith(open)) ?? { open: "", close: "" }) };
}

async function chat(server: RealServer, request: ChatRequest) {
  const reply = createLlamaServer({ baseUrl: server.url }).chat({ temperature: 0, ...request });
  const events: ParserEvent[] = [];
  for await (const event of reply) events.push(event);
  const result = await reply.result();
  return { events, result, calls: result.calls.map((call) => ({ name: call.name, arguments: call.arguments })) };
}

/** What the deltas of the valid calls add up to. */
function argumentsIn(events: readonly ParserEvent[]): unknown[] {
  const valid = events.filter((event) => event.type === "tool-call").map(({ call }) => call.index);
  return valid.map((index) => {
    const deltas = events.filter((event) => event.type === "tool-input-delta" && event.index === index);
    return JSON.parse(deltas.map((event) => (event as { delta: string }).delta).join(""));
  });
}
