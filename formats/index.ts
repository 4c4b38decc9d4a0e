import type { Format } from "../src/format.ts";
import { hermes } from "./hermes.ts";
import { mistral } from "./mistral.ts";
import { qwen3Coder } from "./qwen3-coder.ts";
import { rawJson } from "./raw-json.ts";

/** The formats in the order in which they are tried where they share an opener: the more particular first. */
export const formats: readonly Format[] = [rawJson, mistral, qwen3Coder, hermes];
