import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFormat } from "../../src/index.ts";
import type { Message } from "../../src/integrations/llama-server.ts";
import { END, makeTinyGguf, PAD } from "./make-tiny-gguf.ts";
import type { Template } from "./scripts.ts";

/** Where llama.cpp's server is, from the environment. */
export const serverBinary: string | undefined = process.env.LLAMA_SERVER || undefined;

/** How far behind the prompt's end a script may begin, in tokens. */
const DELAY = 1024;

/** Where a script begins. */
const SCRIPT = "<|script|>";

/** A llama.cpp server, with a model that says what a user message tells it to. */
export class RealServer {
  readonly url: string;
  private readonly folder: string;
  private readonly child: ChildProcess;
  private log = "";

  private constructor(folder: string, port: number, { source, format }: Template) {
    this.folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    const model = join(folder, "echo.gguf");
    const { tokens, stops } = format === "auto" ? { tokens: [], stops: [] } : getFormat(format);
    const control = [...tokens, ...stops, SCRIPT];
    writeFileSync(model, makeTinyGguf({ mode: "echo", delay: DELAY, control, context: 8192, template: source }));
    const options = ["--host", "127.0.0.1", "--port", String(port), "-m", model, "-c", "8192", "-np", "1", "-t", "1"];
    this.child = spawn(serverBinary as string, [...options, "--no-warmup", "--no-webui", "--jinja"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log = (this.log + text).slice(-2000);
    });
  }

  /**
   * Starts it, with a model that has this chat template, and waits until it answers. The tokens of the template's format are
   * tokens of the model, and none of them is text.
   */
  static async start(template: Template): Promise<RealServer> {
    const folder = mkdtempSync(join(tmpdir(), "tool-call-parser-"));
    const server = new RealServer(folder, await freePort(), template);
    while (!(await server.isHealthy())) {
      if (server.child.exitCode !== null) throw new Error(`llama-server ended. Its last words:\n${server.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return server;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    if (this.child.exitCode === null && this.child.kill()) await ended;
    rmSync(this.folder, { recursive: true });
  }

  /** The prompt that the server makes of a conversation. */
  async prompt(request: object): Promise<string> {
    return (await this.post<{ prompt: string }>("/apply-template", request)).prompt;
  }

  /**
   * A user message at which the model says the text.
   * @param conversation What is sent with it, `before` and `behind` it.
   */
  async script(
    text: string,
    { before = [], behind = [], ...request }: { before?: Message[]; behind?: Message[]; tools?: unknown } = {},
  ): Promise<Message> {
    const padded = (count: number): Message => ({ role: "user", content: SCRIPT + text + END + PAD.repeat(count) });
    const prompt = await this.prompt({ ...request, messages: [...before, padded(0), ...behind] });
    const ids = await this.tokenize(prompt);
    const [script] = await this.tokenize(SCRIPT);
    const length = ids.length - (ids.lastIndexOf(script as number) + 1);
    if (length > DELAY) throw new Error(`The script and what is behind it have ${length} tokens, of at most ${DELAY}.`);
    return padded(DELAY - length);
  }

  private async tokenize(content: string): Promise<number[]> {
    const request = { content, add_special: true, parse_special: true };
    return (await this.post<{ tokens: number[] }>("/tokenize", request)).tokens;
  }

  private async post<T>(path: string, body: object): Promise<T> {
    const response = await fetch(this.url + path, { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 1000)}`);
    return JSON.parse(text);
  }

  private async isHealthy(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/health`)).ok;
    } catch {
      return false;
    }
  }
}

/** A port that is free at this moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
