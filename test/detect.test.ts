import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { detectFormat, formatNames } from "../src/index.ts";
import { sharedFile } from "./support/shared.ts";

const list = sharedFile("templates/formats.json");
const templates: Record<string, string | null> = list === null ? {} : JSON.parse(readFileSync(list, "utf8"));
const registered = new Set(formatNames());

function template(file: string): string {
  return readFileSync(sharedFile(`templates/${file}`) as string, "utf8");
}

/** What people change in the template of a model that they tune. */
const edits: Record<string, (text: string) => string> = {
  "without its comments": (text) => text.replace(/\{#.*?#\}/gs, ""),
  "with another system prompt": (text) =>
    `{%- set prompt = "You are Gull. Never mention <b>tags</b> or tools." -%}\n${text}`,
  "with a date and a generation prompt of its own": (text) =>
    `${text}\n{%- if date is defined -%}{{- "Today: " + date -}}{%- endif -%}{%- if think -%}{{- "<think>\\n" -}}{%- endif -%}`,
  "with Windows line breaks": (text) => text.replace(/\r?\n/g, "\r\n"),
  "with other indentation": (text) => text.replace(/^[ \t]+/gm, "\t"),
};

describe.skipIf(list === null)("the chat templates of real models", () => {
  const known = Object.entries(templates).filter(([, format]) => format === null || registered.has(format));

  test("are all of a registered format, or of none", () => {
    expect(known).toHaveLength(70);
  });

  for (const [file, format] of known) {
    test(`${file}: ${format}`, () => {
      expect(detectFormat({ chatTemplate: template(file) })).toBe(format);
    });

    test.each(Object.entries(edits))(`${file} %s: ${format}`, (_, edit) => {
      expect(detectFormat({ chatTemplate: edit(template(file)) })).toBe(format);
    });
  }
});

describe("a chat template that teaches no known format", () => {
  test.each([
    ["nothing", ""],
    ["no tools", `{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}`],
    ["another notation in a known wrapper", `{{ "<tool_call>" + call.name + "(" + args + ")</tool_call>" }}`],
    ["notation of its own", `{{ "<<run:" + call.name + ">>" + call.arguments | tojson + "<<end>>" }}`],
    ["a word about tools", `{{ "You have tools. Answer with <tool> and a name." }}`],
  ])("gives null: %s", (_, chatTemplate) => {
    expect(detectFormat({ chatTemplate })).toBeNull();
  });
});

describe("the name of a model", () => {
  test.each([
    ["Qwen/Qwen3-0.6B", "hermes"],
    ["qwen3:8b", "hermes"],
    ["Qwen/Qwen2.5-7B-Instruct", "hermes"],
    ["Qwen/Qwen2.5-3B-Instruct", "hermes"],
    ["NousResearch/Hermes-3-Llama-3.1-8B", "hermes"],
    ["ibm-granite/granite-4.0-h-tiny", "hermes"],
    ["arcee-ai/Trinity-Mini", "trinity"],
    ["Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder"],
    ["/models/qwen3_coder-30b-a3b.Q4_K_M.gguf", "qwen3-coder"],
    ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "qwen3-coder"],
    ["nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron"],
    ["nvidia/Llama-3_1-Nemotron-Nano-8B-v1", "nemotron"],
    ["mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral"],
    ["mistralai/Mistral-7B-Instruct-v0.3", "mistral"],
    ["meta-llama/Llama-3.2-3B-Instruct", "llama3-json"],
    ["llama3.1:8b", "llama3-json"],
    ["openai/gpt-oss-20b", "harmony"],
    ["deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "deepseek-v3"],
    ["deepseek-ai/DeepSeek-V3.1", "deepseek-v31"],
    ["zai-org/GLM-4.6", "glm45"],
    ["zai-org/GLM-4.7-Flash", "glm47"],
    ["google/gemma-4-31B-it", "gemma4"],
    ["LiquidAI/LFM2-8B-A1B", "lfm2"],
  ])("%s: %s", (model, format) => {
    expect(detectFormat({ model })).toBe(format);
  });

  test.each(["", "my-model", "gpt-4o", "google/gemma-2-2b-it", "microsoft/Phi-3.5-mini-instruct", "30b", "__proto__"])(
    "%s: null",
    (model) => {
      expect(detectFormat({ model })).toBeNull();
    },
  );

  test("a template says more than a name", () => {
    expect(detectFormat({ chatTemplate: "[TOOL_CALLS]", model: "Qwen3" })).toBe("mistral");
    expect(detectFormat({ chatTemplate: "{{ messages }}", model: "Qwen3" })).toBe("hermes");
    expect(detectFormat({})).toBeNull();
  });
});
