import { LlamaServerError } from "./error.ts";

/** Whoever waits with it stops waiting when the signal says so, also where what it waits for does not listen. */
export class Patience {
  private readonly signal: AbortSignal | undefined;
  private readonly aborted: Promise<never>;
  private stop: () => void = () => {};

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
    this.aborted = new Promise((_, reject) => {
      this.stop = () => reject(signal?.reason);
    });
    this.aborted.catch(() => {});
    if (signal?.aborted) this.stop();
    else signal?.addEventListener("abort", this.stop, { once: true });
  }

  /** @throws {LlamaServerError} `aborted`, whoever heard of it first. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    if (signal === undefined) return promise;
    try {
      return await Promise.race([this.aborted, promise]);
    } catch (error) {
      throw signal.aborted ? aborted(signal.reason) : error;
    }
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.signal?.removeEventListener("abort", this.stop);
  }
}

function aborted(reason: unknown): LlamaServerError {
  const message = (reason as { message?: unknown } | null)?.message;
  const why = typeof message === "string" && message !== "" ? `: ${message}` : ".";
  return new LlamaServerError("aborted", `The request was aborted${why}`, { cause: reason });
}
