import type { Script } from "./scripts.ts";

/** How a chat template begins a reply. */
export interface ReplyStart {
  /** The end of the prompt, from the header of the reply on. */
  header: string;
  /** What opens and closes a thought; the header may open one. */
  open: string;
  close: string;
}

/**
 * The text of a script, and the ends of the prompts that it is the continuation of, for us and for llama.cpp.
 * @param start Null where it is not known.
 */
export function begun(
  { text, header }: Script,
  start: ReplyStart | null,
): { text: string; ours: string; theirs: string } {
  if (start === null) return { text, ours: header ?? "", theirs: "" };
  const ours = header || start.header;
  const rest = ours !== "" && text.startsWith(ours) ? text.slice(ours.length) : text;
  return { text: header === "" ? inThought(rest, start) : rest, ours, theirs: start.header === "" ? "" : ours };
}

/** The text, where the prompt opens a thought that the text does not know of. */
function inThought(text: string, { header, open, close }: ReplyStart): string {
  if (open === "" || !header.trimEnd().endsWith(open.trimEnd())) return text;
  const opened = text.trimStart();
  if (opened.startsWith(open)) return opened.slice(open.length);
  return text.includes(close) ? text : close + text;
}
