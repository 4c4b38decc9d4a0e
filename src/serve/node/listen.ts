import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Failure } from "../failure.ts";

export interface ListenOptions {
  fetch: (request: Request, env: object) => Response | Promise<Response>;
  host: string;
  /** 0: any that is free. */
  port: number;
  /** The longest headers of a request, in bytes. */
  maxHeader: number;
  /** Milliseconds: the connection of a client that takes nothing for so long, although there is something, is closed. */
  idle: number;
}

export interface Listening {
  url: string;
  /**
   * Takes no new connection, lets what is being answered come to its end, and closes. What is not over after `patience`
   * milliseconds is cut off.
   * @returns how many requests were cut off.
   */
  drain(patience: number): Promise<number>;
}

/** Milliseconds. */
const HEADERS = 30_000;
const REQUEST = 300_000;
/** Longer than load balancers keep theirs, so that it is never we who close one that is just being used. */
const KEPT = 75_000;

/** @throws what Node throws where it cannot listen there. */
export async function listen({ fetch, host, port, maxHeader, idle }: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      ...{ maxHeaderSize: maxHeader, headersTimeout: HEADERS, requestTimeout: REQUEST },
      ...{ keepAliveTimeout: KEPT, connectionsCheckingInterval: 5000 },
    },
    getRequestListener(
      async (request, env) => withoutChunks(await fetch(request, env), env.incoming as IncomingMessage),
      { overrideGlobalObjects: false, hostname: host },
    ),
  );
  // who only waits for an answer is patient, and no fault of theirs
  server.setTimeout(idle, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
  server.on("clientError", refuse);
  const count = counting(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}`,
    async drain(patience) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      count.whenIdle(() => server.closeIdleConnections());
      let cut = 0;
      const timer = setTimeout(() => {
        cut = count.active();
        server.closeAllConnections();
      }, patience);
      await closed;
      clearTimeout(timer);
      return cut;
    },
  };
}

/** HTTP/1.0 knows no chunks: there the end of the connection is the end of the answer. */
function withoutChunks(response: Response, { httpVersion }: IncomingMessage): Response {
  if (httpVersion === "1.0") response.headers.delete("transfer-encoding");
  return response;
}

/** Connections that are kept alive would keep a server that closes waiting, once their answer is over. */
function counting(server: Server): { active(): number; whenIdle(then: () => void): void } {
  let active = 0;
  let then = (): void => {};
  server.on("request", (_, response) => {
    active++;
    response.once("close", () => {
      active--;
      setImmediate(then);
    });
  });
  return {
    active: () => active,
    whenIdle(callback) {
      then = callback;
      then();
    },
  };
}

const REASONS: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers of the request are too long."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to come."],
};

/** Answers what Node's parser refuses before there is a request. */
function refuse(error: NodeJS.ErrnoException, socket: Socket | import("node:stream").Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, message] = REASONS[error.code ?? ""] ?? [400, "The request is no HTTP."];
  const body = JSON.stringify(new Failure(status, message));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
