import { ARRAY, kindOfText, OBJECT } from "../value.ts";

/** Longer runs are left to the regular expression engine. */
const SHORT = 16;
const RUN = /[^"\\]*/y;
const ESCAPE = /\\u[0-9a-fA-F]{4}|\\?[\s\S]/y;

/**
 * Reads along in the JSON text of arguments as it goes out: a prefix of compact and valid JSON, in pieces that cut no
 * number, word, escape or surrogate pair. So its lexer is a few lines, and it needs no text of a string that nobody asks about.
 */
export abstract class LiveText {
  /** The piece that is read, and the position in it up to which what was found is certain. */
  protected piece = "";
  protected at = 0;
  /** The path of the value that is read. */
  protected readonly keys: (string | number)[] = [];
  /** The containers that are open: is it an object? */
  private readonly objects: boolean[] = [];
  private inString = false;
  private name: string | null = null;
  private wantsName = false;
  /** The string that is open is watched. */
  watched = false;
  /** Half of something, where a piece cuts it all the same. */
  private rest = "";

  /** A list or an object begins. */
  protected abstract open(kind: number): void;
  /** A string begins. True: `text` is to be called with what is in it. */
  protected abstract openText(): boolean;
  /** The next characters of a string that is watched, as they are written in JSON. */
  protected abstract text(json: string, at: number): void;
  protected abstract closeText(): void;
  /** A number, a boolean or null. */
  protected abstract scalar(kind: number, json: string): void;
  /** The key of the value that comes next, the last one in `keys`. */
  protected abstract key(name: string): void;
  /** The list or object that is open ends. */
  protected abstract close(): void;

  /** Nothing is left for the last check. */
  get isDecided(): boolean {
    return false;
  }

  feed(json: string): void {
    const piece = this.rest === "" ? json : this.rest + json;
    this.rest = "";
    this.piece = piece;
    for (let i = 0; i < piece.length; ) i = this.inString ? this.readText(piece, i) : this.readToken(piece, i);
  }

  private readToken(piece: string, i: number): number {
    const code = piece.charCodeAt(i);
    this.at = i + 1;
    switch (code) {
      case 0x22:
        this.inString = true;
        if (this.wantsName) {
          this.name = "";
        } else {
          this.countItem();
          this.watched = this.openText();
        }
        return i + 1;
      case 0x7b:
      case 0x5b: {
        this.countItem();
        this.open(code === 0x7b ? OBJECT : ARRAY);
        this.objects.push(code === 0x7b);
        this.wantsName = code === 0x7b;
        if (code === 0x5b) this.keys.push(-1);
        else this.keys.push("");
        return i + 1;
      }
      case 0x7d:
      case 0x5d:
        this.keys.pop();
        this.objects.pop();
        this.wantsName = false;
        this.close();
        return i + 1;
      case 0x2c:
        this.wantsName = this.objects[this.objects.length - 1] === true;
        return i + 1;
      case 0x3a:
        return i + 1;
      default: {
        let end = i + 1;
        while (end < piece.length && !ends(piece.charCodeAt(end))) end++;
        this.at = end;
        this.countItem();
        this.scalar(kindOfText(code), piece.slice(i, end));
        return end;
      }
    }
  }

  /** A value begins: counts it, where it stands in a list. */
  private countItem(): void {
    const last = this.keys.length - 1;
    const key = this.keys[last];
    if (typeof key === "number") this.keys[last] = key + 1;
  }

  private readText(piece: string, i: number): number {
    const end = endOfRun(piece, i);
    if (end > i) {
      if (this.name !== null) this.name += piece.slice(i, end);
      else if (this.watched) this.text(piece.slice(i, end), i);
    }
    if (end === piece.length) return end;
    if (piece.charCodeAt(end) !== 0x22) {
      this.rest = piece.slice(end);
      return piece.length;
    }
    this.at = end + 1;
    this.inString = false;
    if (this.name !== null) this.closeName(this.name);
    else if (this.watched) this.closeText();
    this.watched = false;
    return end + 1;
  }

  private closeName(raw: string): void {
    const name = raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
    this.name = null;
    this.wantsName = false;
    this.keys[this.keys.length - 1] = name;
    this.key(name);
  }
}

/** The characters of a piece of a JSON string, one by one: what each is, and where it ends in the piece. */
export function* unitsOf(json: string): Generator<[text: string, end: number]> {
  for (let end = 0; end < json.length; ) {
    ESCAPE.lastIndex = end;
    const [unit] = ESCAPE.exec(json) as RegExpExecArray;
    end += unit.length;
    yield [unit.length > 1 ? (JSON.parse(`"${unit}"`) as string) : unit, end];
  }
}

/** Does a number or a word end here? */
function ends(code: number): boolean {
  return code === 0x2c || code === 0x7d || code === 0x5d;
}

/** Where the string ends, or, in half an escape, the piece. */
export function endOfRun(piece: string, from: number): number {
  let i = from;
  while (i < piece.length) {
    const code = piece.charCodeAt(i);
    if (code === 0x22) return i;
    if (code === 0x5c) {
      if (i + 1 === piece.length) return i;
      i += 2;
    } else if (piece.length - i < SHORT) {
      i++;
    } else {
      RUN.lastIndex = i;
      RUN.test(piece);
      i = RUN.lastIndex;
    }
  }
  return i;
}
