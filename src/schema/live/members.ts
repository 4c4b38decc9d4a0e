import type { Checker } from "../profiles.ts";
import { ARRAY, pointer } from "../value.ts";
import type { Report } from "./check.ts";
import { LiveText } from "./text.ts";

/**
 * The same for the profiles that look at the types of the top level only: each argument is checked by itself, a list or
 * an object as soon as it begins.
 */
export class LiveMembers extends LiveText {
  private readonly check: Checker;
  private readonly report: Report;
  private raw = "";

  constructor(check: Checker, report: Report) {
    super();
    this.check = check;
    this.report = report;
  }

  protected override open(kind: number): void {
    this.member(kind === ARRAY ? "[]" : "{}");
  }

  protected override openText(): boolean {
    this.raw = "";
    return this.keys.length === 1;
  }

  protected override text(json: string): void {
    this.raw += json;
  }

  protected override closeText(): void {
    this.member(`"${this.raw}"`);
  }

  protected override scalar(_kind: number, json: string): void {
    this.member(json);
  }

  protected override key(): void {}
  protected override close(): void {}

  private member(json: string): void {
    const [key] = this.keys;
    if (this.keys.length !== 1 || typeof key !== "string") return;
    const text = `{${JSON.stringify(key)}:${json}}`;
    const path = pointer([key]);
    for (const problem of this.check(JSON.parse(text) as Record<string, unknown>, text)) {
      if (problem.path === path && problem.kind !== "missing-required") this.report(problem, this.at);
    }
  }
}
