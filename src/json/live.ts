import { TokenParser, TokenType } from "@streamparser/json";

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
const STRING_RUN = /(?:[^"\\]|\\.)*/y;

/**
 * The arguments so far as a live object, for those who ask for a snapshot. It is fed what was sent: a prefix of compact
 * and valid JSON in which numbers, words and escapes are whole, so that its lexer is a few lines. `@streamparser/json`
 * builds the values. Who does not ask pays nothing, and who asks after every chunk pays for each character once.
 */
export class LiveValue {
  /** The object so far, open strings as far as they have come. It goes on changing. */
  value: Record<string, unknown> = {};

  private readonly parser = new TokenParser({ emitPartialValues: true });
  private started = false;
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

  write(json: string): void {
    let i = 0;
    while (i < json.length) {
      if (this.open !== null) {
        STRING_RUN.lastIndex = i;
        const run = (STRING_RUN.exec(json) as RegExpExecArray)[0];
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
