/**
 * A process of its own for llama.cpp: it logs to standard output and standard error, and a crash of it ends the process that
 * it is in. `LlamaCpp` in llama-cpp.ts starts it, with four arguments: the path of a model, the delay of its echo, and its
 * tokens for the end of a turn and for padding. Each message is a request, answered by a message with the same `id`.
 */
import { loadModel } from "@fugood/llama.node";

const [model, delay, end, pad] = process.argv.slice(2);

const context = await loadModel({ model, n_ctx: 4096, n_threads: 1, n_gpu_layers: 0, n_parallel: 1 });
await context.parallel.enable({ n_parallel: 1, n_batch: 512 });

/** What llama.cpp makes of the chat template in use: the header of a reply, and a parser for it. */
let chat = {};

const requests = {
  /** From here on replies are parsed as this template and these tools want it. */
  async use({ template, tools }) {
    chat = {};
    const messages = [{ role: "user", content: "How is the weather?" }];
    chat = await context.getFormattedChat(messages, template, {
      jinja: true,
      tools,
      tool_choice: "auto",
      parallel_tool_calls: true,
      reasoning_format: "auto",
      enable_thinking: true,
    });
    const { generation_prompt: header = "", thinking_start_tag: open = "", thinking_end_tag: close = "" } = chat;
    return { header, open, close };
  },

  /** Says the text. Nothing constrains it: there is no grammar. */
  async say({ text }) {
    const { tokens } = await context.tokenize(text + end);
    if (tokens.length > delay) throw new Error(`The text has ${tokens.length} tokens, of at most ${delay}.`);
    const pieces = [];
    const prompt = text + end + pad.repeat(delay - tokens.length);
    await complete({ prompt, n_predict: tokens.length + 1 }, (_, { token }) => pieces.push(token));
    return pieces;
  },

  /** Says what the grammar allows. */
  async write({ grammar }) {
    const pieces = [];
    await complete({ prompt: pad, grammar, n_predict: 100 }, (_, { token }) => pieces.push(token));
    return pieces;
  },

  /** Parses the text as the reply to a prompt that ends in this header. The grammar ends the reply at once. */
  async parse({ text, header }) {
    const {
      content = "",
      reasoning_content: reasoning = "",
      tool_calls: calls = [],
    } = await complete({
      prompt: pad,
      prefill_text: text,
      grammar: 'root ::= ""',
      n_predict: 1,
      reasoning_format: "auto",
      chat_format: chat.chat_format,
      chat_parser: chat.chat_parser,
      generation_prompt: header,
    });
    return { content, reasoning, calls: calls.map((call) => call.function) };
  },
};

async function complete(options, onToken) {
  const { promise } = await context.parallel.completion({ temperature: 0, ...options }, onToken);
  return promise;
}

process.on("message", async ({ id, name, request }) => {
  try {
    process.send({ id, result: await requests[name](request) });
  } catch (error) {
    process.send({ id, error: String(error?.message ?? error) });
  }
});
process.on("disconnect", () => process.exit());
process.send({ id: 0, result: null });
