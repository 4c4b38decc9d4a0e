import type { Format } from "../src/format.ts";
import { apertus } from "./apertus.ts";
import { apriel } from "./apriel.ts";
import { bailing } from "./bailing.ts";
import { commandRPlus } from "./command-r-plus.ts";
import { commandR7b } from "./command-r7b.ts";
import { deepseekV3 } from "./deepseek-v3.ts";
import { deepseekV4 } from "./deepseek-v4.ts";
import { deepseekV31 } from "./deepseek-v31.ts";
import { deepseekV32 } from "./deepseek-v32.ts";
import { dots } from "./dots.ts";
import { ernie45 } from "./ernie45.ts";
import { firefunction } from "./firefunction.ts";
import { functionaryV3 } from "./functionary-v3.ts";
import { functiongemma } from "./functiongemma.ts";
import { gemma4 } from "./gemma4.ts";
import { gigachat3 } from "./gigachat3.ts";
import { gigachat35 } from "./gigachat35.ts";
import { glm45 } from "./glm45.ts";
import { glm47 } from "./glm47.ts";
import { granite } from "./granite.ts";
import { granite20bFc } from "./granite-20b-fc.ts";
import { harmony } from "./harmony.ts";
import { hermes } from "./hermes.ts";
import { hunyuan } from "./hunyuan.ts";
import { hy3 } from "./hy3.ts";
import { inkling } from "./inkling.ts";
import { internlm2 } from "./internlm2.ts";
import { jamba } from "./jamba.ts";
import { k2Horizon } from "./k2-horizon.ts";
import { kimiK2 } from "./kimi-k2.ts";
import { kimiK3 } from "./kimi-k3.ts";
import { laguna } from "./laguna.ts";
import { lfm2 } from "./lfm2.ts";
import { llama3FunctionTag } from "./llama3-function-tag.ts";
import { llama3Json } from "./llama3-json.ts";
import { llama3PythonTag } from "./llama3-python-tag.ts";
import { llmJpHarmony } from "./llm-jp-harmony.ts";
import { longcat } from "./longcat.ts";
import { minicpm5 } from "./minicpm5.ts";
import { minimaxM1 } from "./minimax-m1.ts";
import { minimaxM2 } from "./minimax-m2.ts";
import { minimaxM3 } from "./minimax-m3.ts";
import { mistral } from "./mistral.ts";
import { museGlimmer } from "./muse-glimmer.ts";
import { nemotron } from "./nemotron.ts";
import { olmo3 } from "./olmo3.ts";
import { phi4Mini } from "./phi4-mini.ts";
import { pythonic } from "./pythonic.ts";
import { qwen3Coder } from "./qwen3-coder.ts";
import { qwen25Coder } from "./qwen25-coder.ts";
import { rawJson } from "./raw-json.ts";
import { sarashina } from "./sarashina.ts";
import { seedOss } from "./seed-oss.ts";
import { solarOpen } from "./solar-open.ts";
import { solarOpen2 } from "./solar-open2.ts";
import { step3 } from "./step3.ts";
import { xlam } from "./xlam.ts";

/** The formats in the order in which they are tried where they share an opener: the more particular first. */
// biome-ignore format: kin stand side by side
export const formats: readonly Format[] = [
  rawJson, mistral,
  llama3FunctionTag, qwen3Coder, hermes, granite20bFc, qwen25Coder,
  ernie45, granite, hy3, hunyuan, minimaxM1, apriel, jamba, nemotron, longcat, internlm2, apertus,
  phi4Mini, firefunction, xlam, deepseekV3, deepseekV31, kimiK2, solarOpen, commandR7b, museGlimmer, harmony,
  llmJpHarmony, inkling, gigachat3, glm45, glm47, laguna, bailing, k2Horizon, solarOpen2, sarashina,
  commandRPlus, llama3Json, llama3PythonTag, functionaryV3, deepseekV32, deepseekV4, gigachat35, kimiK3,
  seedOss, minimaxM2, minimaxM3, step3, dots, minicpm5, gemma4, functiongemma, pythonic, lfm2, olmo3,
];
