import { plainNumber } from "../../../contracts/spec/exact-json.ts";
import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import { valueOf } from "../json-text.ts";
import { addDecimals } from "../traces/decimal.ts";
import { isJsonObject } from "../traces/json.ts";
import { ownRow, type StoredRow } from "../traces/roll-up.ts";
import { microsBetween } from "../traces/wire-time.ts";

export type RunStats = ReplyBodyOf<"statRuns">;

/** Accumulates run statistics row by row. */
export type StatsAccumulator = ReturnType<typeof createStatsAccumulator>;

const MICROS_PER_SECOND = 1_000_000;
const COSTS = ["total_cost", "prompt_cost", "completion_cost"] as const;
const TOKENS = ["total_tokens", "prompt_tokens", "completion_tokens"] as const;

/** `isShown`: true counts the figures that rows show, children's totals included; false only their own. */
export function createStatsAccumulator(isShown: boolean) {
  const latencies: number[] = [];
  const firstTokens: number[] = [];
  const tokenCounts: number[] = [];
  const tokens = { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 };
  const costs: Record<(typeof COSTS)[number], string | null> = {
    total_cost: null,
    prompt_cost: null,
    completion_cost: null,
  };
  const feedback = createFeedbackAccumulator();
  let count = 0;
  let errors = 0;
  let last: string | null = null;

  function addTimes({ start_time, end_time, first_token_time }: StoredRow): void {
    if (end_time !== null) latencies.push(secondsBetween(start_time, end_time));
    if (first_token_time !== null) firstTokens.push(secondsBetween(start_time, first_token_time));
    if (last === null || start_time > last) last = start_time;
  }

  return {
    add(row: StoredRow): void {
      count += 1;
      if (row.status === "error") errors += 1;
      addTimes(row);
      const counted = isShown ? row : ownRow(row);
      for (const name of TOKENS) tokens[name] += counted[name] ?? 0;
      for (const name of COSTS) costs[name] = sumOf(costs[name], counted[name]);
      if (counted.total_tokens !== null) tokenCounts.push(counted.total_tokens);
      feedback.add(valueOf(row.feedback_stats));
    },
    result(): RunStats {
      const [latency, firstToken, middle] = [latencies, firstTokens, tokenCounts].map((list) =>
        Float64Array.from(list).sort(),
      ) as [Float64Array, Float64Array, Float64Array];
      return {
        run_count: count,
        error_rate: shareOf(errors, count),
        latency_p50: percentile(latency, 0.5),
        latency_p99: percentile(latency, 0.99),
        latency_avg:
          latency.length === 0 ? null : latency.reduce((sum, one) => sum + one, 0) / latency.length,
        first_token_p50: percentile(firstToken, 0.5),
        first_token_p99: percentile(firstToken, 0.99),
        streaming_rate: shareOf(firstToken.length, count),
        ...tokens,
        median_tokens: percentile(middle, 0.5),
        ...costs,
        last_run_start_time: last,
        feedback_stats: feedback.result(),
      };
    },
  };
}

function sumOf(sum: string | null, more: string | null): string | null {
  return more === null ? sum : addDecimals(sum ?? "0", more);
}

function secondsBetween(from: string, to: string): number {
  return microsBetween(from, to) / MICROS_PER_SECOND;
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Nearest-rank percentile of sorted values; `share` from 0 to 1. */
function percentile(sorted: Float64Array, share: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

interface KeyTotals {
  n: number;
  scored: number;
  sum: number;
}

const MAX_FEEDBACK_KEYS = 1_000;

function createFeedbackAccumulator() {
  const keys = new Map<string, KeyTotals>();

  function addKey(key: string, value: unknown): void {
    if (!keys.has(key) && keys.size >= MAX_FEEDBACK_KEYS) return;
    const stats = isJsonObject(value) ? value : {};
    const [n, avg] = [plainNumber(stats.n), plainNumber(stats.avg)];
    const count = typeof n === "number" ? n : 1;
    const totals = keys.get(key) ?? { n: 0, scored: 0, sum: 0 };
    keys.set(key, totals);
    totals.n += count;
    if (typeof avg !== "number") return;
    totals.scored += count;
    totals.sum += avg * count;
  }

  return {
    add(stats: unknown): void {
      if (isJsonObject(stats)) for (const [key, value] of Object.entries(stats)) addKey(key, value);
    },
    result: () =>
      Object.fromEntries(
        [...keys].map(([key, { n, scored, sum }]) => [key, { n, avg: scored === 0 ? null : sum / scored }]),
      ),
  };
}
