import type { Finish, ParserEvent } from "../../events.ts";
import { newId, now, usageOf } from "../reply/about.ts";
import type { CallHandling } from "../reply/rejected.ts";
import { Steps } from "../reply/steps.ts";
import { ResponseItems } from "./response-items.ts";
import type { ResponseEvent, ResponseEventBody, ResponseObject, ResponseUsage } from "./responses-types.ts";

export interface ResponseOptions extends CallHandling {
  model: string;
  /** Default: a random one. */
  id?: string | undefined;
  /** Unix time in seconds. Default: now. */
  created?: number | undefined;
  /** Asked, where it is a function, when the reply is over. */
  usage?: ResponseUsage | (() => ResponseUsage | null | undefined) | undefined;
  /** What else the response repeats of its request: `instructions`, `tools`, `temperature`, … */
  response?: object | undefined;
}

/**
 * A reply's events as those of the Responses API. Each thought, each text and each call is an item of its own, in the order in
 * which they were written. A call that was rejected after it had begun ends as `incomplete`, and the final response leaves it
 * out, unless `onRejected` says `"send"`.
 * @throws what the source throws, after the events of what came before it.
 * @example
 * ```ts
 * for await (const event of toResponseEvents(parseStream(output, { tools }), { model: "qwen3-8b" })) {
 *   write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
 * }
 * ```
 */
export async function* toResponseEvents(
  events: AsyncIterable<ParserEvent>,
  options: ResponseOptions,
): AsyncGenerator<ResponseEvent, void, undefined> {
  const map = responseEventMapper(options);
  for await (const event of events) yield* map(event);
}

/** The same for who is handed one event at a time: returns the events that an event makes, often none. */
export function responseEventMapper(options: ResponseOptions): (event: ParserEvent) => ResponseEvent[] {
  const id = options.id ?? newId("resp_");
  const created_at = options.created ?? now();
  let made: ResponseEvent[] = [];
  let sequence = 0;
  let begun = false;
  const add = (body: ResponseEventBody): void => {
    made.push({ ...body, sequence_number: sequence++ });
  };
  const items = new ResponseItems(add);
  const steps = new Steps({ ...options, blocks: true }, (step) => items.take(step));

  const response = (finish: Finish | null): ResponseObject => {
    const usage = finish === null ? undefined : usageOf(options.usage);
    const cut = finish === "truncated";
    return {
      id,
      object: "response",
      created_at,
      status: finish === null ? "in_progress" : cut ? "incomplete" : "completed",
      error: null,
      incomplete_details: cut ? { reason: "max_output_tokens" } : null,
      instructions: null,
      metadata: {},
      model: options.model,
      output: items.output(),
      output_text: items.text(),
      parallel_tool_calls: true,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
      ...options.response,
      ...(usage === undefined ? {} : { usage }),
    };
  };

  return (event) => {
    made = [];
    if (!begun) {
      begun = true;
      add({ type: "response.created", response: response(null) });
      add({ type: "response.in_progress", response: response(null) });
    }
    steps.take(event);
    if (event.type === "finish") {
      const cut = event.finish === "truncated";
      items.close(cut ? "incomplete" : "completed");
      add({ type: cut ? "response.incomplete" : "response.completed", response: response(event.finish) });
    }
    return made;
  };
}
