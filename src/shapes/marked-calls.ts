import type { FormatDeclaration, Reading } from "../format.ts";
import { tokenCalls } from "./parameter-tags.ts";
import type { ParameterTags } from "./tags.ts";
import { writtenCalls } from "./written-tags.ts";

/** Bars that stand around the mark's token, the right one first. */
const BARS = ["｜", "|", "‖", "│", "∣", "❘"];
const WRAPPERS = ["tool_calls", "function_calls"];
const MISSPELT = ["toolcalls", "functioncalls", "calls"];

/**
 * Invokes whose tags bear a mark, so that a value may hold any other tag, with the wrapper's name:
 * `<｜DSML｜tool_calls><｜DSML｜invoke name="tide_level"><｜DSML｜parameter name="port" string="true">Oban</｜DSML｜parameter>…`
 */
export function markedCalls(
  token: string,
  wrapper: string,
): Pick<FormatDeclaration, "tokens" | "opens" | "closers" | "dropped" | "render"> {
  const marks = BARS.flatMap((bar) => [
    `${bar}${token}${bar}`,
    `${bar}${bar}${token}${bar}${bar}`,
    `${bar}${bar}${token}${bar}${bar} `,
    ` ${bar} ${token} ${bar} `,
  ]);
  const [mark] = marks as [string];
  const [wrap, ...wraps] = [wrapper, ...WRAPPERS.filter((other) => other !== wrapper)].map((name) => ({
    open: `<${name}>`,
    close: `</${name}>`,
  }));
  const tags: ParameterTags = {
    ...(wrap ? { wrap } : {}),
    wraps,
    call: { open: "<invoke name=", close: "</invoke>" },
    parameter: { open: "<parameter name=", close: "</parameter>", stem: "param" },
    marks,
    type: { attribute: "string", text: "true", of: (value) => String(typeof value === "string") },
    allIn: "arguments",
  };
  const read = tokenCalls(tags);
  // the whole opener tells the formats apart that share the mark
  const whole: Reading = (input, calls, opener, from) => {
    input.pos -= opener.length - mark.length - 1;
    return read(input, calls, `<${mark}`, from);
  };
  const unmarked = [...WRAPPERS.map((name) => `<${name}>`), "<invoke name="];
  const close = (names: readonly string[], by: readonly string[]): string[] =>
    by.flatMap((one) => names.map((name) => `</${one}${name}>`));
  return {
    tokens: [mark, "<think>", "</think>"],
    opens: {
      [`<${mark}${wrapper}>`]: whole,
      ...Object.fromEntries([...marks.map((one) => `<${one}`), ...unmarked].map((opener) => [opener, read])),
    },
    closers: [...close(WRAPPERS, [...marks, ""]), ...close(MISSPELT, marks.slice(0, 3))],
    dropped: close([...WRAPPERS, "invoke", "parameter"], [mark]),
    render: ({ reasoning, content = "", calls = [] }) => {
      const thought = reasoning ? `<think>${reasoning}</think>` : "";
      const list =
        calls.length > 0 ? `\n\n<${mark}${wrapper}>\n${writtenCalls(tags, calls, "\n")}</${mark}${wrapper}>` : "";
      return thought + content + list;
    },
  };
}
