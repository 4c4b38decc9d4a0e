import type { FormatDeclaration } from "../../src/index.ts";

/** What a format of messages may leave out of the text: headers, messages of others, what follows a call or the turn. */
export class Headers {
  private readonly start: string;
  private readonly role: string | undefined;
  private readonly bodies: readonly string[];
  private readonly header: readonly string[];
  private readonly ends: readonly string[];
  private readonly pauses: readonly string[];
  /** The output may begin in the middle of a header, or behind the end of a turn. */
  private readonly opened: boolean;

  constructor(layout: NonNullable<FormatDeclaration["messages"]>, prefill: string) {
    const { start, role, channel, type, bodies, ends, pauses = [], stops = [] } = layout;
    this.start = start;
    this.role = role;
    this.bodies = Object.keys(bodies);
    this.header = [start, ...(channel ? [channel.token] : []), ...(type ? [type] : [])];
    this.ends = ends;
    this.pauses = [...pauses, ...stops];
    this.opened = [...this.header, ...this.bodies, ...ends, ...this.pauses].some((token) => {
      return [...token].some((_, length) => prefill.includes(token.slice(0, length + 1)));
    });
  }

  /** Lengths of what may be missing at this place. `behindCall`: a call ends in front of the text. */
  lengths(text: string, at: number, behindCall: boolean): number[] {
    const { start, role, bodies, header, ends, pauses, opened } = this;
    const all = [...bodies, ...header, ...ends, ...pauses];
    const here = (tokens: readonly string[]): number => tokens.find((token) => text.startsWith(token, at))?.length ?? 0;
    const upTo = (tokens: readonly string[], from: number): number[] => {
      const places = tokens.map((token) => text.indexOf(token, from)).filter((place) => place >= 0);
      return [Math.min(text.length, ...places) - at];
    };
    const found: number[] = [];
    if (here(bodies) > 0) found.push(here(bodies), here(bodies) + 1);
    if (here(header) > 0) {
      const length = here(header);
      const words = [/^\s*[^\s<{`]*/, new RegExp(`^\\s*${role ?? ""}`)].map((word) =>
        word.exec(text.slice(at + length)),
      );
      found.push(length, ...words.map((word) => length + (word?.[0].length ?? 0)), ...upTo(all, at + length));
    }
    if (here([start]) > 0 && role !== undefined) found.push(...upTo([start], at + start.length));
    if (here(ends) > 0) found.push(here(ends));
    if (here(pauses) > 0) found.push(...upTo(header, at + here(pauses)));
    // blanks behind a message
    const blanks = /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    if (all.some((token) => text.startsWith(token, at + blanks))) found.push(blanks);
    // the rest of a call's message, and of a header
    if (at === 0 && behindCall) found.push(...upTo(all, at), ...upTo([...ends, ...pauses], at));
    if (at === 0 && (opened || /^ ?(?:assistant|to=|[\w.-]+<)/.test(text))) {
      found.push(...upTo(all, at), ...upTo([start], at));
    }
    return found;
  }
}
