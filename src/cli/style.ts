import type { Io } from "./io.ts";

type Paint = (text: string) => string;

/** How things look on the terminal. */
export interface Style {
  thought: Paint;
  name: Paint;
  wrong: Paint;
  repaired: Paint;
  aside: Paint;
}

/** Colours for a terminal, unless `NO_COLOR` is set (https://no-color.org); plain text for everything else. */
export function styleFor({ stdout, env }: Io): Style {
  const coloured = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      coloured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    thought: paint(2, 22),
    name: paint(36, 39),
    wrong: paint(31, 39),
    repaired: paint(33, 39),
    aside: paint(2, 22),
  };
}

/** Control characters, all but tab and line feed: shown to a terminal, they would be obeyed. */
const CONTROLS = /[^\P{Control}\t\n]/gu;

/** Text that a model wrote, safe to show: a control character becomes its picture, `␛`, or U+FFFD. */
export function visible(text: string): string {
  return text.replace(/\r(?=\n|$)/g, "").replace(CONTROLS, (char) => {
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\u240a");
}
