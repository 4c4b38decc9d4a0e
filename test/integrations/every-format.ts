import type * as Library from "../../src/index.ts";

/**
 * Writes a turn in every format and reads it back: whole, through a stream of two-character chunks, and cut off.
 * It goes to other runtimes as its own source text, so it names nothing that stands outside of it.
 */
export async function everyFormat(library: typeof Library): Promise<Record<string, unknown>> {
  const tools = [
    {
      name: "tide_level",
      parameters: {
        type: "object",
        properties: { port: { type: "string", pattern: "^\\p{Lu}\\w+$" }, days: { type: "integer" } },
        required: ["port"],
        // only the full validator knows this, and it has its say under `strict`
        dependentSchemas: { days: { required: ["port"], unevaluatedProperties: { type: ["integer", "string"] } } },
      },
    },
  ];
  const calls = [{ name: "tide_level", arguments: { port: "Oban", days: 2 } }];
  const found: Record<string, unknown> = {};
  for (const format of library.formatNames()) {
    const options = { format, tools, generateId: (index: number) => `id${index}` };
    const text = library.getFormat(format).render({ calls }, { tools });
    const chunks = new ReadableStream<string>({
      start(controller) {
        for (let at = 0; at < text.length; at += 2) controller.enqueue(text.slice(at, at + 2));
        controller.close();
      },
    });
    let streamed: unknown = null;
    for await (const event of library.parseStream(chunks, options)) {
      if (event.type === "finish") streamed = event.result;
    }
    const cut = library.parse(text.slice(0, -text.length / 3), { ...options, format: "auto", finished: false });
    const bad = library.parse(text.replace("Oban", "oban"), { ...options, validation: "strict" });
    const strict = library.parse(text, { ...options, validation: "strict" });
    const problems = [...cut.rejected, ...bad.rejected].map((call) => library.describeProblems(call));
    found[format] = { whole: library.parse(text, options), streamed, strict, problems };
  }
  return found;
}
