/** What concerns one connection alone. */
const OF_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Made anew for each request. */
const OF_BODY = ["content-length", "content-type", "content-encoding", "accept-encoding", "accept", "expect", "host"];

/** The name under which a client may ask for a format, and is told which one was read. */
export const FORMAT_HEADER = "x-tool-call-format";
export const REQUEST_ID_HEADER = "x-request-id";

/** Headers without those of a connection, which a `connection` header may add to. */
export function endToEnd(headers: Headers): Headers {
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase());
  const passed = new Headers(headers);
  for (const name of [...OF_CONNECTION, ...named]) if (name !== "") passed.delete(name);
  return passed;
}

/** The headers of a request that go along with a request of our own: keys, trace ids and the like. */
export function alongHeaders(headers: Headers): Record<string, string> {
  const passed = endToEnd(headers);
  for (const name of [...OF_BODY, FORMAT_HEADER]) passed.delete(name);
  return Object.fromEntries(passed);
}

/** The headers of an upstream's answer that go along with an answer of our own: limits, `retry-after` and the like. */
export function passedHeaders(headers: Headers): Headers {
  const passed = endToEnd(headers);
  for (const name of [...OF_BODY, "etag", "date", "server"]) passed.delete(name);
  return passed;
}
