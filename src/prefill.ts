import type { ReasoningTags } from "./format.ts";
import type { Grammar } from "./grammar.ts";

/** Where the output starts. */
export interface Start {
  /** The thought that the prompt has opened. */
  thought: ReasoningTags | null;
  /** The end of the prompt that has to be read again: half a marker, or an opened call. */
  tail: string;
}

/**
 * Finds the state in which the prompt leaves the output. The prefill may be any suffix of the prompt, so everything up to
 * the last thought marker or end-of-turn token is history; of what follows only a call that was opened matters, or half a
 * marker.
 */
export function replay(prefill: string, grammar: Grammar): Start {
  let end = 0;
  let thought: ReasoningTags | null = null;
  const look = (marker: string, tags: ReasoningTags | null): void => {
    const at = prefill.lastIndexOf(marker);
    if (at < 0 || at + marker.length <= end) return;
    // an end-of-turn token may also be the beginning of an opener
    const opens = [...grammar.opens.keys()].some((opener) => opener !== marker && prefill.startsWith(opener, at));
    end = opens ? at : at + marker.length;
    thought = tags;
  };
  for (const stop of grammar.stops) look(stop, null);
  for (const tags of grammar.reasoning) {
    look(tags.close, null);
    look(tags.open, tags);
  }
  const rest = prefill.slice(end);
  const opener = Math.min(...[...grammar.opens.keys()].map((marker) => rest.indexOf(marker)).filter((at) => at >= 0));
  if (Number.isFinite(opener)) return { thought, tail: rest.slice(opener) };
  return { thought, tail: partialMarker(rest, grammar, thought) };
}

/** The longest end of the text that begins a marker. */
function partialMarker(text: string, grammar: Grammar, thought: ReasoningTags | null): string {
  const markers = thought === null ? grammar.inContent.markers : (grammar.inThought.get(thought.open)?.markers ?? []);
  let longest = "";
  for (const marker of markers) {
    for (let length = Math.min(marker.length - 1, text.length); length > longest.length; length--) {
      if (text.endsWith(marker.slice(0, length))) longest = marker.slice(0, length);
    }
  }
  return longest;
}
