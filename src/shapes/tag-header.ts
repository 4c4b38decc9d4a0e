import type { Input, Waiting } from "../input.ts";

/** Longest name in a tag. */
const LENGTH = 256;

export interface Header {
  text: string;
  /** Written just as the format writes it. */
  exact: boolean;
  /** The name ended at a line break, which is read. */
  ateNewline: boolean;
}

/**
 * Reads a tag with a name, `|<function=tide_level>`, or one that is nearly that: the name in quotes, a blank for the
 * `=`, and, where `accepts` knows the name, a lost `>`. Null: nothing was read that is one.
 */
export function* readHeader(
  input: Input,
  open: string,
  accepts: (name: string, exact: boolean) => boolean,
): Waiting<Header | null> {
  const stem = open.slice(0, -1);
  if (!(yield* input.take(stem))) return null;
  const first = yield* input.peek();
  const regular = first === open.charCodeAt(open.length - 1);
  if (!regular && first !== 0x20) return null;
  input.pos++;
  const from = input.offset;
  for (let length = 0; length < LENGTH; length++) {
    const code = yield* input.peek();
    if (code === -1) return null;
    const closes = code === 0x3e;
    if (closes || code === 0x0a || (code === 0x3d && length > 0 && regular)) {
      const written = input.slice(from, input.offset);
      const text = unquote(written.trim());
      const exact = closes && regular && text === written.trim() && !/["'<]/.test(text);
      if (closes || accepts(text, false)) {
        if (!accepts(text, exact)) return null;
        input.pos++;
        return { text, exact, ateNewline: code === 0x0a };
      }
      if (code === 0x0a) return null;
    }
    input.pos++;
  }
  return null;
}

function unquote(text: string): string {
  const match = /^(?:name\s*=\s*)?(["'])(.*)\1$/.exec(text);
  return match === null ? text : (match[2] as string).trim();
}
