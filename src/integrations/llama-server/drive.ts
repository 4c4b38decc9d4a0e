import type { ParseResult, ParserEvent } from "../../events.ts";
import { LlamaServerError } from "./error.ts";
import { readEvents, type ServerEvent, type ServerStream } from "./sse.ts";

/** Makes our events of a server's. */
export interface EventReader {
  take(event: ServerEvent): void;
  /** Nothing more needs to be read: the last event has come, or a problem has ended the reading. */
  readonly over: boolean;
  /** The server has said how the output ended. */
  readonly complete: boolean;
  /** `cut`: the output was cut off, whatever the server has said. */
  end(cut: boolean): ParseResult;
}

/** The events that a reader collects. */
export class Outbox {
  private events: ParserEvent[] = [];
  readonly put = (event: ParserEvent): void => {
    this.events.push(event);
  };

  take(): ParserEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }
}

/**
 * Reads a server's stream to its end. If it fails when something has come, the output counts as cut off: the remaining
 * events come, `finish` among them, and then the error.
 */
export async function* drive(
  source: ServerStream,
  signal: AbortSignal | undefined,
  reader: EventReader,
  outbox: Outbox,
): AsyncGenerator<ParserEvent, void, undefined> {
  let begun = false;
  try {
    for await (const event of readEvents(source, signal)) {
      begun = true;
      reader.take(event);
      yield* outbox.take();
      if (reader.over) break;
    }
    if (!reader.over && !reader.complete) {
      throw new LlamaServerError("incomplete", "The stream ended before its last event.");
    }
  } catch (error) {
    if (begun && error instanceof LlamaServerError) {
      error.result = reader.end(true);
      yield* outbox.take();
    }
    throw error;
  }
  reader.end(false);
  yield* outbox.take();
}
