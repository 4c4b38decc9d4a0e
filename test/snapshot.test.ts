import { describe, expect, test } from "vitest";
import { createParser } from "../src/index.ts";

const OUTPUT =
  'Hm.[TOOL_CALLS]save[ARGS]{"path": "a\\n.txt", "tags": ["one", "tw\\"o", []], "n": -1.5e3, "deep": {"__proto__": {"ok": true}, "none": null}, "long": "abc def"}';

describe("snapshot", () => {
  test("shows the text, and the arguments of the open call as far as they have come", () => {
    const parser = createParser({ format: "mistral" });
    parser.feed(OUTPUT.slice(0, OUTPUT.indexOf("tw") + 2));
    const { content, calls, open } = parser.snapshot();
    expect(content).toBe("Hm.");
    expect(calls).toEqual([]);
    expect(open?.name).toBe("save");
    expect(open?.arguments).toEqual({ path: "a\n.txt", tags: ["one", "tw"] });
    expect(open?.argumentsText).toBe('{"path":"a\\n.txt","tags":["one","tw');
  });

  test("taken after every character, it grows into the arguments of the call", () => {
    const parser = createParser({ format: "mistral" });
    let last: unknown;
    for (const char of OUTPUT.slice(0, -1)) {
      parser.feed(char);
      const { open } = parser.snapshot();
      if (open !== null) last = structuredClone(open.arguments);
    }
    parser.reset();
    parser.feed(OUTPUT);
    const [call] = parser.snapshot().calls;
    expect(call?.arguments).toEqual({ ...(last as object), long: "abc def" });
    expect(Object.getPrototypeOf((last as { deep: object }).deep)).toBe(Object.prototype);
  });

  test("has no open call before, between and after calls", () => {
    const parser = createParser({ format: "mistral" });
    expect(parser.snapshot().open).toBeNull();
    parser.feed(OUTPUT);
    expect(parser.snapshot().open).toBeNull();
    expect(parser.snapshot().calls).toHaveLength(1);
  });
});
