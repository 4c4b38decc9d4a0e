/**
 * `npm run bench`, or `node bench/run.mjs [--quick] [--only REGEX] [--write]` on a build that is there.
 * Prints Markdown tables; a whole run (or `--write`) also puts them into bench/README.md.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatNames } from "../dist/src/index.js";
import { sizes } from "./payloads.mjs";
import { report } from "./report.mjs";

const { values: options } = parseArgs({
  options: { quick: { type: "boolean" }, only: { type: "string" }, write: { type: "boolean" } },
});

const formats = ["raw-json", "mistral", "hermes", "qwen3-coder"];
const payloads = ["code", "records"];

/** Every line of a whole run. `milliseconds`: how long it is measured, and warmed up before. */
function* allLines() {
  for (const format of formats) {
    for (const payload of payloads) {
      for (const size of Object.keys(sizes)) {
        for (const chunk of [4, 20, "whole"]) {
          for (const validation of ["none", "coerce"]) {
            yield { kind: "engine", peer: format, format, payload, size, chunk, validation, milliseconds: 1000 };
          }
        }
      }
    }
  }
  for (const format of formatNames().filter((name) => !formats.includes(name))) {
    for (const payload of payloads) {
      const line = { kind: "engine", peer: format, format, payload, size: "10KB", chunk: 4, validation: "none" };
      yield { ...line, milliseconds: 400 };
    }
  }
  for (const payload of payloads) {
    for (const peer of ["JSONParser", "Tokenizer", "TokenParser"]) {
      yield { kind: "values", peer, payload, size: "10KB", chunk: 4, milliseconds: 1000 };
    }
  }
  for (const payload of payloads) {
    for (const size of ["10KB", "100KB"]) {
      for (const chunk of [4, 20]) {
        for (const peer of ["partial-json", "ai"]) {
          yield { kind: "reparse", peer, payload, size, chunk, milliseconds: 3000 };
        }
        for (const format of ["hermes", "qwen3-coder"]) {
          yield { kind: "stream", peer: "@ai-sdk-tool/parser", format, payload, size, chunk, milliseconds: 5000 };
        }
      }
    }
  }
}

/** The lines of a quick run; an id is also what `--only` is matched with. */
const quick = [
  /^(raw-json|mistral|hermes|qwen3-coder)\/(code|records)\/10KB\/4\/none/,
  /^(mistral|qwen3-coder)\/(code|records)\/10KB\/4\/coerce/,
  /^hermes\/code\/10KB\/4\/coerce/,
  /^(mistral|qwen3-coder)\/(code|records)\/1MB\/4\/none/,
  /^(JSONParser|Tokenizer|TokenParser|partial-json|ai)\/records\/10KB\/4/,
  /^@ai-sdk-tool\/parser\/hermes\/code\/10KB\/4/,
];

function idOf({ peer, format = peer, payload, size, chunk, validation }) {
  const parts = [peer, ...(peer === format ? [] : [format]), payload, size, chunk];
  return [...parts, ...(validation === undefined ? [] : [validation])].join("/");
}

/** The whole line again, with its figures. */
function measured(line) {
  const milliseconds = options.quick ? line.milliseconds / 2.5 : line.milliseconds;
  const script = fileURLToPath(new URL("line.mjs", import.meta.url));
  const child = spawnSync(process.execPath, [script, JSON.stringify({ ...line, milliseconds })], {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (child.status === 0) return { ...line, ...JSON.parse(child.stdout) };
  console.error(child.stderr);
  process.exitCode = 1;
  return { ...line, failed: true };
}

const only = new RegExp(options.only ?? "");
const lines = [...allLines()].filter((line) => {
  const id = idOf(line);
  return only.test(id) && (!options.quick || quick.some((part) => part.test(id)));
});
const results = lines.map((line, i) => {
  const result = measured(line);
  const outcome = result.failed ? "failed" : result.ratio ? `${result.ratio.toFixed(1)}x` : "";
  console.error(`${i + 1}/${lines.length} ${idOf(line)} ${outcome}`);
  return result;
});

const markdown = report(results, options);
console.log(markdown);

if (options.write || !(options.quick || options.only)) {
  const readme = new URL("README.md", import.meta.url);
  const kept = readFileSync(readme, "utf8").split(/(?<=<!-- figures -->)[\s\S]*(?=<!-- end of figures -->)/);
  writeFileSync(readme, kept.join(`\n\n${markdown}\n\n`));
}
