import type { Format } from "../../format.ts";
import { getFormat } from "../../registry.ts";

/** What a model writes around a thought: a server that takes thoughts out of the text takes this out with them. */
export interface Seams {
  open: string;
  close: string;
}

const known = new WeakMap<Format, Seams | null>();

/** Null for a format that has no thoughts: then a thought is no text of it either. */
export function seamsOf(format: string | Format | undefined): Seams | null {
  if (format === undefined || format === "auto") return { open: "<think>", close: "</think>" };
  const named = typeof format === "string" ? getFormat(format) : format;
  let seams = known.get(named);
  if (seams === undefined) {
    seams = named.reasoning[0] ?? written(named);
    known.set(named, seams);
  }
  return seams;
}

/** A format whose thoughts are messages has no tags; what it writes in front of one and behind it does the same. */
function written(format: Format): Seams | null {
  try {
    const [open, close, ...more] = format.render({ reasoning: "THOUGHT", content: "ANSWER" }).split(/THOUGHT|ANSWER/);
    if (open === undefined || close === undefined || more.length !== 1 || open.trim() === "") return null;
    return { open, close };
  } catch {
    return null;
  }
}
