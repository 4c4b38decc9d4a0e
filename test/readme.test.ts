import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatsTable, replaceTable } from "../scripts/formats-table.mjs";
import { replaceUsers } from "../scripts/shapes-table.mjs";
import { formatNames, getFormat, parse } from "../src/index.ts";
import { builtCli } from "./cli-build.ts";
import { root } from "./support/shared.ts";

const cli = builtCli();
/** Inside the package, so that `tool-call-parser` means this package; not under version control. */
const examples = mkdtempSync(join(root, "dist/examples-"));
/** Holds a `tool-call-parser` that runs what was built. */
const bin = mkdtempSync(join(tmpdir(), "tool-call-parser-bin-"));
afterAll(() => {
  rmSync(examples, { recursive: true, force: true });
  rmSync(bin, { recursive: true, force: true });
});

const pages = ["README.md", "CONTRIBUTING.md", "docs/command-line.md", "docs/architecture.md"] as const;

interface Block {
  page: string;
  line: number;
  text: string;
}

/** The fenced blocks of a language. */
function blocks(page: string, language: string): Block[] {
  const text = readFileSync(root + page, "utf8");
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms");
  return [...text.matchAll(fence)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    text: match[1]!,
  }));
}

interface Outcome {
  code: number | null;
  output: string;
}

/** Runs a program, its output and errors together as a terminal would show them. */
function perform(command: string, args: string[]): Promise<Outcome> {
  const PATH = `${bin}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, NO_COLOR: "1", FORCE_COLOR: undefined };
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

describe("the TypeScript examples", () => {
  const all = pages.flatMap((page) => blocks(page, "ts"));
  const nameOf = ({ page, line }: Block): string => `${page.replace(/\W/g, "-")}-${line}`;

  beforeAll(() => {
    const folder = join(examples, "ts");
    mkdirSync(folder);
    for (const block of all) {
      // An example that adds a file to `formats` names its neighbours as that file would.
      const text = block.text.replace(/"\.\.\/src\/([\w/-]+)\.ts"/g, '"../../src/$1.js"');
      writeFileSync(join(folder, `${nameOf(block)}.ts`), `${text}\nexport {};\n`);
    }
    const compilerOptions = {
      ...{ target: "ES2022", module: "NodeNext", strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      ...{ exactOptionalPropertyTypes: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
      ...{ rootDir: ".", outDir: "." },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"], exclude: [] }));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    expect(`${stdout}`.trim(), "tsc").toBe("");
    expect(status).toBe(0);
  });

  test.concurrent.for(all)("$page:$line prints what it says", async (block, { expect }) => {
    const { code, output } = await perform(process.execPath, [join(examples, "ts", `${nameOf(block)}.js`)]);
    const promised = [...block.text.matchAll(/\/\/ → (.*)$/gm)].map((match) => `${match[1]}\n`).join("");
    expect({ code, output }).toEqual({ code: 0, output: promised });
  });
});

describe("the command-line examples", () => {
  beforeAll(() => {
    const path = join(bin, "tool-call-parser");
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
    chmodSync(path, 0o755);
  });

  const commands = pages.flatMap((page) =>
    blocks(page, "console").flatMap(({ line, text }) =>
      text
        .split(/^\$ /m)
        .slice(1)
        .map((part) => ({
          page,
          line,
          command: part.slice(0, part.indexOf("\n")),
          shown: part.slice(part.indexOf("\n") + 1),
        })),
    ),
  );

  test.concurrent.for(commands)("$page:$line $command", async ({ command, shown }, { expect }) => {
    const { output } = await perform("bash", ["-c", command]);
    const received = output === "" || output.endsWith("\n") ? output : `${output}\n`;
    expect(withoutIds(received).trimEnd()).toBe(withoutIds(shown).trimEnd());
  });

  test("whatever else is to be typed is a script or an installation", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: Record<string, string> };
    const typed = pages.flatMap((page) => blocks(page, "sh")).flatMap(({ text }) => text.trim().split(/\n| && /));
    const known = ["npm install", "npm install tool-call-parser", "npm start", "npm test"];
    const others = typed.map((command) => command.replace(/ +#.*$/, "")).filter((command) => !known.includes(command));
    for (const command of others) {
      const script = /^npm run ([\w-]+)/.exec(command)?.[1];
      expect(/^npx vitest run( |$)/.test(command) || (script !== undefined && script in scripts), command).toBe(true);
    }
  });
});

/** Ids are random. */
function withoutIds(text: string): string {
  return text.replace(/"id": ?"[A-Za-z0-9]{9}"/g, '"id":"…"');
}

describe("the tables", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const tools = JSON.parse(readFileSync(`${root}examples/tools.json`, "utf8"));

  /** The code in the cells of each row of the table behind a heading or header. */
  function rows(header: string): string[][] {
    const [, table = ""] = readme.split(`${header}\n`);
    const lines = table.split("\n").slice(1);
    const end = lines.findIndex((line) => !line.startsWith("|"));
    return lines.slice(0, end).map((line) => line.split(" | ").map((cell) => /`(.*)`/.exec(cell)?.[1] ?? ""));
  }

  test("the table of formats is that of the registry", () => {
    expect(replaceTable(readme, formatsTable({ formatNames, getFormat }))).toBe(readme);
    expect(/^\d+ formats/m.exec(readme)?.[0]).toBe(`${formatNames().length} formats`);
  });

  test("the table of shapes is that of the formats", () => {
    const page = readFileSync(`${root}docs/architecture.md`, "utf8");
    const names = readdirSync(`${root}formats`).filter((name) => name !== "index.ts");
    const sources = names.map((name) => [name.slice(0, -3), readFileSync(`${root}formats/${name}`, "utf8")]);
    expect(replaceUsers(page, Object.fromEntries(sources))).toBe(page);
  });

  test("every file of the shapes and of the JSON reader is described", () => {
    const page = readFileSync(`${root}docs/architecture.md`, "utf8");
    const files = ["shapes", "json"].flatMap((folder) => readdirSync(`${root}src/${folder}`));
    expect(files.filter((name) => !page.includes(`\`${name.replace(/\.ts$/, "")}`))).toEqual([]);
  });

  test("the format that CONTRIBUTING.md adds is the one that is there", () => {
    const shown = blocks("CONTRIBUTING.md", "ts").map(({ text }) => text);
    expect(shown).toContain(readFileSync(`${root}formats/nemotron.ts`, "utf8"));
  });

  test("each repair is read as the table says", () => {
    const table = rows("| kind | the model wrote | read as |");
    expect(table.length).toBeGreaterThan(10);
    for (const [kind, wrote, read] of table) {
      const text = `[TOOL_CALLS]log[ARGS]${wrote!.replace("⏎", "\n")}`;
      const { calls } = parse(text, { format: "mistral" });
      expect(calls[0]?.arguments, kind).toEqual(JSON.parse(read!));
      expect(new Set(calls[0]?.repairs.map((repair) => repair.kind))).toEqual(new Set([kind]));
    }
  });

  test("so is each repair around the arguments", () => {
    const table = rows("| kind | the model wrote |");
    expect(table.length).toBe(7);
    for (const [kind, wrote] of table) {
      const { calls, content } = parse(wrote!, {
        format: wrote!.includes("<function") ? "qwen3-coder" : "hermes",
        tools,
      });
      expect(calls[0]?.arguments, kind).toEqual({ port: "Oban" });
      expect(calls[0]?.repairs.map((repair) => repair.kind)).toEqual([kind]);
      expect(content).toBe("");
    }
  });

  test("every kind of problem and of repair is explained", () => {
    const events = readFileSync(`${root}src/events.ts`, "utf8");
    const kinds = [...events.matchAll(/^ {2}\| "([a-z-]+)"/gm)].map((match) => match[1]!);
    expect(kinds.length).toBeGreaterThan(30);
    // Brackets behind a call are dropped without a word.
    const missing = kinds.filter((kind) => !readme.includes(`\`${kind}\``));
    expect(missing).toEqual([]);
  });
});
