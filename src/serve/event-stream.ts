import { eventOf, GatheredEvents } from "./gathered-events.ts";

const encoder = new TextEncoder();

const COMMENT = encoder.encode(": keep-alive\n\n");
const DONE = "data: [DONE]\n\n";

export interface EventStreamOptions {
  /** After so many milliseconds without an event there is a comment, so that no proxy takes the stream for dead. */
  keepAlive: number;
  /** What to say of an error, as the last event; `[DONE]` does not come then. */
  onError: (error: unknown) => object;
  onEnd: () => void;
  /** The client has gone. */
  onCancel: () => void;
}

/**
 * Objects as server-sent events, in OpenAI's manner. Those that come at once go out at once: each write costs as much as
 * all that was done to make it.
 * @param first What the source was already asked for.
 */
export function eventStream(
  source: AsyncIterator<object>,
  first: Promise<IteratorResult<object>>,
  { keepAlive, onError, onEnd, onCancel }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const events = new GatheredEvents(source, first);
  let last = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // one timer, that looks when the last event was: one for each event would cost as much as writing it
      const beat = (): void => {
        const quiet = Date.now() - last;
        if (quiet >= keepAlive && (controller.desiredSize ?? 0) > 0) {
          controller.enqueue(COMMENT);
          last += quiet;
        }
        timer = setTimeout(beat, quiet >= keepAlive ? keepAlive : keepAlive - quiet);
      };
      beat();
    },
    async pull(controller) {
      try {
        await events.some();
        await turn();
        last = Date.now();
        const text = events.take();
        if (!events.done) return controller.enqueue(encoder.encode(text));
        controller.enqueue(encoder.encode(text + DONE));
        onEnd();
      } catch (error) {
        controller.enqueue(encoder.encode(eventOf(onError(error))));
      }
      clearTimeout(timer);
      controller.close();
    },
    cancel() {
      clearTimeout(timer);
      onCancel();
    },
  });
}

/** Until what can be read now has been read: in Node, from all sockets that have something. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Null where it takes longer. */
export async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
