import type { ParserEvent } from "../../events.ts";
import type { Format } from "../../format.ts";
import { getFormat, resolve } from "../../registry.ts";
import { type CompletionInfo, readCompletionStream } from "./completion.ts";
import type { Connection } from "./connection.ts";
import { LlamaServerError, unexpected } from "./error.ts";
import { acceptable } from "./history.ts";
import { type Models, markersOf, prefillOf } from "./model.ts";
import type { Parts } from "./request.ts";

/** The events of one chat, step by step: the format, the prompt, the state in which it ends, the completion. */
export async function* chatEvents(
  connection: Connection,
  models: Models,
  parts: Parts,
  onEnd: (info: CompletionInfo) => void,
): AsyncGenerator<ParserEvent, void, undefined> {
  const { model, signal, parser, sampling } = parts;
  try {
    const format = parser.format ?? (await models.format(model, signal));
    const template = { ...parts.template, messages: acceptable(parts.messages, hasStrictIds(format)) };
    const prompt = await promptOf(connection, template, signal);
    const shorter = (): Promise<string | null> => withoutBeginning(connection, template, signal);
    const continued = parts.messages.at(-1)?.role === "assistant";
    const prefill = parser.prefill ?? (await prefillOf(prompt, resolve(format), continued, shorter));
    const { tokens, stops } = markersOf(format);
    const body = {
      cache_prompt: true,
      ...sampling,
      ...(model === undefined ? {} : { model }),
      prompt,
      stream: true,
      stop: [...new Set([...stops, ...(sampling.stop ?? [])])],
      preserved_tokens: [...new Set([...tokens, ...(sampling.preserved_tokens ?? [])])],
    };
    const response = await connection.send("/completion", body, signal);
    yield* readCompletionStream(response, { ...parser, format, prefill, signal, onEnd });
  } catch (error) {
    // it may be another server, with another model, that answers next
    if (error instanceof LlamaServerError && error.kind !== "aborted") models.forget(model);
    throw error;
  }
}

async function promptOf(connection: Connection, body: object, signal: AbortSignal | undefined): Promise<string> {
  const answer = await connection.json("/apply-template", body, signal);
  if (typeof answer.prompt === "string") return answer.prompt;
  throw unexpected(JSON.stringify(answer), "a prompt", 200);
}

/** The prompt up to where the template begins the reply; null where the server refuses. */
async function withoutBeginning(
  connection: Connection,
  body: object,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    return await promptOf(connection, { ...body, add_generation_prompt: false }, signal);
  } catch (error) {
    if (error instanceof LlamaServerError && error.kind === "refused") return null;
    throw error;
  }
}

/** Mistral's chat template refuses ids of other models. */
function hasStrictIds(format: string | Format): boolean {
  const mistral = getFormat("mistral");
  const name = typeof format === "string" ? format : format.name;
  return name === mistral.name || mistral.variants.has(name);
}
