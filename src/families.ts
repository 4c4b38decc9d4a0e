import type { ReasoningTags } from "./format.ts";

/** How most families mark a thought. */
export const think: readonly ReasoningTags[] = [{ open: "<think>", close: "</think>" }];

/** End-of-turn tokens of the families that use ChatML. */
export const chatml: readonly string[] = ["<|im_end|>", "<|endoftext|>"];

/** The tokens with which the DeepSeek family writes calls, up to V3.1. */
export const deepseek = {
  section: "<｜tool▁calls▁begin｜>",
  sectionEnd: "<｜tool▁calls▁end｜>",
  call: "<｜tool▁call▁begin｜>",
  separator: "<｜tool▁sep｜>",
  end: "<｜tool▁call▁end｜>",
  /** Spellings of the section's opener that distilled models write. */
  sections: [
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls｜>",
    "<｜tool calls begin｜>",
    "<｜tool_calls_begin｜>",
    "<｜tool\\_calls\\_begin｜>",
  ],
  /** Around results: a model that writes them has no use for them. */
  outputs: ["<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"],
  stops: ["<｜end▁of▁sentence｜>"],
} as const;
