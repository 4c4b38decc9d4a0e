// The tour that `npm start` gives: real-looking outputs of each format, read by the command line in small chunks, as a
// server would send them. Nothing here is asked of you, and nothing is left behind.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { run } from "../dist/src/cli/run.js";

const examples = [
  ["hermes", "good", "A thought, text, two calls. The end-of-turn token at the end is gone."],
  [
    "hermes",
    "broken",
    'Python quotes are repaired and "3" becomes 3; an unknown tool and bad values are rejected, with reasons.',
  ],
  [
    "hermes",
    "cut",
    "The token limit came in the middle of the second call. The first one stands; the second never runs.",
  ],
  ["mistral", "good", "Name, separator, JSON. Lists and objects stream as well."],
  [
    "mistral",
    "broken",
    "The older list: a Windows path, inner quotes, a bare word. The siblings of the bad call come through.",
  ],
  ["mistral", "cut", "9. is no number yet, so nothing of it was shown."],
  ["qwen3-coder", "good", "Values are raw text. One holds the format's own tags, and keeps its indentation."],
  [
    "qwen3-coder",
    "broken",
    'Tags are missing; the schema says that 9.8 and True are no strings, and that "about ten" is no number.',
  ],
  ["qwen3-coder", "cut", "A list streams out of a tag until the output breaks off."],
  ["raw-json", "good", "No marker at all: a fenced list that is the whole message."],
  [
    "raw-json",
    "broken",
    "Objects in prose stay text. A comment, arguments in a string and a missing bracket are repaired.",
  ],
  ["raw-json", "cut", "What is not closed is not run."],
];

const isTerminal = process.stdout.isTTY === true;
const bold = (text) => (isTerminal && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[22m` : text);
const tools = "examples/tools.json";
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// each run of the command line listens for a reader that has gone
process.stdout.setMaxListeners(examples.length);

for (const [format, kind, whatToSee] of examples) {
  const file = `examples/${format}-${kind}.txt`;
  const flags = ["--format", format, "--tools", tools, ...(kind === "cut" ? ["--cut-off"] : [])];
  console.log(`${bold(`── ${format}, ${kind}`)}\n   ${whatToSee}\n   $ tool-call-parser ${flags.join(" ")} ${file}\n`);
  const stdin = chunks(await readFile(file));
  const { stdout, stderr, env } = process;
  const { code } = await run(flags, { stdin, stdout, stderr, env });
  console.log(`exit code ${code}\n`);
}

/** Seven bytes at a time; on a terminal slowly enough to watch. */
async function* chunks(bytes) {
  for (let at = 0; at < bytes.length; at += 7) {
    if (isTerminal) await sleep(4);
    yield bytes.subarray(at, at + 7);
  }
}
