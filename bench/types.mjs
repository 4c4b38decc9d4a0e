/**
 * `npm run build && node bench/types.mjs [--rounds N]`: what inferred arguments cost the compiler.
 * The same program, with the same tools, is compiled twice, in turns: with tools that are literals, and with tools of
 * the type `ToolDeclaration[]`, from which nothing is inferred. Prints a Markdown table.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "15" } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");
/** Inside the package, so that `tool-call-parser` means this package; not under version control. */
const folder = mkdtempSync(join(root, "dist/types-"));

const jsonSchema = (n) => `{
      type: "object",
      properties: {
        port_${n}: { type: "string", minLength: 1 },
        days_${n}: { type: "integer", minimum: 1, maximum: ${n + 2} },
        unit_${n}: { enum: ["m", "ft", "fathom_${n}"] },
        tags_${n}: { type: "array", items: { type: "string" } },
        place_${n}: { type: "object", properties: { lat: { type: "number" }, lon: { type: "number" } }, required: ["lat"] },
        marks_${n}: { type: "array", items: { type: "object", properties: { id_${n}: { type: "integer" } } } },
        shape_${n}: {
          anyOf: [
            { type: "object", properties: { kind: { const: "circle" }, r_${n}: { type: "number" } }, required: ["kind"] },
            { type: "object", properties: { kind: { const: "line" }, to: { $ref: "#/$defs/berth_${n}" } }, required: ["kind"] },
          ],
        },
        note_${n}: { type: ["string", "null"] },
      },
      required: ["port_${n}", "place_${n}", "shape_${n}"],
      additionalProperties: false,
      $defs: { berth_${n}: { type: "object", properties: { length: { type: "number" } }, required: ["length"] } },
    }`;

const zod = (n) => `z.object({
      port_${n}: z.string().min(1),
      days_${n}: z.number().int().min(1).max(${n + 2}).optional(),
      unit_${n}: z.enum(["m", "ft", "fathom_${n}"]).optional(),
      tags_${n}: z.array(z.string()).optional(),
      place_${n}: z.object({ lat: z.number(), lon: z.number().optional() }),
      marks_${n}: z.array(z.object({ id_${n}: z.number().int().optional() })).optional(),
      shape_${n}: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("circle"), r_${n}: z.number().optional() }),
        z.object({ kind: z.literal("line"), to: z.object({ length: z.number() }).optional() }),
      ]),
      note_${n}: z.string().nullish(),
    })`;

/** Three of the forms of a declaration, in turn. */
function declaration(n, schema) {
  const name = `name: "tool_${n}", description: "Number ${n}."`;
  if (n % 3 === 0) return `{ type: "function", function: { ${name}, parameters: ${schema(n)} } }`;
  return `{ ${name}, ${n % 3 === 1 ? "parameters" : "inputSchema"}: ${schema(n)} }`;
}

/** Without inference the same members are read, with the types that people then write by hand. */
function use(n, inferred) {
  const members = [
    ["port", "string"],
    ["days", "number | null | undefined"],
    ["unit", "string | null | undefined"],
    ["place", "{ lat: number }"],
    ["marks", "object[] | null | undefined"],
    ["shape", "{ kind: string }"],
  ];
  const read = ([key, type]) => `call.arguments.${key}_${n} ${inferred ? "satisfies" : "as"} ${type}`;
  return `    case "tool_${n}":\n      show(${members.map(read).join(", ")});\n      break;`;
}

function program(count, schema, inferred) {
  const all = Array.from({ length: count }, (_, n) => n);
  const declarations = all.map((n) => `  ${declaration(n, schema)},`).join("\n");
  return `import { parse, type ToolDeclaration } from "tool-call-parser";
import { z } from "zod";
export const text = z.string();
declare function show(...values: unknown[]): void;
const tools${inferred ? "" : ": readonly ToolDeclaration[]"} = [
${declarations}
]${inferred ? " as const" : ""};
for (const call of parse("", { format: "hermes", tools }).calls) {
  switch (call.name) {
${all.map((n) => use(n, inferred)).join("\n")}
  }
}
`;
}

/** Writes a program into a folder of its own, and checks once that it compiles. */
function prepare(name, text) {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, "main.ts"), text);
  const compilerOptions = {
    ...{ target: "ES2022", module: "NodeNext", strict: true, exactOptionalPropertyTypes: true },
    ...{ noEmit: true, skipLibCheck: true, types: [] },
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"], exclude: [] }));
  return project;
}

/** Milliseconds that a whole `tsc` takes, and how many types it made. */
function compile(project) {
  const before = performance.now();
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", project, "--extendedDiagnostics"], {
    encoding: "utf8",
  });
  const time = performance.now() - before;
  if (status !== 0) throw new Error(stdout);
  const figure = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1]);
  return { time, check: figure("Check time") * 1000, instantiations: figure("Instantiations") };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function line(label, count, schema) {
  const pair = [false, true].map((inferred) =>
    prepare(`${label}-${count}-${inferred}`.replaceAll(" ", "-"), program(count, schema, inferred)),
  );
  pair.forEach(compile);
  const rounds = Array.from({ length: Number(options.rounds) }, () => pair.map(compile));
  const of = (side, what) => median(rounds.map((round) => round[side][what]));
  const ratio = (what) => median(rounds.map(([plain, inferred]) => inferred[what] / plain[what])).toFixed(2);
  const milliseconds = (what) => `**${ratio(what)}x** (${of(1, what).toFixed(0)} : ${of(0, what).toFixed(0)} ms)`;
  const made = `${of(1, "instantiations")} : ${of(0, "instantiations")}`;
  console.log(`| ${label} | ${count} | ${milliseconds("time")} | ${milliseconds("check")} | ${made} |`);
}

try {
  console.log("| schemas | tools | whole `tsc` | its check | instantiations |");
  console.log("| --- | --: | --: | --: | --: |");
  line("JSON Schema", 50, jsonSchema);
  line("JSON Schema", 200, jsonSchema);
  line("Zod", 50, zod);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
