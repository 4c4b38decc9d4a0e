/** A call that fits the schema of its tool. */
export interface ValidCall {
  name: string;
  arguments: Record<string, unknown>;
  schema: Record<string, unknown>;
}

/** A call that does not. */
export interface WrongCall {
  tool: { name: string; parameters: Record<string, unknown> };
  call: { name: string; arguments: Record<string, unknown> };
  /** The keys of the value at fault, and the key of the member that is too much. */
  path: (string | number)[];
  at?: string | undefined;
}

export const keywords: string[];
export function wrongCalls(
  keyword: string,
  valid: readonly ValidCall[],
  random: () => number,
): Generator<WrongCall, never>;
export function withoutFault(wrong: WrongCall): WrongCall["call"];
