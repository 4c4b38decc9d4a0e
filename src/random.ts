const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Letters and digits for an id. `crypto.randomUUID` is missing in pages without TLS. */
export function randomText(length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += ALPHABET[Math.floor(Math.random() * ALPHABET.length)];
  return text;
}
