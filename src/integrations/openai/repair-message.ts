import { ChoiceRepair, type Delta, type DeltaLike, type RepairOptions } from "./repair-choice.ts";

/** A choice of any server, streamed or not. */
export interface WholeChoiceLike {
  message?: DeltaLike | null | undefined;
  finish_reason?: string | null | undefined;
}

/** A chat completion of any server. */
export interface ChatCompletionLike {
  choices?: readonly WholeChoiceLike[] | null | undefined;
}

/**
 * A chat completion as it should have been: `repairChatStream` for an answer that did not stream.
 * @throws {RangeError} for an unknown format.
 * @example
 * ```ts
 * const answer = await client.chat.completions.create({ model, messages, tools });
 * const { message, finish_reason } = repairChatCompletion(answer, { format: "hermes", tools }).choices[0];
 * ```
 */
export function repairChatCompletion<Completion extends ChatCompletionLike>(
  completion: Completion,
  options: RepairOptions = {},
): Completion {
  const { choices } = completion;
  if (!Array.isArray(choices)) return completion;
  const repaired = (choices as WholeChoiceLike[]).map((choice) => {
    const { message, finish_reason } = choice;
    if (message === null || message === undefined) return choice;
    const repair = new ChoiceRepair({ ...options, holdCalls: true });
    return {
      ...choice,
      message: whole(repair, message, finish_reason || null),
      ...(finish_reason ? { finish_reason: repair.reason(finish_reason) } : {}),
    };
  });
  return { ...completion, choices: repaired };
}

/**
 * The same for a message alone. `finished: false` says that it was cut off, which a chat completion says by its
 * `finish_reason`.
 * @throws {RangeError} for an unknown format.
 */
export function repairChatMessage<Message extends DeltaLike>(
  message: Message,
  options: RepairOptions & { finished?: boolean | undefined } = {},
): Message {
  const { finished = true, ...rest } = options;
  return whole(new ChoiceRepair({ ...rest, holdCalls: true }), message, finished ? "stop" : null);
}

interface WholeCall {
  function?: { arguments: string };
}

/** The deltas of a message, put together again. */
function whole<Message extends DeltaLike>(repair: ChoiceRepair, message: Message, reason: string | null): Message {
  const made: Delta = {};
  const calls: WholeCall[] = [];
  for (const delta of [...repair.take(message), ...repair.end(reason)]) {
    for (const [name, value] of Object.entries(delta)) {
      if (name !== "tool_calls" || !Array.isArray(value) || value.length === 0) {
        const before = made[name];
        made[name] = typeof before === "string" && typeof value === "string" ? before + value : value;
      } else {
        for (const { index, ...call } of value as (WholeCall & { index: number })[]) {
          const known = calls[index];
          // a copy, to be written to: the server's own calls are whole, and not ours
          if (known === undefined)
            calls[index] = "function" in call ? { ...call, function: { ...call.function } } : call;
          else if (known.function !== undefined) known.function.arguments += call.function?.arguments ?? "";
        }
      }
    }
  }
  if (calls.length > 0) made.tool_calls = calls;
  if (!("content" in made)) made.content = calls.length > 0 ? null : "";
  // a field that the message had keeps its place
  const kept = Object.keys(message).filter((name) => name in made);
  return { ...Object.fromEntries(kept.map((name) => [name, made[name]])), ...made } as unknown as Message;
}
