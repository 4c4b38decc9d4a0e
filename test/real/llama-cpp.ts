import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatNames, getFormat, type ToolDeclaration } from "../../src/index.ts";
import { END, makeTinyGguf, PAD, type TinyGgufOptions } from "./make-tiny-gguf.ts";
import type { ReplyStart } from "./reply-start.ts";

const script = fileURLToPath(new URL("llama-cpp-process.mjs", import.meta.url));
const binding = fileURLToPath(new URL("node_modules/@fugood/node-llama-linux-x64/index.node", import.meta.url));

/** The longest text that the model can be made to say, in tokens. */
const DELAY = 512;

/** Why llama.cpp cannot be run here, for the name of a test that is skipped; null where it can. */
export const missing: string | null =
  process.platform !== "linux" || process.arch !== "x64"
    ? "it is run on linux-x64 only"
    : existsSync(binding)
      ? null
      : "it is not installed in test/real";

/** A call as llama.cpp's own parser gives it. */
export interface LlamaCppCall {
  name: string;
  arguments: string;
}

/** What llama.cpp's own parser makes of a text; all empty where it does not match what the parser expects. */
export interface LlamaCppReply {
  content: string;
  reasoning: string;
  calls: LlamaCppCall[];
}

/** llama.cpp with a tiny model, in a process of its own. */
export class LlamaCpp {
  private readonly folder: string;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (reason: Error) => void }>();
  /** Many templates write the same text. */
  private readonly said = new Map<string, readonly string[]>();
  private ended: Error | null = null;
  private log = "";
  private count = 0;

  private constructor(folder: string, options: TinyGgufOptions) {
    this.folder = folder;
    const model = join(folder, "echo.gguf");
    writeFileSync(model, makeTinyGguf(options));
    const delay = options.mode === "echo" ? options.delay : 0;
    this.child = fork(script, [model, String(delay), END, PAD], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log = (this.log + text).slice(-2000);
    });
    this.child.on("message", ({ id, result, error }: { id: number; result?: never; error?: string }) => {
      const { resolve, reject } = this.waiting.get(id) ?? {};
      this.waiting.delete(id);
      if (error === undefined) resolve?.(result as never);
      else reject?.(new Error(error));
    });
    this.child.on("error", (error) => this.end(error.message));
    this.child.on("exit", (code, signal) => this.end(`llama.cpp ended with ${signal ?? code}`));
  }

  /** Writes the model, by default one that knows the tokens of every format and says what it is told to, and loads it. */
  static async start(
    options: TinyGgufOptions = { mode: "echo", delay: DELAY, control: everyToken() },
  ): Promise<LlamaCpp> {
    const started = new LlamaCpp(mkdtempSync(join(tmpdir(), "tool-call-parser-")), options);
    await started.answer<null>(0);
    return started;
  }

  /**
   * Replies are parsed as this chat template and these tools want it, from here on.
   * @throws {Error} where llama.cpp cannot make a parser of the template.
   */
  use(template: string, tools: readonly ToolDeclaration[]): Promise<ReplyStart> {
    return this.request("use", { template, tools });
  }

  /**
   * Lets the model say the text, up to the first token that ends a turn.
   * @returns One piece a token; a character that is several tokens is one piece.
   */
  async say(text: string): Promise<readonly string[]> {
    const said = this.said.get(text) ?? (await this.request<string[]>("say", { text }));
    this.said.set(text, said);
    return said;
  }

  /** Lets the model say anything that the grammar, in GBNF, allows. */
  write(grammar: string): Promise<readonly string[]> {
    return this.request("write", { grammar });
  }

  /** What llama.cpp's own parser reads in the text, where that is the reply to a prompt with this end. */
  parse(text: string, header: string): Promise<LlamaCppReply> {
    return this.request("parse", { text, header });
  }

  stop(): void {
    if (this.child.connected) this.child.disconnect();
    rmSync(this.folder, { recursive: true });
  }

  /** As if llama.cpp had crashed. */
  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** Nothing is answered any more. */
  private end(why: string): void {
    this.ended = new Error(`${why}. Its last words:\n${this.log}`);
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }

  private request<T>(name: string, request: object): Promise<T> {
    const id = ++this.count;
    const answer = this.answer<T>(id);
    if (this.ended === null) this.child.send({ id, name, request });
    else this.waiting.get(id)?.reject(this.ended);
    return answer;
  }

  private answer<T>(id: number): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
  }
}

/** The tokens of every format, none of which is text to the model. */
function everyToken(): string[] {
  const formats = formatNames().map(getFormat);
  return [...new Set(formats.flatMap(({ tokens, stops }) => [...tokens, ...stops]))];
}
