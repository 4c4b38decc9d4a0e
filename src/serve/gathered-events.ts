/** Characters that may wait to be taken, before the source is made to wait. */
const MOST = 64 * 1024;

/** Reads a source of objects, and holds them as the text of server-sent events until somebody takes it. */
export class GatheredEvents {
  /** The source has come to its end. */
  done = false;
  private readonly source: AsyncIterator<object>;
  private text = "";
  private failure: { error: unknown } | null = null;
  private wakeTaker: (() => void) | null = null;
  private wakeReader: (() => void) | null = null;

  /** @param first What the source was already asked for. */
  constructor(source: AsyncIterator<object>, first: Promise<IteratorResult<object>>) {
    this.source = source;
    void this.read(first);
  }

  /** Waits until there is something: text, the end, or an error. */
  async some(): Promise<void> {
    if (this.text !== "" || this.done || this.failure !== null) return;
    await new Promise<void>((resolve) => {
      this.wakeTaker = resolve;
    });
  }

  /**
   * What has come since the last time.
   * @throws what the source has thrown, when all that came before it was taken.
   */
  take(): string {
    const { text, failure } = this;
    if (text === "" && failure !== null) throw failure.error;
    this.text = "";
    this.wakeReader?.();
    this.wakeReader = null;
    return text;
  }

  private async read(first: Promise<IteratorResult<object>>): Promise<void> {
    try {
      for (let next = await first; next.done !== true; next = await this.source.next()) {
        this.text += eventOf(next.value);
        this.wake();
        if (this.text.length > MOST) await this.taken();
      }
      this.done = true;
    } catch (error) {
      this.failure = { error };
    }
    this.wake();
  }

  private wake(): void {
    this.wakeTaker?.();
    this.wakeTaker = null;
  }

  private taken(): Promise<void> {
    return new Promise((resolve) => {
      this.wakeReader = resolve;
    });
  }
}

/** One object as an event. */
export function eventOf(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
