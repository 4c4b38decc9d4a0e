/**
 * As much of the AI SDK's provider specification as is used here, written by hand: versions 3 and 4 agree in it, and nobody
 * has to install a package to have it type-checked.
 */

/** A message of the prompt. */
export interface PromptMessage {
  role: string;
  content: string | readonly PromptPart[];
}

/** A part of a message. */
export interface PromptPart {
  type: string;
}

/** A tool as the AI SDK declares it to a provider: a function, or one that the provider brings along. */
export interface OfferedTool {
  type: string;
  name: string;
  description?: string | undefined;
  inputSchema?: unknown;
}

export interface CallOptions {
  prompt: readonly PromptMessage[];
  tools?: readonly OfferedTool[] | undefined;
  toolChoice?: { type: string } | undefined;
}

export interface FinishReason {
  unified: string;
  raw: string | undefined;
}

/** A part of a provider's stream, or of the content that it generated. */
export interface ProviderPart {
  type: string;
}

export interface GenerateResult {
  content: readonly ProviderPart[];
  finishReason: FinishReason;
}

export interface StreamResult {
  stream: ReadableStream<ProviderPart>;
}

/** What a provider says about a text beside the text itself. */
export interface TextBlock {
  id: string;
  providerMetadata?: unknown;
}

/** The parts that are made of the parser's events. */
export type MadePart =
  | { type: "text-start" | "reasoning-start" | "text-end" | "reasoning-end" | "tool-input-end"; id: string }
  | { type: "text-delta" | "reasoning-delta" | "tool-input-delta"; id: string; delta: string }
  | { type: "tool-input-start"; id: string; toolName: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: string; providerMetadata?: unknown }
  | { type: "error"; error: unknown };

/** A middleware for `wrapLanguageModel`, of either version of the specification. */
export interface ToolCallMiddleware<Version extends "v3" | "v4"> {
  readonly specificationVersion: Version;
  transformParams<Params extends CallOptions>(options: { params: Params }): Promise<Params>;
  wrapGenerate<Result extends GenerateResult>(options: {
    doGenerate: () => PromiseLike<Result>;
    params: CallOptions;
  }): Promise<Result>;
  wrapStream<Result extends StreamResult>(options: {
    doStream: () => PromiseLike<Result>;
    params: CallOptions;
  }): Promise<Result>;
}
