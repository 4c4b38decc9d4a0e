/**
 * One line of the benchmark, in a process of its own so that no other line has shaped its compiled code or its heap:
 * `node bench/line.mjs LINE`, the line as JSON. Prints the figures as JSON; times are nanoseconds per reply.
 */
import { deepStrictEqual } from "node:assert";
import { createParser, getFormat } from "../dist/src/index.js";
import { compare, cpu } from "./measure.mjs";
import { cut, payload } from "./payloads.mjs";

const line = JSON.parse(process.argv[2]);
const { name, schema, first, args, json } = payload(line.payload, line.size);

const measure = { engine, values, reparse, stream }[line.kind];
process.stdout.write(JSON.stringify(await measure()));

/** The least that anyone does who wants the arguments: put the chunks together, parse once. */
function floorOf(chunks) {
  return () => {
    let text = "";
    for (const chunk of chunks) text += chunk;
    return JSON.parse(text);
  };
}

/** This library, given what a model writes in a format. The floor gets the arguments alone, as JSON. */
function engine() {
  const { format, validation } = line;
  const tools = [{ type: "function", function: { name, parameters: schema } }];
  const wire = getFormat(format).render({ calls: [{ name, arguments: args }] });
  const chunks = cut(wire, line.chunk);
  const argumentChunks = cut(json, line.chunk);
  const parserFor = (onEvent) => createParser({ format, tools, validation, onEvent });

  let events = 0;
  const run = () => {
    const parser = parserFor(() => events++);
    for (const chunk of chunks) parser.feed(chunk);
    return parser.end();
  };
  deepStrictEqual(run().calls[0]?.arguments, args);

  return {
    ...compare(floorOf(argumentChunks), run, line.milliseconds),
    chunks: chunks.length,
    floorChunks: argumentChunks.length,
    late: chunksLate(parserFor, wire, chunks),
  };
}

/** The first string among the arguments has begun to come: how many chunks after that does the first delta come out? */
function chunksLate(parserFor, wire, chunks) {
  let begun = false;
  const parser = parserFor((event) => {
    if (event.type === "tool-input-delta") begun = true;
  });
  let fed = 0;
  let late = 0;
  for (const chunk of chunks) {
    parser.feed(chunk);
    fed += chunk.length;
    if (begun) break;
    if (fed > wire.indexOf(first)) late++;
  }
  return late;
}

/** A parser of JSON alone that is fed the arguments. */
async function values() {
  const { jsonParsers } = await import("./peers.mjs");
  const chunks = cut(json, line.chunk);
  const run = await jsonParsers[line.peer](chunks);
  return { ...compare(floorOf(chunks), run, line.milliseconds), chunks: chunks.length };
}

/** The arguments so far are parsed again after each chunk, or after every n-th where all would take too long. */
async function reparse() {
  const { reparsers } = await import("./peers.mjs");
  const parse = await reparsers[line.peer]();
  const chunks = cut(json, line.chunk);
  const sample = await parseEvery(Math.ceil(chunks.length / 50));
  return parseEvery(Math.ceil(sample.run / 1e6 / line.milliseconds));

  async function parseEvery(step) {
    let text = "";
    let parsed = 0;
    const start = cpu();
    for (let i = 1; i <= chunks.length; i++) {
      text += chunks[i - 1];
      if (i % step !== 0) continue;
      await parse(text);
      parsed++;
    }
    return { run: ((cpu() - start) / parsed) * chunks.length * 1e6, estimated: step > 1, chunks: chunks.length };
  }
}

/** A parser of model output, stopped when the time is up: its cost then grows on as the square of the length. */
async function stream() {
  const { toolParser } = await import("./peers.mjs");
  const chunks = cut(getFormat(line.format).render({ calls: [{ name, arguments: args }] }), line.chunk);
  const read = (milliseconds) => toolParser(line.format, { name, schema }, chunks, milliseconds);
  await read(line.milliseconds / 4);
  const { elapsed, fed, delta, input } = await read(line.milliseconds);
  const whole = fed === chunks.length;
  return {
    run: elapsed * 1e6 * (chunks.length / fed) ** 2,
    estimated: !whole,
    chunks: chunks.length,
    fed,
    delta,
    right: whole ? JSON.stringify(input) === json : null,
  };
}
