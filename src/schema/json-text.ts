/** Where JSON text breaks off, and why. */
export interface Fault {
  /** UTF-16 offset in the text. */
  offset: number;
  message: string;
}

/** The members of an object, each as the text of its value; of a repeated key the last one counts. */
export type Members = Map<string, string>;

/** Levels of lists and objects; Python's own parser gives up at about a thousand. */
const DEPTH = 512;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANK = /[ \t\n\r]*/y;
const WORD = /true|false|null/y;

/**
 * Reads text that must be one JSON value (RFC 8259) with nothing but white space around it.
 * `JSON.parse` knows neither where it failed nor how a number was written, and takes nesting of any depth.
 */
export function readJsonText(text: string): { members: Members } | { fault: Fault } {
  const reader = new Reader(text);
  reader.blank();
  const members: Members = new Map();
  const read = reader.value(0, members) && reader.end();
  return read ? { members } : { fault: reader.fault ?? { offset: 0, message: "is no JSON" } };
}

class Reader {
  fault: Fault | undefined;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  blank(): void {
    this.#match(BLANK);
  }

  end(): boolean {
    this.blank();
    return this.#at === this.#text.length || this.#fail("the text goes on behind the JSON value");
  }

  value(depth: number, members?: Members): boolean {
    if (depth > DEPTH) return this.#fail(`it is nested more than ${DEPTH} levels deep`);
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth, members);
    if (first === "[") return this.#list("]", () => this.value(depth + 1));
    if (first === '"') return this.#match(STRING) || this.#badString();
    if (this.#match(NUMBER))
      return !/[0-9.eE+-]/.test(this.#text[this.#at] ?? "") || this.#fail("a number is malformed");
    return this.#match(WORD) || this.#fail("a JSON value was expected");
  }

  #object(depth: number, members: Members | undefined): boolean {
    return this.#list("}", () => {
      const start = this.#at;
      if (this.#text[start] !== '"') return this.#fail("a key in double quotes was expected");
      if (!this.#match(STRING)) return this.#badString();
      const key = members && (JSON.parse(this.#text.slice(start, this.#at)) as string);
      this.blank();
      if (!this.#take(":")) return this.#fail('":" was expected behind a key');
      this.blank();
      const from = this.#at;
      if (!this.value(depth + 1)) return false;
      if (key !== undefined) members?.set(key, this.#text.slice(from, this.#at));
      return true;
    });
  }

  #list(close: string, item: () => boolean): boolean {
    this.#at++;
    this.blank();
    if (this.#take(close)) return true;
    for (;;) {
      if (!item()) return false;
      this.blank();
      if (this.#take(close)) return true;
      if (!this.#take(",")) return this.#fail(`"," or "${close}" was expected`);
      this.blank();
    }
  }

  /** Finds the place in a string at which it goes wrong. */
  #badString(): false {
    const good = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
    this.#match(good);
    const next = this.#text[this.#at];
    if (next === "\\") return this.#fail("a string has an invalid escape");
    return this.#fail(next === undefined ? "a string is not closed" : "a string has a raw control character");
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #fail(why: string): false {
    const next = this.#text.slice(this.#at, this.#at + 12);
    const place = next === "" ? "at the end" : `at offset ${this.#at}, before ${JSON.stringify(next)}`;
    this.fault ??= { offset: this.#at, message: `${why} ${place}` };
    return false;
  }
}
