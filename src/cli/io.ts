/** What a command has of the world: `process` is one. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined };
  readonly stdout: OutputStream;
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): boolean;
  on(event: "error", listener: (error: Error & { code?: string | undefined }) => void): unknown;
  once(event: "drain", listener: () => void): unknown;
}

/** The command line was used wrongly, or a file that it names is of no use: exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Standard output. Waits where its reader is slow, and notices when the reader has gone. */
export class Output {
  /** Settles when the reader has gone (`head` has seen enough); fails on any other error. */
  readonly closed: Promise<"closed">;
  private readonly stream: OutputStream;
  private full = false;

  constructor(stream: OutputStream) {
    this.stream = stream;
    this.closed = new Promise((resolve, reject) => {
      stream.on("error", (error) => (error.code === "EPIPE" ? resolve("closed") : reject(error)));
    });
    // Whoever waits for it hears of a failure; if nobody does, it is no reason to crash.
    this.closed.catch(() => {});
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  get columns(): number {
    // a terminal that does not know its width says 0
    return this.stream.columns || 80;
  }

  write(text: string): void {
    this.full = !this.stream.write(text);
  }

  writeJson(value: unknown, indent?: number): void {
    this.write(`${JSON.stringify(value, null, indent)}\n`);
  }

  /** Waits until what was written has been taken. */
  async drained(): Promise<void> {
    if (!this.full) return;
    this.full = false;
    await new Promise<void>((resolve) => this.stream.once("drain", resolve));
  }
}
