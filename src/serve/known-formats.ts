import type { LlamaServer } from "../integrations/llama-server.ts";

/** Milliseconds: a server may get another model under the same name. */
const FRESH = 60_000;
/** Clients may send any name. */
const MOST = 100;

/** Which format each model of the upstream writes, remembered for a minute. */
export class KnownFormats {
  private readonly known = new Map<string, { format: string; until: number }>();

  async of(server: LlamaServer, model: string | undefined, signal: AbortSignal): Promise<string> {
    const key = model ?? "";
    const found = this.known.get(key);
    if (found !== undefined && found.until > Date.now()) return found.format;
    const format = await server.detectFormat({ model, signal });
    this.known.delete(key);
    this.known.set(key, { format, until: Date.now() + FRESH });
    if (this.known.size > MOST) this.known.delete(this.known.keys().next().value as string);
    return format;
  }

  /** Something went wrong: it may be another server that answers next. */
  forget(model: string | undefined): void {
    this.known.delete(model ?? "");
  }
}
