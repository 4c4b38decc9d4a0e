const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An id such as `chatcmpl-4fQ…`. `crypto.randomUUID` is missing in pages without TLS. */
export function newId(prefix: string): string {
  let id = prefix;
  for (let i = 0; i < 24; i++) id += ALPHABET[Math.floor(Math.random() * ALPHABET.length)];
  return id;
}

/** Unix time in seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** What a reply cost, asked for when it is over. */
export function usageOf<Usage>(usage: Usage | (() => Usage | null | undefined) | undefined): Usage | undefined {
  return (typeof usage === "function" ? (usage as () => Usage | null | undefined)() : usage) ?? undefined;
}
