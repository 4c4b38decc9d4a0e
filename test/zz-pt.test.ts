import { test } from "vitest";
import { parse } from "/work/main/src/index.ts";
import fs from "node:fs";
test("x", () => {
  const cases = JSON.parse(fs.readFileSync("/tmp/pt-cases.json","utf8"));
  let out = "";
  for (const [format, input, o={}] of cases) {
    const tools = o.tools === undefined ? [
      {name:"tide",parameters:{type:"object",properties:{port:{type:"string"},days:{type:"integer"},wet:{type:"boolean"},list:{type:"array",items:{type:"string"}},o:{type:"object"},u:{anyOf:[{type:"array",items:{type:"integer"}},{type:"object",properties:{a:{type:"string"}}}]},n:{type:["string","null"]},item:undefined}}},
      {name:"boats",parameters:{type:"object",properties:{}}}] : o.tools;
    const r = parse(input, {format, tools: tools ?? undefined, finished: o.finished ?? true, prefill: o.prefill, repair: o.repair});
    out += `## ${format} ${JSON.stringify(input).slice(0,400)} ${JSON.stringify({...o,tools:undefined})}\n  content=${JSON.stringify(r.content)} reasoning=${JSON.stringify(r.reasoning)}\n`;
    for (const c of r.calls) out += `  CALL ${c.name} ${c.argumentsText} ${c.repairs.map(x=>x.kind)}\n`;
    for (const c of r.rejected) out += `  REJ ${c.name} ${c.argumentsText} ${c.problems.map(x=>x.kind+":"+x.message.slice(0,80))} raw=${JSON.stringify(c.raw).slice(0,150)}\n`;
  }
  fs.writeFileSync("/tmp/pt-out.txt", out);
});
