type Labels = Readonly<Record<string, string>>;

interface Histogram {
  counts: number[];
  sum: number;
  count: number;
}

/** Seconds. */
const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60, 120, 300, 600] as const;

const PREFIX = "tool_call_parser_";

/** What is measured, and the text that explains it. */
const COUNTERS = {
  requests_total: "Requests that are over, by route (chat, other) and status.",
  calls_total: "Valid tool calls that went out.",
  rejected_calls_total:
    "Tool calls that were rejected, by the kind of their first problem, those of retried replies included.",
  retries_total: "Replies that were asked for again because a call was rejected.",
  upstream_errors_total: "Requests that failed at the upstream, by code.",
  prompt_tokens_total: "Tokens of prompts, as the upstream counts them.",
  completion_tokens_total: "Tokens that were generated, as the upstream counts them.",
} as const;

const HISTOGRAMS = {
  first_token_seconds: "From the request to the first piece of a streamed reply: text, thought or call.",
  request_seconds: "From a chat request to the end of its answer.",
} as const;

const ACTIVE = "active_requests";

/** Counts, and shows them as Prometheus reads them. */
export class Metrics {
  active = 0;
  private readonly counters = new Map<string, Map<string, number>>();
  private readonly histograms = new Map<string, Histogram>();

  add(name: keyof typeof COUNTERS, labels: Labels = {}, amount = 1): void {
    const series = this.counters.get(name) ?? new Map<string, number>();
    this.counters.set(name, series);
    const key = written(labels);
    series.set(key, (series.get(key) ?? 0) + amount);
  }

  observe(name: keyof typeof HISTOGRAMS, seconds: number): void {
    const histogram = this.histograms.get(name) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 };
    this.histograms.set(name, histogram);
    histogram.sum += seconds;
    histogram.count++;
    for (const [at, bound] of BOUNDS.entries()) if (seconds <= bound) histogram.counts[at]!++;
  }

  /** The text format of Prometheus, version 0.0.4. */
  text(): string {
    const lines: string[] = [];
    const head = (name: string, help: string, type: string): void => {
      lines.push(`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} ${type}`);
    };
    for (const [name, help] of Object.entries(COUNTERS)) {
      head(name, help, "counter");
      for (const [labels, value] of this.counters.get(name) ?? []) lines.push(`${PREFIX}${name}${labels} ${value}`);
    }
    for (const [name, help] of Object.entries(HISTOGRAMS)) {
      head(name, help, "histogram");
      const { counts, sum, count } = this.histograms.get(name) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 };
      for (const [at, bound] of BOUNDS.entries()) lines.push(`${PREFIX}${name}_bucket{le="${bound}"} ${counts[at]}`);
      lines.push(`${PREFIX}${name}_bucket{le="+Inf"} ${count}`);
      lines.push(`${PREFIX}${name}_sum ${sum}`, `${PREFIX}${name}_count ${count}`);
    }
    head(ACTIVE, "Requests that are being answered.", "gauge");
    lines.push(`${PREFIX}${ACTIVE} ${this.active}`);
    return `${lines.join("\n")}\n`;
  }
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
