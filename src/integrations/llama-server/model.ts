import { formats } from "../../../formats/index.ts";
import { detectFormat } from "../../detect.ts";
import type { Format } from "../../format.ts";
import type { Grammar } from "../../grammar.ts";
import { replay } from "../../prefill.ts";
import { getFormat } from "../../registry.ts";
import { Patience } from "./abort.ts";
import type { Connection } from "./connection.ts";

/** Which format does each model of a server write? Asked once for each. */
export class Models {
  private readonly connection: Connection;
  private readonly known = new Map<string, Promise<string>>();

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** A name, or `"auto"` where the template and the model's name do not tell. */
  async format(model: string | undefined, signal: AbortSignal | undefined): Promise<string> {
    const key = model ?? "";
    // several requests wait for one answer, so that the signal of one of them must not end it
    const format = this.known.get(key) ?? this.detect(model);
    this.known.set(key, format);
    const patience = new Patience(signal);
    try {
      return await patience.wait(format);
    } catch (error) {
      this.forget(model);
      throw error;
    } finally {
      patience.end();
    }
  }

  /** Another server may answer the next time. */
  forget(model: string | undefined): void {
    this.known.delete(model ?? "");
  }

  private async detect(model: string | undefined): Promise<string> {
    const query = model === undefined ? "" : `?model=${encodeURIComponent(model)}`;
    const props = await this.connection.json(`/props${query}`, null, undefined);
    const text = (name: string): string | undefined => {
      const value = props[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    const chatTemplate = text("chat_template_tool_use") ?? text("chat_template");
    const names = [text("model_alias"), text("model_path"), model];
    for (const name of names) {
      const format = detectFormat({ chatTemplate, model: name });
      if (format !== null) return format;
    }
    return "auto";
  }
}

/** What a request asks the server to keep, and where to stop. */
export interface Markers {
  tokens: readonly string[];
  stops: readonly string[];
}

/** Under `"auto"` any marker may come, and no text is a stop string: it may be meant as text. */
export function markersOf(format: string | Format): Markers {
  if (format === "auto") {
    const all = formats.flatMap((one) => [one, ...one.variants.values()]);
    return { tokens: [...new Set(all.flatMap(({ tokens }) => tokens))], stops: [] };
  }
  const { tokens, stops, declaration } = typeof format === "string" ? getFormat(format) : format;
  // where a token also begins a call, stopping at it would lose the call
  const begins = [...Object.keys(declaration.opens), ...tokens];
  return { tokens, stops: stops.filter((stop) => !begins.some((marker) => marker.startsWith(stop))) };
}

/** Longer than what any template writes behind the last message. */
const TAIL = 4096;

/**
 * The end of the prompt, where it matters: what the template writes behind the last message, to begin the reply. What
 * stands before it may be anybody's text, which must not pass for an open thought or call. So the prompt is asked for
 * once more without that end, unless nothing in it can matter. `continued`: the prompt ends in a message of the model
 * itself, which the reply goes on with.
 */
export async function prefillOf(
  prompt: string,
  grammar: Grammar,
  continued: boolean,
  without: () => Promise<string | null>,
): Promise<string> {
  const end = prompt.slice(-TAIL);
  const { thought, tail } = replay(end, grammar);
  if (thought === null && tail === "") return "";
  if (continued) return end;
  const shorter = await without();
  if (shorter !== null && shorter.length < prompt.length && prompt.startsWith(shorter)) {
    return prompt.slice(shorter.length);
  }
  // it is the same, or the server cannot tell: then only what stands at the very end is the template's for certain
  const text = prompt.trimEnd();
  const open = grammar.reasoning.find((tags) => text.endsWith(tags.open))?.open;
  return open === undefined ? "" : prompt.slice(text.length - open.length);
}
