/**
 * `npm run build && node bench/earliness.mjs [--calls N] [--seed N]`: how much of a wrong call has come when its first
 * problem is told. Real calls (../shared/corpus/function-calls.ndjson) are made wrong, 1,000 in all and as many for each
 * keyword, written in a format and fed in chunks of four characters. Prints Markdown tables, one for each profile. Exits
 * with 1 where a kind of fault that must be told early is told late.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createParser, getFormat, parse, validateArguments } from "../dist/src/index.js";
import { generator } from "./random.mjs";
import { keywords, withoutFault, wrongCalls } from "./wrong-calls.mjs";

const { values: options } = parseArgs({
  options: { calls: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});

const formats = ["mistral", "hermes", "qwen3-coder"];
const profiles = ["coerce", "strict"];
const CHUNK = 4;

/** Kinds that must be told, on the average, before this share of what stands behind the fault has come. */
const LIMIT = 0.6;
const mustBeEarly = ["type", "unknown tool", "enum", "additionalProperties"];

const realCalls = readFileSync(new URL("../../shared/corpus/function-calls.ndjson", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const valid = realCalls.flatMap(({ tools, calls }) =>
  calls.map((call) => ({
    ...call,
    schema: tools.find((tool) => tool.function.name === call.name).function.parameters,
  })),
);

for (const profile of profiles) {
  const rows = keywords.map((keyword, i) => {
    const count = share(i);
    return { keyword, count, means: formats.map((format) => meansOf(keyword, count, format, profile)) };
  });
  console.log(`### \`${profile}\`\n\n${table(rows)}\n`);
  for (const { keyword, means } of rows.filter((row) => mustBeEarly.includes(row.keyword))) {
    for (const [i, { behind }] of means.entries()) {
      if (behind < LIMIT) continue;
      console.error(`${profile}: ${keyword} is told late in ${formats[i]}`);
      process.exitCode = 1;
    }
  }
}

/** How many of the calls are for the keyword of this number. */
function share(i) {
  const [from, to] = [i, i + 1].map((end) => Math.round((Number(options.calls) * end) / keywords.length));
  return to - from;
}

/** The means over some wrong calls of one kind in a format: those that are wrong there, too. */
function meansOf(keyword, count, format, profile) {
  const random = generator(Number(options.seed) * 1000 + keywords.indexOf(keyword));
  const told = [];
  for (const wrong of wrongCalls(keyword, valid, random)) {
    if (told.length === count) break;
    const text = written(format, wrong.call);
    if (text !== null && isRejected(wrong, text, format, profile)) told.push(toldIn(format, text, wrong, profile));
  }
  const mean = (part) => told.reduce((sum, one) => sum + one[part], 0) / count;
  return { whole: mean("whole"), behind: mean("behind") };
}

/** The text of a call, or null where the format cannot write it. */
function written(format, call) {
  try {
    return getFormat(format).render({ calls: [call] });
  } catch (error) {
    if (error.name === "RenderError") return null;
    throw error;
  }
}

/** Is the call wrong for the check of finished arguments, and for the parser that gets its text whole? */
function isRejected({ tool, call }, text, format, profile) {
  const isWrong = call.name !== tool.name || !validateArguments(call.arguments, tool.parameters, { profile }).ok;
  if (!isWrong) return false;
  const { calls, rejected } = parse(text, { format, tools: [tool], validation: profile });
  return calls.length === 0 && rejected.length === 1;
}

/** The share of the call's text that has come when its first problem is told, and of what stands behind the fault. */
function toldIn(format, text, wrong, profile) {
  const place = commonLength(text, written(format, withoutFault(wrong)) ?? "");
  let told = false;
  const onEvent = ({ type }) => {
    if (type === "tool-problem") told = true;
  };
  const parser = createParser({ format, tools: [wrong.tool], validation: profile, onEvent });
  let come = 0;
  while (!told && come < text.length) {
    parser.feed(text.slice(come, come + CHUNK));
    come = Math.min(come + CHUNK, text.length);
  }
  return { whole: come / text.length, behind: Math.max(0, come - place) / (text.length - place) };
}

/** How far two texts are the same. */
function commonLength(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

function table(rows) {
  const percent = (value) => `${Math.round(value * 100)} %`;
  const head = ["keyword", "calls", ...formats.flatMap((format) => [`${format}: of the call`, "behind the fault"])];
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  const cells = rows.map(({ keyword, count, means }) => [
    keyword,
    count,
    ...means.flatMap(({ whole, behind }) => [percent(whole), percent(behind)]),
  ]);
  return [head, rule, ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
