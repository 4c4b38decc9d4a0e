import type { Reading } from "../format.ts";

export interface SectionMarks {
  /** Begins each call. */
  open: string;
  /** What closes a call. */
  close: readonly string[];
  /** A call needs no section around it: that there is none is no repair. */
  alone?: boolean;
}

/**
 * Calls between the markers of a section: `<|calls_begin|>|<|call_begin|>…<|call_end|> <|call_begin|>…<|call_end|><|calls_end|>`.
 * It stands behind the section's opener and behind the opener of a call, since either may be missing. White space between
 * the markers is layout. `items` are tried in order on each call; what closes the section is residue that the outline drops.
 */
export function section(items: readonly Reading[], { open, close, alone = false }: SectionMarks): Reading {
  return function* (input, calls, opener, from) {
    const { repair } = calls.rules;
    let regular = opener !== open || alone;
    if (opener !== open) {
      const behind = input.offset;
      yield* input.space();
      if (!(yield* input.take(open))) {
        if (input.endsInPartOf([open]) && calls.cut(from)) return true;
        input.back(behind);
        regular = false;
      }
    }
    if (!regular && !repair) return false;
    let start = from;
    let end = -1;
    for (;;) {
      const body = input.offset;
      let read = false;
      for (const item of items) {
        calls.lost = regular ? null : { kind: "missing-opener", offset: Math.max(0, start) };
        read = yield* item(input, calls, open, start);
        if (read || !input.mayGoBack) break;
        input.back(body);
      }
      calls.lost = null;
      if (!read) {
        if (end >= 0) input.back(end);
        return end >= 0;
      }
      regular = true;
      end = input.offset;
      do yield* input.space();
      while ((yield* input.takeOne(close)) !== null);
      start = input.offset;
      if (!(yield* input.take(open))) {
        input.back(end);
        return true;
      }
    }
  };
}
