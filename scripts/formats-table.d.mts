import type { formatNames, getFormat } from "../src/index.ts";

export function formatsTable(registry: { formatNames: typeof formatNames; getFormat: typeof getFormat }): string;
export function replaceTable(readme: string, table: string): string;
