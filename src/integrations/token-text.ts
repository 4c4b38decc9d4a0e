const REPLACEMENT = "\uFFFD";

/** When the window is longer than this, all but `KEPT` tokens of it are dropped. */
const LONGEST = 20;
/** What is held is in the last nine tokens; one more gives the decoder something to stand on. */
const KEPT = 10;

/**
 * The text of tokens, as soon as it is certain. A token by itself may hold a part of a character, and some decoders drop the
 * blank in front of the first one; so a few tokens are decoded together, and what is new is what comes out behind the rest.
 */
export class TokenText<Token> {
  private readonly decode: (tokens: Token[]) => string;
  private window: Token[];
  /** How much of the window's text has been handed out. */
  private shown: number;

  /** `before`: the last tokens in front of the first one, which belong to the prompt. */
  constructor(decode: (tokens: Token[]) => string, before: readonly Token[] = []) {
    this.decode = decode;
    this.window = before.slice(-KEPT);
    this.shown = this.window.length === 0 ? 0 : decode(this.window).length;
  }

  /** The next token; returns the text that is now certain, which may be empty. */
  push(token: Token): string {
    this.window.push(token);
    const text = this.decode(this.window);
    const certain = certainLength(text);
    const piece = text.slice(this.shown, certain);
    this.shown = Math.max(this.shown, certain);
    if (this.window.length > LONGEST) {
      this.window = this.window.slice(-KEPT);
      // the window may now begin inside of a character, but it ends as before
      this.shown = this.decode(this.window).length - (text.length - certain);
    }
    return piece;
  }

  /** What was still held: bytes that never became a character. */
  flush(): string {
    if (this.window.length === 0) return "";
    const text = this.decode(this.window).slice(this.shown);
    this.window = [];
    this.shown = 0;
    return text;
  }
}

/** Up to three bytes may lack their fourth, and decoders write one to three replacement characters for them. */
function certainLength(text: string): number {
  let end = text.length;
  while (end > text.length - 3 && text[end - 1] === REPLACEMENT) end--;
  return end;
}
