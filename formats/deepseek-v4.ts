import { deepseek, think } from "../src/families.ts";
import { defineFormat, type Format } from "../src/format.ts";
import { markedCalls } from "../src/shapes/marked-calls.ts";

/**
 * ```text
 * <think>They ask for the tide.</think>I will look that up.
 *
 * <｜DSML｜tool_calls>
 * <｜DSML｜invoke name="tide_level">
 * <｜DSML｜parameter name="port" string="true">Oban</｜DSML｜parameter>
 * <｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>
 * </｜DSML｜invoke>
 * </｜DSML｜tool_calls>
 * ```
 * `string` says whether a value is raw text or JSON.
 */
export const deepseekV4: Format = defineFormat({
  name: "deepseek-v4",
  models: ["DeepSeek-V4", "DeepSeek-V4-Flash"],
  source: "chat templates of deepseek-ai/DeepSeek-V4, deepseek-ai/DeepSeek-V4-Flash",
  template: { has: ["DSML"], lacks: ["function_calls"] },
  reasoning: think,
  stops: deepseek.stops,
  ...markedCalls("DSML", "tool_calls"),
});
