import { Failure } from "./failure.ts";

/**
 * The body of a request.
 * @throws {Failure} 413, as soon as it is certain.
 */
export async function readBody(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge(most);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) break;
    length += value.length;
    if (length > most) {
      reader?.cancel().catch(() => {});
      throw tooLarge(most);
    }
    pieces.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

function tooLarge(most: number): Failure {
  return new Failure(413, `The body of the request is longer than ${most} bytes.`, { code: "request_too_large" });
}
