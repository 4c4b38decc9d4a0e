import { type ParserEvent, parseStream } from "../index.ts";
import { Account } from "./account.ts";
import { misuse, parserOptions } from "./options.ts";
import { Places } from "./places.ts";
import type { ExitCode, Task } from "./run.ts";
import { styleFor } from "./style.ts";
import { begun, readText } from "./text.ts";

/** Shows what a model wrote, as it arrives. */
export async function parseCommand(task: Task): Promise<ExitCode> {
  const { flags, operand, io, out } = task;
  if (flags.json === true && flags.events === true) throw misuse("--json and --events exclude each other.");
  const options = await parserOptions(flags, io);
  const places = new Places();
  const source = noting(await begun(readText(operand, io)), places);
  const show = shower(task, places);
  let code: ExitCode = 0;
  for await (const event of parseStream(source, { ...options, finished: flags["cut-off"] !== true })) {
    if (event.type === "tool-call-rejected") code = 1;
    show(event);
    await out.drained();
  }
  if (places.isEmpty) io.stderr.write("tool-call-parser: the input is empty.\n");
  return code;
}

function shower({ flags, io, out }: Task, places: Places): (event: ParserEvent) => void {
  if (flags.events === true) return (event) => out.writeJson(event);
  if (flags.json === true) {
    return (event) => {
      if (event.type === "finish") out.writeJson(event.result, 2);
    };
  }
  const account = new Account(out, styleFor(io), places);
  return (event) => account.take(event);
}

/** Keeps track of the text that goes by, so that places in it can be named. */
async function* noting(text: AsyncIterable<string>, places: Places): AsyncGenerator<string, void, undefined> {
  for await (const chunk of text) {
    places.add(chunk);
    yield chunk;
  }
}
