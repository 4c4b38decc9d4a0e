/** The figures as Markdown. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { median } from "./measure.mjs";

const peers = ["@streamparser/json", "partial-json", "ai", "@ai-sdk-tool/parser"];

export function report(results, { quick, only }) {
  const find = (wanted) =>
    results.find((result) => Object.entries(wanted).every(([key, value]) => result[key] === value));
  const part = quick || only ? ` Part of a run: \`${quick ? "--quick" : ""}${only ? `--only ${only}` : ""}\`.` : "";
  const sections = [
    `${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ` +
      `${peers.map((name) => `${name} ${versionOf(name)}`).join(", ")}.${part}`,
    engineTable(results, "none", "Without validation"),
    engineTable(results, "coerce", "With the default validation (`coerce`)"),
    checksTable(results, find),
    growthTable(results, find),
    reparseTable(results, find),
    streamTable(results, find),
    valuesTable(results),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function versionOf(name) {
  return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
}

/** The first columns name the row, the others are figures. Aligned as the formatter aligns tables. */
function table(title, note, names, figures, rows) {
  if (rows.length === 0) return "";
  const cells = [[...names, ...figures], ...rows].map((row) => row.map(String));
  const widths = cells[0].map((_, column) => Math.max(3, ...cells.map((row) => row[column].length)));
  const isFigure = (column) => column >= names.length;
  const pad = (cell, column) => (isFigure(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]));
  const rule = widths.map((width, column) => (isFigure(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const [head, ...body] = cells.map((row) => row.map(pad));
  return [`### ${title}`, "", note, "", ...[head, rule, ...body].map((row) => `| ${row.join(" | ")} |`)].join("\n");
}

function duration(nanoseconds) {
  for (const [unit, length] of [
    ["s", 1e9],
    ["ms", 1e6],
    ["µs", 1e3],
  ]) {
    if (nanoseconds >= length) return `${digits(nanoseconds / length)} ${unit}`;
  }
  return `${digits(nanoseconds)} ns`;
}

function digits(value) {
  return value >= 10 ? Math.round(value).toLocaleString("en") : value.toFixed(1);
}

/** The results that agree in these properties, and what they agree in. */
function grouped(results, properties) {
  const groups = new Map();
  for (const result of results) {
    const names = properties.map((property) => result[property]);
    const key = names.join();
    if (!groups.has(key)) groups.set(key, { names, group: [] });
    groups.get(key).group.push(result);
  }
  return [...groups.values()];
}

function engineTable(results, validation, title) {
  const mine = results.filter((result) => result.kind === "engine" && result.validation === validation);
  const rows = grouped(mine, ["format", "payload", "size"]).map(({ names, group }) => [
    ...names,
    ...[4, 20, "whole"].map((chunk) => againstFloor(group.find((result) => result.chunk === chunk))),
  ]);
  const spreads = mine
    .filter(({ failed }) => !failed)
    .map(({ ratio, quartiles: [low, high] }) => (high - low) / 2 / ratio);
  const note =
    "Ratio to the floor (time per chunk : the floor's). " +
    `Half of the batches of a line lie within ±${digits(median(spreads) * 100)} %.`;
  return table(title, note, ["format", "arguments", "size"], ["4 characters", "20", "whole"], rows);
}

function againstFloor(result) {
  if (result === undefined) return "–";
  if (result.failed) return "failed";
  const { ratio, run, chunks, floor, floorChunks = chunks } = result;
  return `**${ratio.toFixed(1)}x** (${duration(run / chunks)} : ${duration(floor / floorChunks)})`;
}

/** Parsing alone beside parsing with checks, where a run has both. */
function checksTable(results, find) {
  const rows = [];
  for (const none of results) {
    const { kind, format, payload, size, chunk, validation } = none;
    if (kind !== "engine" || validation !== "none" || chunk !== 4 || !["10KB", "100KB"].includes(size)) continue;
    const coerce = find({ kind, format, payload, size, chunk, validation: "coerce" });
    if (coerce === undefined) continue;
    const more = none.failed || coerce.failed ? "–" : `${(coerce.ratio / none.ratio).toFixed(2)}x`;
    rows.push([format, payload, size, againstFloor(none), againstFloor(coerce), more]);
  }
  const note =
    "Ratio to the floor (time per chunk : the floor's) at 4 characters: parsing alone, and with the arguments held against " +
    "their schema while they stream. The last column is the one ratio over the other.";
  const figures = ["without validation", "`coerce`", "the checks"];
  return table("What the checks cost", note, ["format", "arguments", "size"], figures, rows);
}

function growthTable(results, find) {
  const small = results.filter((result) => result.kind === "engine" && result.chunk === 4 && result.size === "10KB");
  const rows = grouped(small, ["format", "payload"]).map(({ names, group }) => {
    const [{ kind, format, payload, chunk }] = group;
    const exponent = (validation, time) => {
      const [from, to] = ["10KB", "1MB"].map((size) => find({ kind, format, payload, size, chunk, validation }));
      if (from?.run === undefined || to?.run === undefined) return "–";
      return (Math.log(to[time] / from[time]) / Math.log(to.chunks / from.chunks)).toFixed(2);
    };
    const late = Math.max(...group.map((result) => result.late));
    return [
      ...names,
      exponent("none", "floor"),
      exponent("none", "run"),
      exponent("coerce", "run"),
      late === 0 ? "yes" : `${late} late`,
    ];
  });
  const note =
    "Exponent of the time from 10 KB to 1 MB at 4 characters: 1 is linear, 2 quadratic. First delta: has it come out when " +
    "the chunk has been read in which the first string among the arguments begins?";
  const figures = ["floor", "without validation", "`coerce`", "first delta at once"];
  return table("Growth and delay", note, ["format", "arguments"], figures, rows);
}

function reparseTable(results, find) {
  const mine = results.filter((result) => result.kind === "reparse");
  const rows = grouped(mine, ["payload", "size", "chunk"]).map(({ names, group }) => {
    const [{ payload, size, chunk }] = group;
    const own = find({ kind: "engine", format: "mistral", payload, size, chunk, validation: "none" });
    const [partialJson, ai] = ["partial-json", "ai"].map((peer) => group.find((result) => result.peer === peer));
    const floor = own?.floor;
    return [
      ...names,
      floor === undefined ? "–" : duration(floor),
      ...[own, partialJson, ai].map((result) => wholeReply(result, floor)),
    ];
  });
  const note =
    "Time for a whole reply (ratio to the floor) when the text so far is parsed again after each chunk. " +
    "tool-call-parser: mistral, without validation. \\* Estimated: only every n-th prefix was parsed.";
  const figures = ["floor", "tool-call-parser", "partial-json", "`parsePartialJson` of ai"];
  return table("Parsing again after each chunk", note, ["arguments", "size", "chunk"], figures, rows);
}

function streamTable(results, find) {
  const mine = results.filter((result) => result.kind === "stream");
  const rows = mine.map((result) => {
    const { format, payload, size, chunk, fed, chunks, delta, right } = result;
    const own = find({ kind: "engine", format, payload, size, chunk, validation: "coerce" });
    const first = delta === null ? `none in ${fed} chunks` : `chunk ${delta} of ${chunks}`;
    return [
      ...[format, payload, size, chunk],
      wholeReply(own),
      wholeReply(result, own?.run),
      result.failed ? "–" : first,
      { true: "yes", false: "no" }[right] ?? "–",
    ];
  });
  const note =
    "Time for a whole reply (and how many times ours). tool-call-parser: `coerce`. " +
    "\\* Estimated: stopped after some seconds, the rest scaled with the square of the length.";
  const figures = ["tool-call-parser", "@ai-sdk-tool/parser", "its first delta", "its arguments right"];
  return table("@ai-sdk-tool/parser", note, ["format", "arguments", "size", "chunk"], figures, rows);
}

function wholeReply(result, unit) {
  if (result === undefined) return "–";
  if (result.failed) return "failed";
  const ratio = unit === undefined ? "" : ` (${digits(result.run / unit)}x)`;
  return `${duration(result.run)}${result.estimated ? "\\*" : ""}${ratio}`;
}

function valuesTable(results) {
  const mine = results.filter((result) => result.kind === "values");
  const parsers = ["JSONParser", "Tokenizer", "TokenParser"];
  const rows = grouped(mine, ["payload", "size", "chunk"]).map(({ names, group }) => [
    ...names,
    ...parsers.map((peer) => againstFloor(group.find((result) => result.peer === peer))),
  ]);
  const note = "Ratio to the floor (time per chunk : the floor's), given the arguments alone.";
  const figures = ["`JSONParser`", "`Tokenizer`", "`TokenParser`, tokens ready"];
  return table("@streamparser/json", note, ["arguments", "size", "chunk"], figures, rows);
}
