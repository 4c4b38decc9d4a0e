import { TokenParser, TokenType } from "@streamparser/json";
import { OpenPath } from "../schema/live/open-path.ts";
import { endOfRun } from "../schema/live/text.ts";

type Token = Parameters<TokenParser["write"]>[0];

const TOKENS: Readonly<Record<string, Token>> = {
  "{": { token: TokenType.LEFT_BRACE, value: "{" },
  "}": { token: TokenType.RIGHT_BRACE, value: "}" },
  "[": { token: TokenType.LEFT_BRACKET, value: "[" },
  "]": { token: TokenType.RIGHT_BRACKET, value: "]" },
  ":": { token: TokenType.COLON, value: ":" },
  ",": { token: TokenType.COMMA, value: "," },
  true: { token: TokenType.TRUE, value: true },
  false: { token: TokenType.FALSE, value: false },
  null: { token: TokenType.NULL, value: null },
};
const LEXEME = /[{}[\]:,]|[^{}[\]:,"]+|"/y;

/**
 * The arguments so far as a live object, for those who ask for a snapshot. It is fed what was sent: a prefix of compact
 * and valid JSON in which numbers, words and escapes are whole, so that its lexer is a few lines. `@streamparser/json`
 * builds the values. Who does not ask pays nothing, and who asks after every chunk pays for each character once.
 */
export class LiveValue {
  /** The object so far, open strings as far as they have come. It goes on changing. */
  value: Record<string, unknown> = {};

  private readonly parser = new TokenParser({ emitPartialValues: true });
  private readonly place = new OpenPath();
  private started = false;
  private read = 0;
  private open: string | null = null;
  /** The list whose last element is an open string: the parser will add it again when it is whole. */
  private list: unknown[] | null = null;

  constructor() {
    this.parser.onValue = ({ value, key, parent, partial }) => {
      if (!this.started && parent !== undefined) {
        this.started = true;
        this.value = parent as Record<string, unknown>;
      }
      if (partial !== true || value === undefined || parent === undefined) return;
      this.list = Array.isArray(parent) ? parent : null;
      Object.defineProperty(parent, key as string, { value, writable: true, enumerable: true, configurable: true });
    };
  }

  /** Reads on in the text that was sent, and gives the object. */
  show(sent: string): Record<string, unknown> {
    const more = sent.slice(this.read);
    this.read = sent.length;
    this.write(more);
    this.place.feed(more);
    return this.value;
  }

  /** JSON Pointer of the innermost value that is open: every value that does not lead there is complete. */
  get openPath(): string {
    return this.place.path;
  }

  private write(json: string): void {
    let i = 0;
    while (i < json.length) {
      if (this.open !== null) {
        const run = json.slice(i, endOfRun(json, i));
        this.open += JSON.parse(`"${run}"`) as string;
        i += run.length + 1;
        if (i <= json.length) this.closeString(this.open);
        continue;
      }
      LEXEME.lastIndex = i;
      const lexeme = (LEXEME.exec(json) as RegExpExecArray)[0];
      i += lexeme.length;
      if (lexeme === '"') this.open = "";
      else this.parser.write(TOKENS[lexeme] ?? { token: TokenType.NUMBER, value: Number(lexeme) });
    }
    if (this.open !== null) this.parser.write({ token: TokenType.STRING, value: this.open, partial: true });
  }

  private closeString(value: string): void {
    this.open = null;
    if (this.list !== null) this.list.length--;
    this.list = null;
    this.parser.write({ token: TokenType.STRING, value });
  }
}
