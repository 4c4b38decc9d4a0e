import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { ServeOptions } from "../serve/types.ts";
import { type Io, type Output, UsageError } from "./io.ts";
import { choice, loadFormat, misuse, parserOptions, usable, wholeNumber } from "./options.ts";
import type { ExitCode, Task } from "./run.ts";

const SECOND = 1000;
const DAY = 86_400;

interface ServerOptions {
  app: Omit<ServeOptions, "log" | "fetch">;
  host: string;
  port: number;
  maxHeader: number;
  /** Milliseconds. */
  timeout: number;
  drain: number;
}

/** Serves until it is told to stop. What it says are lines of JSON. */
export async function serveCommand({ flags, operand, io, out }: Task): Promise<ExitCode> {
  if (operand !== undefined) throw misuse(`serve reads no file, but ${operand} was given.`);
  const { app: options, ...network } = await serverOptions(flags, io);
  // nobody else should have to load a server
  const [{ createServeApp }, { listen }, { upstreamFetch }] = await Promise.all([
    import("../serve/app.ts"),
    import("../serve/node/listen.ts"),
    import("../serve/node/upstream-fetch.ts"),
  ]);
  const upstream = upstreamFetch({ timeout: network.timeout });
  const { app, drain, active } = usable(() =>
    createServeApp({ ...options, fetch: upstream.fetch, log: (line) => out.writeJson(line) }),
  );
  const stop = stopSignal();
  const server = await listen({
    ...{ fetch: (request, env) => app.fetch(request, env), host: network.host, port: network.port },
    ...{ maxHeader: network.maxHeader, idle: network.timeout },
  }).catch((error: Error) => {
    throw new UsageError(`${network.host}:${network.port} cannot be listened on: ${error.message}.`);
  });
  say(out, "listening", { url: server.url, upstream: options.upstream, mode: options.mode });
  const signal = await stop;
  drain();
  say(out, "draining", { signal, seconds: network.drain / SECOND });
  const cut = await server.drain(network.drain);
  // those that were cut off have a last word in the log
  for (const until = Date.now() + SECOND; active() > 0 && Date.now() < until; ) await delay(5);
  upstream.close();
  say(out, "stopped", { cutOff: cut });
  return 0;
}

function say(out: Output, event: string, details: object): void {
  out.writeJson({ time: new Date().toISOString(), level: "info", event, ...details });
}

/** The first signal to stop; the next one ends the program at once, as it does where nobody listens. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    const signals = ["SIGTERM", "SIGINT"] as const;
    const heard = (signal: string): void => {
      for (const name of signals) process.off(name, heard);
      resolve(signal);
    };
    for (const name of signals) process.on(name, heard);
  });
}

async function serverOptions(flags: Task["flags"], io: Io): Promise<ServerOptions> {
  const { validation, repair } = await parserOptions(flags, io);
  const seconds = (option: "timeout" | "keep-alive" | "drain", standard: number): number =>
    (wholeNumber(option, flags[option], option === "drain" ? 0 : 1, DAY) ?? standard) * SECOND;
  return {
    app: {
      upstream: upstreamUrl(flags.upstream ?? "http://127.0.0.1:8080"),
      mode: choice("mode", flags.mode, ["raw", "repair"]) ?? "raw",
      format: flags.format === undefined ? undefined : await loadFormat(flags.format),
      ...{ validation, repair },
      retry: wholeNumber("retry", flags.retry, 0, 10) ?? 0,
      rejected: choice("rejected", flags.rejected, ["send", "text", "drop"]) ?? "send",
      maxBody: wholeNumber("max-body", flags["max-body"], 1, 2 ** 31) ?? 32 * 2 ** 20,
      keepAlive: seconds("keep-alive", 15),
    },
    host: flags.host ?? "127.0.0.1",
    port: wholeNumber("port", flags.port, 0, 65_535) ?? 8081,
    maxHeader: wholeNumber("max-header", flags["max-header"], 1024, 2 ** 20) ?? 16_384,
    timeout: seconds("timeout", 600),
    drain: seconds("drain", 30),
  };
}

/** With the path prefix that the upstream may have. Keys are for the clients to give: what stands in a URL ends in logs. */
function upstreamUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isPlain && (url.protocol === "http:" || url.protocol === "https:")) return given;
  throw misuse(`--upstream is a URL such as http://127.0.0.1:8080, not ${JSON.stringify(given)}.`);
}
