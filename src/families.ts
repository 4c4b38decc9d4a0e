import type { ReasoningTags } from "./format.ts";

/** How most families mark a thought. */
export const think: readonly ReasoningTags[] = [{ open: "<think>", close: "</think>" }];

/** End-of-turn tokens of the families that use ChatML. */
export const chatml: readonly string[] = ["<|im_end|>", "<|endoftext|>"];
