import { defineFormat, type Format } from "../src/format.ts";
import { jsonInTags } from "../src/shapes/json-in-tags.ts";
import { pythonCalls, tojson, writePythonCall } from "../src/shapes/python-calls.ts";

/**
 * ```text
 * <|python_tag|>tide_level.call(port="Oban", days=2)
 * ```
 * One call a turn, as the template has it; several are read where a semicolon or a line break divides them.
 */
export const llama3PythonTag: Format = defineFormat({
  name: "llama3-python-tag",
  models: ["Llama 3.1 (built-in tools)", "Llama 3.3 (built-in tools)"],
  source: "chat template of meta-llama/Llama-3.1-8B-Instruct, with builtin_tools",
  tokens: ["<|python_tag|>"],
  stops: ["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"],
  opens: { "<|python_tag|>": [pythonCalls({ suffix: ".call" }), jsonInTags({ separator: ";" })] },
  render: ({ content = "", calls = [] }) => {
    const written = calls.map((call) => writePythonCall(call, tojson, ".call"));
    return content + (written.length > 0 ? `<|python_tag|>${written.join("; ")}` : "");
  },
});
