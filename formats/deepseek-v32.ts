import { deepseek, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { markedCalls } from "../src/shapes/marked-calls.ts";

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.
 *
 * <｜DSML｜function_calls>
 * <｜DSML｜invoke name="tide_level">
 * <｜DSML｜parameter name="port" string="true">Oban</｜DSML｜parameter>
 * <｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>
 * </｜DSML｜invoke>
 * </｜DSML｜function_calls>
 * ```
 * `string` says whether a value is raw text or JSON.
 */
export const deepseekV32: Format = defineFormat({
  name: "deepseek-v32",
  models: ["DeepSeek-V3.2"],
  source: "chat template of deepseek-ai/DeepSeek-V3.2",
  template: { has: ["DSML", "function_calls"] },
  reasoning: think,
  stops: deepseek.stops,
  ...markedCalls("DSML", "function_calls"),
});
