import { ChoiceRepair, type Delta, type DeltaLike, type RepairOptions } from "./repair-choice.ts";

/** A choice in a chunk of any server. */
export interface ChoiceLike {
  index?: number | null | undefined;
  delta?: DeltaLike | null | undefined;
  finish_reason?: string | null | undefined;
}

/** A chunk of any server. */
export interface ChatChunkLike {
  choices?: readonly ChoiceLike[] | null | undefined;
}

/** What belongs to every chunk of a reply; all else, such as usage or timings, goes out once. */
const ABOUT = new Set(["id", "object", "created", "model", "system_fingerprint", "service_tier", "provider"]);

/**
 * The chat stream of an OpenAI-compatible server as it should have been: calls that are stuck in `content` or in
 * `reasoning_content` become calls, their text is gone, and `finish_reason` says so. Whatever else there is stays, the calls that
 * the server has read itself included; each choice is read on its own.
 * @param options Those of a parser. `tools` should be those of the request.
 * @throws what the stream throws, after what was certain by then.
 * @throws {RangeError} for an unknown format.
 * @example
 * ```ts
 * const stream = await client.chat.completions.create({ model, messages, tools, stream: true });
 * for await (const chunk of repairChatStream(stream, { format: "hermes", tools })) console.log(chunk.choices[0]?.delta);
 * ```
 */
export function repairChatStream<Chunk extends ChatChunkLike>(
  stream: AsyncIterable<Chunk>,
  options: RepairOptions = {},
): AsyncGenerator<Chunk, void, undefined> {
  return repaired(stream, new StreamRepair<Chunk>(options));
}

async function* repaired<Chunk extends ChatChunkLike>(
  stream: AsyncIterable<Chunk>,
  repair: StreamRepair<Chunk>,
): AsyncGenerator<Chunk, void, undefined> {
  try {
    for await (const chunk of stream) yield* repair.take(chunk);
  } catch (error) {
    yield* repair.end();
    throw error;
  }
  yield* repair.end();
}

class StreamRepair<Chunk extends ChatChunkLike> {
  private readonly options: RepairOptions;
  private readonly choices = new Map<number, ChoiceRepair>();
  private about: object = {};

  constructor(options: RepairOptions) {
    this.options = options;
    this.choices.set(0, new ChoiceRepair(options));
  }

  take(chunk: Chunk): Chunk[] {
    if (!Array.isArray(chunk?.choices) || chunk.choices.length === 0) return [chunk];
    const entries = Object.entries(chunk);
    this.about = Object.fromEntries(entries.filter(([key]) => ABOUT.has(key)));
    const made = (chunk.choices as ChoiceLike[]).flatMap((choice) => this.repaired(choice));
    const last = made.pop();
    if (last !== undefined) {
      return [
        ...made.map((choice) => ({ ...this.about, choices: [choice] })),
        { ...chunk, choices: [last] },
      ] as unknown[] as Chunk[];
    }
    const once = entries.some(([key, value]) => key !== "choices" && !ABOUT.has(key) && value !== null);
    return once ? [{ ...chunk, choices: [] }] : [];
  }

  /** The stream is over. A choice without a reason was cut off; the client hears of no reason either. */
  end(): Chunk[] {
    return [...this.choices].flatMap(([index, repair]) =>
      (repair.over ? [] : repair.end(null)).map(
        (delta) => ({ ...this.about, choices: [{ index, delta, finish_reason: null }] }) as unknown as Chunk,
      ),
    );
  }

  private repaired(choice: ChoiceLike): ChoiceLike[] {
    const { index, delta, finish_reason: reason, ...more } = choice;
    const repair = this.choiceAt(index ?? 0);
    if (repair.over) return [choice];
    const deltas: Delta[] = delta === null || delta === undefined ? [] : repair.take(delta);
    const made = (delta: Delta): ChoiceLike => ({ index: index ?? 0, delta, finish_reason: null });
    if (reason) {
      deltas.push(...repair.end(reason));
      return [...deltas.map(made), { ...choice, delta: {}, finish_reason: repair.reason(reason) }];
    }
    const last = deltas.pop();
    if (last !== undefined) return [...deltas.map(made), { ...choice, delta: last }];
    // what stands beside the delta, such as logprobs, is not held with the text
    return Object.values(more).some((value) => value !== null) ? [{ ...choice, delta: {} }] : [];
  }

  private choiceAt(index: number): ChoiceRepair {
    let repair = this.choices.get(index);
    if (repair === undefined) {
      repair = new ChoiceRepair(this.options);
      this.choices.set(index, repair);
    }
    return repair;
  }
}
