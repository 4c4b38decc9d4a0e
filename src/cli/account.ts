import type { ParseResult, ParserEvent, Problem, RejectedCall, Repair, ToolCall } from "../index.ts";
import type { Output } from "./io.ts";
import { excerpt, type Places } from "./places.ts";
import { type Style, visible, visibleLine } from "./style.ts";

type Part = "nothing" | "content" | "thought" | "call";

/**
 * The account for people: text as it streams, thoughts behind a bar, each call with its arguments as they stream, each
 * problem with its place, and at the end one line that sums it up.
 */
export class Account {
  private readonly out: Output;
  private readonly style: Style;
  private readonly places: Places;
  private part: Part = "nothing";
  private lineStart = true;
  /** White space that is shown only if more text of its part follows. */
  private blanks = "";
  /** Nothing but white space has come of this part; no arguments of this call. */
  private fresh = true;
  /** Index of the call whose first line is shown. */
  private shown = -1;
  /** Problems of the open call that were shown as they came. */
  private told = new Set<Problem>();

  constructor(out: Output, style: Style, places: Places) {
    this.out = out;
    this.style = style;
    this.places = places;
  }

  take(event: ParserEvent): void {
    switch (event.type) {
      case "text-delta":
        this.text("content", event.text);
        break;
      case "reasoning-delta":
        this.text("thought", event.text);
        break;
      case "tool-input-start":
        this.open(event.index, event.name);
        break;
      case "tool-input-delta":
        this.delta(event.delta);
        break;
      case "tool-problem":
        this.early(event.index, event.problem);
        break;
      case "tool-call":
        this.accepted(event.call);
        break;
      case "tool-call-rejected":
        this.rejected(event.call);
        break;
      case "finish":
        this.summary(event.result);
    }
  }

  // --- text

  private text(part: "content" | "thought", piece: string): void {
    const kept = piece.trimEnd().length;
    if (kept === 0) {
      this.blanks += piece;
      return;
    }
    const before = this.part === part ? this.blanks : this.blanks.replace(/^\s*\n/, "");
    if (this.part !== part) this.begin(part);
    let text = before + piece.slice(0, kept);
    if (this.fresh) text = text.replace(/^\s*\n/, "");
    this.fresh = false;
    this.blanks = piece.slice(kept);
    this.put(part === "thought" ? this.behindBar(text) : visible(text));
  }

  private behindBar(text: string): string {
    const { thought } = this.style;
    const bar = this.lineStart ? "│ " : "";
    return thought(bar + visible(text).replaceAll("\n", "\n│ "));
  }

  /** Another part begins: on a line of its own, with an empty line before it. */
  private begin(part: Part): void {
    this.newLine();
    if (this.part !== "nothing" && (part !== "call" || this.part !== "call")) this.out.write("\n");
    this.part = part;
    this.fresh = true;
    this.blanks = "";
  }

  private put(text: string): void {
    this.out.write(text);
    this.lineStart = false;
  }

  private line(text: string): void {
    this.newLine();
    this.out.write(`${text}\n`);
  }

  private newLine(): void {
    if (!this.lineStart) this.out.write("\n");
    this.lineStart = true;
  }

  // --- calls

  private open(index: number, name: string | null): void {
    this.begin("call");
    this.shown = index;
    this.fresh = true;
    this.put(`→ ${name === null ? this.style.aside("(no name)") : this.style.name(visibleLine(name))}`);
  }

  private delta(json: string): void {
    if (this.lineStart) this.put("    ");
    else if (this.fresh) this.put(" ");
    this.fresh = false;
    this.put(visibleLine(json));
  }

  /** A problem is shown as it comes, long before the end of the call perhaps, where it can be shown under its name. */
  private early(index: number, problem: Problem): void {
    if (problem.offset === undefined) return;
    if (this.shown !== index) {
      if (problem.kind !== "unknown-tool" || problem.received === undefined) return;
      this.open(index, problem.received);
    }
    this.told.add(problem);
    this.problem(problem, problem.offset);
  }

  private accepted(call: ToolCall): void {
    this.newLine();
    if (call.repairs.length !== 0) this.line(this.style.repaired(`  repaired: ${this.repairs(call.repairs)}`));
  }

  /** Each kind once, with its first place: a call in single quotes has a dozen of them. */
  private repairs(repairs: readonly Repair[]): string {
    const kinds = new Map<string, Repair[]>();
    for (const repair of repairs) {
      const same = kinds.get(repair.kind);
      if (same === undefined) kinds.set(repair.kind, [repair]);
      else same.push(repair);
    }
    const parts = [...kinds].map(([kind, [first, ...more]]) => {
      const times = more.length === 0 ? "" : ` (${more.length + 1} times)`;
      return `${kind} at ${this.position((first as Repair).offset)}${times}`;
    });
    return parts.join(", ");
  }

  private rejected(call: RejectedCall): void {
    if (this.shown !== call.index) this.open(call.index, call.name);
    if (this.fresh && call.argumentsText !== "") this.delta(call.argumentsText);
    for (const problem of call.problems) {
      if (!this.told.has(problem)) this.problem(problem, problem.offset ?? call.start);
    }
    this.told = new Set();
    this.newLine();
  }

  private problem(problem: Problem, offset: number): void {
    const { wrong, aside } = this.style;
    const [text, caret] = excerpt(this.places.at(offset), this.out.columns - 4);
    this.line(`  ${wrong(`✗ ${problem.kind}`)} at ${this.position(offset)}: ${visibleLine(problem.message)}`);
    this.line(`    ${aside(text)}`);
    this.line(`    ${wrong(caret)}`);
  }

  private position(offset: number): string {
    const { line, column } = this.places.at(offset);
    return `${line}:${column}`;
  }

  // --- the end

  private summary({ calls, rejected, content, reasoning, format, finish }: ParseResult): void {
    this.newLine();
    if (this.part !== "nothing") this.out.write("\n");
    const parts = [
      counted(calls.length, "call") + (rejected.length === 0 ? "" : `, ${rejected.length} rejected`),
      `${counted(content.length, "character")} of content, ${reasoning.length} of reasoning`,
      `format ${format}`,
      `finish ${finish}`,
    ];
    this.line(this.style.aside(parts.join(" · ")));
  }
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
