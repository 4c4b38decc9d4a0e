/**
 * Many streams at once through `tool-call-parser serve`: is every byte there, does memory stay flat, and how much later does
 * a chunk come than from the upstream alone?
 *
 *   node bench/serve.mjs [--streams 500] [--rounds 5] [--chunks 40] [--interval 250]
 *
 * Three processes: this one is the clients, one plays a llama.cpp server, one is the program. Times are told by the clock of
 * the machine that all of them share.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./measure.mjs";

const here = fileURLToPath(import.meta.url);
const cli = fileURLToPath(new URL("../dist/src/cli/main.js", import.meta.url));

/** Microseconds, in 16 digits. */
const stamp = () => String(process.hrtime.bigint() / 1000n).padStart(16, "0");
const STAMP = /@(\d{16})/g;

/** What stands in a chunk, but for its time. */
const piece = (stream, at) => `[${stream}:${at}@TIME the swell is ${(stream * 7919 + at * 104729) % 1000} ü 🏔]\n`;
const args = (stream) => ({ port: `Oban ${stream} 🏔`, days: (stream % 14) + 1, note: `"${stream}"\\\n`.repeat(20) });
const call = (stream) => `<tool_call>\n${JSON.stringify({ name: "tide", arguments: args(stream) })}\n</tool_call>`;
const tailOf = (stream) => call(stream).match(/[\s\S]{1,64}/gu);

const tool = {
  type: "function",
  function: {
    name: "tide",
    parameters: {
      type: "object",
      properties: { port: { type: "string" }, days: { type: "integer" }, note: { type: "string" } },
      required: ["port", "days", "note"],
    },
  },
};

/** Milliseconds over which the streams of a round begin. */
const RAMP = 5000;

if (process.argv[2] === "upstream") upstream();
else await measure();

/** Plays a llama.cpp server: so many chunks of text, one every so often, and then a call. */
function upstream() {
  const [chunks, interval] = process.argv.slice(3).map(Number);
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (text) => (body += text));
    incoming.on("end", () => {
      const answer = (value) => response.end(JSON.stringify(value));
      if (incoming.url.startsWith("/props")) return answer({ chat_template: "{{ tools }}<tool_call></tool_call>" });
      const given = JSON.parse(body);
      if (incoming.url === "/apply-template") return answer({ prompt: `${given.messages[0].content}\nassistant\n` });
      const stream = Number(/stream (\d+)/.exec(given.prompt)[1]);
      const tail = tailOf(stream);
      response.writeHead(200, { "content-type": "text/event-stream" });
      let at = 0;
      const send = () => {
        const content =
          at < chunks ? piece(stream, at).replace("TIME", stamp()) : tail.slice(at - chunks, at - chunks + 1).join("");
        const stop = at === chunks + tail.length;
        response.write(
          `data: ${JSON.stringify({ content, stop, ...(stop ? { stop_type: "eos", tokens_predicted: at } : {}) })}\n\n`,
        );
        at++;
        if (stop) response.end();
        else setTimeout(send, interval);
      };
      setTimeout(send, Math.random() * interval);
    });
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
}

async function measure() {
  const { values } = parseArgs({
    options: Object.fromEntries(["streams", "rounds", "chunks", "interval"].map((name) => [name, { type: "string" }])),
  });
  const {
    streams = 500,
    rounds = 5,
    chunks = 40,
    interval = 250,
  } = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
  const server = await started([here, "upstream", String(chunks), String(interval)]);
  const program = await started([
    ...[cli, "serve", "--upstream", `http://127.0.0.1:${server.said.port}`, "--port", "0", "--format", "hermes"],
  ]);
  const direct = { url: `http://127.0.0.1:${server.said.port}/completion`, isRaw: true };
  const served = { url: `${program.said.url}/v1/chat/completions`, isRaw: false };
  const memory = watched(program.child.pid);
  let events = 0;
  console.log(`${streams} streams at once, ${chunks} chunks each, one every ${interval} ms; Node ${process.version}`);
  await round(served, Math.min(streams, 50), chunks); // compiles
  memory.mark();
  const before = cpuOf(program.child.pid);
  const latencies = { direct: [], served: [] };
  let bytes = 0;
  for (let count = 1; count <= rounds; count++) {
    const alone = await round(direct, streams, chunks);
    const through = await round(served, streams, chunks);
    latencies.direct.push(...alone.latencies);
    latencies.served.push(...through.latencies);
    bytes += through.bytes;
    events += through.events;
    console.log(
      `round ${count}: upstream alone ${shown(alone.latencies)}; serve ${shown(through.latencies)}; ` +
        `${through.bytes} bytes as they should be; resident ${memory.mark()} MB`,
    );
  }
  console.log(`bytes compared: ${bytes}, none lost, none wrong, none twice, in ${streams * rounds} streams`);
  console.log(`upstream alone: ${shown(latencies.direct)}`);
  console.log(`through serve:  ${shown(latencies.served)}`);
  const added = [0.5, 0.95, 0.99].map((at) => quantile(latencies.served, at) - quantile(latencies.direct, at));
  console.log(`added:          ${added.map((each) => `${(each / 1000).toFixed(2)} ms`).join(" / ")}`);
  const each = (cpuOf(program.child.pid) - before) / events;
  console.log(`CPU time of serve: ${Math.round(each * 1000)} µs for each of ${events} chunks of the upstream`);
  console.log(`resident memory of serve in MB: ${memory.marks.join(", ")}; at most ${memory.most()}`);
  program.child.kill("SIGTERM");
  server.child.kill();
}

/** Starts a program, and waits for its first line, which is JSON. */
function started(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve) => {
    child.stdout.once("data", (text) => resolve({ child, said: JSON.parse(text) }));
    child.stdout.resume();
  });
}

async function round({ url, isRaw }, streams, chunks) {
  const agent = new Agent({ keepAlive: false });
  const results = await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      // they come one after the other, as clients do
      await new Promise((resolve) => setTimeout(resolve, (RAMP * stream) / streams));
      return read(url, agent, isRaw, stream, chunks);
    }),
  );
  return {
    latencies: results.flatMap((result) => result.latencies),
    bytes: results.reduce((sum, result) => sum + result.bytes, 0),
    // those of the text, those of the call, and the last one
    events: streams * (chunks + 1) + results.reduce((sum, result) => sum + result.tail, 0),
  };
}

/** Reads one stream, and holds it against what it should be. */
function read(url, agent, isRaw, stream, chunks) {
  const prompt = `stream ${stream}`;
  const body = isRaw
    ? { prompt, stream: true }
    : { messages: [{ role: "user", content: prompt }], tools: [tool], stream: true };
  const latencies = [];
  let content = "";
  let called = "";
  let reason = null;
  const take = (event) => {
    const now = Number(process.hrtime.bigint() / 1000n);
    if (event === "[DONE]") return;
    const value = JSON.parse(event);
    if (value.error) throw new Error(event);
    const choice = value.choices?.[0];
    const text = isRaw ? value.content : (choice?.delta.content ?? "");
    for (const [, sent] of text.matchAll(STAMP)) latencies.push(now - Number(sent));
    content += text;
    called += choice?.delta.tool_calls?.[0].function.arguments ?? "";
    reason = choice?.finish_reason ?? reason;
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`stream ${stream}: ${response.statusCode}`));
      let rest = "";
      response.setEncoding("utf8").on("data", (text) => {
        const events = (rest + text).split("\n\n");
        rest = events.pop();
        for (const event of events) if (event.startsWith("data: ")) take(event.slice(6));
      });
      response.on("error", reject).on("end", () => {
        const text = Array.from({ length: chunks }, (_, at) => piece(stream, at)).join("");
        const wanted = isRaw ? text + call(stream) : text;
        const got = content.replace(STAMP, "@TIME");
        if (got !== wanted) return reject(new Error(`stream ${stream}: ${difference(wanted, got)}`));
        if (!isRaw && called !== JSON.stringify(args(stream))) {
          return reject(new Error(`stream ${stream}: the arguments differ: ${called}`));
        }
        if (!isRaw && reason !== "tool_calls") return reject(new Error(`stream ${stream} ended with ${reason}`));
        resolve({ latencies, bytes: Buffer.byteLength(content + called), tail: tailOf(stream).length });
      });
    });
    outgoing.on("error", reject).end(JSON.stringify(body));
  });
}

/** Milliseconds of CPU that a process has used. Linux counts in hundredths of a second. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** The resident memory of a process. */
function watched(pid) {
  const now = () => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
  let most = 0;
  const marks = [];
  const timer = setInterval(() => (most = Math.max(most, now())), 500);
  timer.unref();
  return {
    marks,
    most: () => most,
    mark() {
      marks.push(now());
      return marks.at(-1);
    },
  };
}

function difference(wanted, got) {
  let at = 0;
  while (at < wanted.length && wanted[at] === got[at]) at++;
  return `at ${at} of ${wanted.length}: ${JSON.stringify(got.slice(at, at + 60))}, not ${JSON.stringify(wanted.slice(at, at + 60))}`;
}

function quantile(values, at) {
  return median(values, at);
}

function shown(latencies) {
  return [0.5, 0.95, 0.99].map((at) => `${(quantile(latencies, at) / 1000).toFixed(2)} ms`).join(" / ");
}
