import { think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { markedCalls } from "../src/shapes/marked-calls.ts";

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.
 *
 * <｜GCML｜tool_calls>
 * <｜GCML｜invoke name="tide_level">
 * <｜GCML｜parameter name="port" string="true">Oban</｜GCML｜parameter>
 * </｜GCML｜invoke>
 * </｜GCML｜tool_calls><|message_sep|>
 * ```
 * `string` says whether a value is raw text or JSON.
 */
export const gigachat35: Format = defineFormat({
  name: "gigachat35",
  models: ["GigaChat 3.5"],
  source: "chat template of ai-sage/GigaChat3.5",
  template: { has: ["GCML"] },
  reasoning: think,
  stops: ["<|message_sep|>", "</s>"],
  ...markedCalls("GCML", "tool_calls"),
});
