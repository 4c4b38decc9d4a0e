import type { ParserEvent, ToolCall } from "../../events.ts";
import type { CompletionInfo } from "./completion.ts";
import { LlamaServerError } from "./error.ts";
import type { ChatResult } from "./types.ts";

/** A reply on its way. Nothing is sent to the server before it is iterated, or its result is asked for. */
export interface ChatReply<Call extends ToolCall = ToolCall> extends AsyncIterable<ParserEvent<Call>> {
  /**
   * Reads what was not read yet; the result. An output that was cut off has one too, with `finish: "truncated"`.
   * @throws {LlamaServerError} where nothing had come, or the signal aborted it.
   */
  result(): Promise<ChatResult<Call>>;
}

/** One reply: its events can be iterated once. */
export class Reply implements ChatReply {
  completion: CompletionInfo | null = null;
  private readonly events: AsyncGenerator<ParserEvent, void, undefined>;
  private readonly done: Promise<ChatResult>;
  private settle!: { resolve: (result: ChatResult) => void; reject: (error: unknown) => void };
  private begun = false;

  constructor(run: (onEnd: (info: CompletionInfo) => void) => AsyncGenerator<ParserEvent, void, undefined>) {
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.done.catch(() => {});
    this.events = this.watched(
      run((info) => {
        this.completion = info;
      }),
    );
  }

  private async *watched(
    events: AsyncGenerator<ParserEvent, void, undefined>,
  ): AsyncGenerator<ParserEvent, void, undefined> {
    let result: ChatResult | null = null;
    try {
      for await (const event of events) {
        if (event.type === "finish") result = { ...event.result, completion: this.completion, error: null };
        yield event.type === "finish" && result !== null ? { ...event, result } : event;
      }
    } catch (error) {
      if (error instanceof LlamaServerError && result !== null && error.kind !== "aborted") result.error = error;
      else result = null;
      if (result === null) this.settle.reject(error);
      throw error;
    } finally {
      if (result !== null) this.settle.resolve(result);
      // a second call of either is without effect
      this.settle.reject(new LlamaServerError("aborted", "The reply was not read to its end."));
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<ParserEvent, void, undefined> {
    this.begun = true;
    return this.events;
  }

  async result(): Promise<ChatResult> {
    if (!this.begun) {
      try {
        for await (const _ of this) {
          // only the result is wanted
        }
      } catch {
        // the result says it, or is not there
      }
    }
    return this.done;
  }
}
