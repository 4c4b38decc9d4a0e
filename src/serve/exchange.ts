import type { ProblemKind, RejectedCall } from "../events.ts";
import { CLIENT_GONE, type Failure } from "./failure.ts";
import type { Metrics } from "./metrics.ts";

/** What is said of a request when it is over: nothing of what was written in it, and no key. */
export interface LogLine {
  time: string;
  level: "info" | "warn" | "error";
  event: "request";
  id: string;
  method: string;
  path: string;
  /** 499: the client had gone. Of a stream that broke, the status under which it would have failed. */
  status: number;
  ms: number;
  model?: string;
  format?: string;
  stream?: boolean;
  firstTokenMs?: number;
  calls?: number;
  /** The kind of the first problem of each. */
  rejected?: ProblemKind[];
  retries?: number;
  promptTokens?: number;
  completionTokens?: number;
  error?: string;
  code?: string;
}

type Details = Pick<LogLine, "model" | "format" | "stream">;

/** One request on its way: what is counted, and said of it at its end. */
export class Exchange {
  readonly id: string;
  details: Details = {};
  calls = 0;
  retries = 0;
  promptTokens = 0;
  completionTokens = 0;
  private readonly method: string;
  private readonly path: string;
  private readonly isChat: boolean;
  private readonly metrics: Metrics;
  private readonly log: (line: LogLine) => void;
  private readonly started = performance.now();
  private readonly rejected: ProblemKind[] = [];
  private firstToken: number | null = null;
  private over = false;

  constructor(
    request: { id: string; method: string; path: string; isChat: boolean },
    metrics: Metrics,
    log: Exchange["log"],
  ) {
    this.id = request.id;
    this.method = request.method;
    this.path = request.path;
    this.isChat = request.isChat;
    this.metrics = metrics;
    this.log = log;
    metrics.active++;
  }

  get hasBegun(): boolean {
    return this.firstToken !== null;
  }

  /** A piece of a streamed reply goes out. */
  sees(): void {
    if (this.hasBegun) return;
    this.firstToken = performance.now() - this.started;
    this.metrics.observe("first_token_seconds", this.firstToken / 1000);
  }

  rejects(call: RejectedCall): void {
    const kind = call.problems[0]?.kind ?? "invalid-arguments";
    this.rejected.push(kind);
    this.metrics.add("rejected_calls_total", { problem: kind });
  }

  retry(): void {
    this.retries++;
    this.metrics.add("retries_total");
  }

  /** The answer is over; a second call does nothing. */
  end(status: number, failure: Failure | null = null): void {
    if (this.over) return;
    this.over = true;
    const ms = performance.now() - this.started;
    const { metrics, calls, promptTokens, completionTokens } = this;
    metrics.active--;
    metrics.add("requests_total", { route: this.isChat ? "chat" : "other", status: String(status) });
    if (this.isChat) metrics.observe("request_seconds", ms / 1000);
    if (calls > 0) metrics.add("calls_total", {}, calls);
    if (promptTokens > 0) metrics.add("prompt_tokens_total", {}, promptTokens);
    if (completionTokens > 0) metrics.add("completion_tokens_total", {}, completionTokens);
    const code = failure?.code ?? null;
    if (code?.startsWith("upstream_")) metrics.add("upstream_errors_total", { code });
    this.log(this.line(status, ms, failure, code));
  }

  private line(status: number, ms: number, failure: Failure | null, code: string | null): LogLine {
    const { id, method, path, isChat, rejected, retries, firstToken, promptTokens, completionTokens } = this;
    return {
      time: new Date().toISOString(),
      level: status >= 500 ? "error" : status >= 400 && status !== CLIENT_GONE ? "warn" : "info",
      ...{ event: "request", id, method, path, status, ms: rounded(ms) },
      ...(isChat ? { ...this.details, calls: this.calls } : {}),
      ...(firstToken === null ? {} : { firstTokenMs: rounded(firstToken) }),
      ...(rejected.length === 0 ? {} : { rejected }),
      ...(retries === 0 ? {} : { retries }),
      ...(promptTokens === 0 ? {} : { promptTokens }),
      ...(completionTokens === 0 ? {} : { completionTokens }),
      ...(failure === null ? {} : { error: said(failure) }),
      ...(code === null ? {} : { code }),
    };
  }
}

/** An error of our own has a cause that its client is not told of. */
function said({ message, cause }: Failure): string {
  return cause instanceof Error ? `${message} ${cause.stack ?? cause.message}` : message;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
