import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { declaredNumber, markedNumeral, plainNumber } from "../../../contracts/spec/exact-json.ts";
import { valueWith } from "../json-text.ts";
import { addDecimals, parseDecimal } from "./decimal.ts";
import { isJsonObject, type JsonObject, objectAt } from "./json.ts";
import { parseTime } from "./wire-time.ts";

/** Tokens (numbers) or costs (numerals) of one run; unknown values are null. */
interface Figures<T> {
  readonly total: T | null;
  readonly prompt: T | null;
  readonly completion: T | null;
}

/** The fields of a row from which tokens, costs and first_token_time are derived. */
type UsageSource = Pick<TraceRow, "outputs" | "extra">;

/** The first one that has any figure counts. */
type UsageReports = readonly JsonObject[];

interface Measure<T> {
  readonly keys: { readonly [Name in keyof Figures<T>]: readonly string[] };
  read(value: unknown): T | undefined;
  add(a: T, b: T): T | null;
}

export const TOKENS: Measure<number> = {
  keys: {
    total: ["total_tokens"],
    prompt: ["input_tokens", "prompt_tokens"],
    completion: ["output_tokens", "completion_tokens"],
  },
  read: (value) => parseCount(declaredNumber(value)),
  add: (a, b) => parseCount(a + b) ?? null,
};

export const COSTS: Measure<string> = {
  keys: {
    total: ["total_cost"],
    prompt: ["input_cost", "prompt_cost"],
    completion: ["output_cost", "completion_cost"],
  },
  read: (value) => parseDecimal(markedNumeral(value) ?? value),
  add: addDecimals,
};

/** A token count; undefined unless it is a safe non-negative integer. */
export function parseCount(value: unknown): number | undefined {
  // Adding zero turns -0, which JSON can express, into 0.
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) + 0 : undefined;
}

/** What a run reports of its tokens and costs in its outputs and metadata. */
export function usageReports(source: UsageSource): UsageReports {
  const outputs = valueWith(source.outputs, "usage");
  const extra = valueWith(source.extra, "usage");
  return [
    objectAt(outputs, "usage_metadata"),
    objectAt(objectAt(outputs, "llm_output"), "token_usage"),
    objectAt(objectAt(extra, "metadata"), "usage_metadata"),
  ].filter((report) => report !== undefined);
}

/** The time of the first event named `new_token` with a readable time. */
export function firstTokenTimeIn(column: unknown): string | null {
  const events = valueWith(column, "new_token");
  if (!Array.isArray(events)) return null;
  for (const event of events) {
    const time =
      isJsonObject(event) && event.name === "new_token" ? parseTime(plainNumber(event.time)) : undefined;
    if (time !== undefined) return time;
  }
  return null;
}

/** The figures of a run: those that were sent explicitly take precedence over reports. */
export function completeFigures<T>(
  stated: Partial<Figures<T>>,
  reports: UsageReports,
  measure: Measure<T>,
): Figures<T> {
  const reportedFigures = reportedIn(reports, measure);
  const prompt = stated.prompt ?? reportedFigures.prompt;
  const completion = stated.completion ?? reportedFigures.completion;
  const sum = prompt !== null && completion !== null ? measure.add(prompt, completion) : null;
  return { total: stated.total ?? reportedFigures.total ?? sum, prompt, completion };
}

/** The figures of a row that must have been sent explicitly, because they cannot be derived. */
export function explicitFigures<T>(
  figures: Figures<T>,
  reports: UsageReports,
  measure: Measure<T>,
): Partial<Figures<T>> {
  const reportedFigures = reportedIn(reports, measure);
  const stated = {
    prompt: figures.prompt === reportedFigures.prompt ? null : figures.prompt,
    completion: figures.completion === reportedFigures.completion ? null : figures.completion,
  };
  const { total } = completeFigures(stated, reports, measure);
  return { ...stated, total: figures.total === total ? null : figures.total };
}

/** Total, prompt and completion are taken from one report, the first that has any, so that they match. */
function reportedIn<T>(reports: UsageReports, measure: Measure<T>): Figures<T> {
  for (const report of reports) {
    const total = firstOf(report, measure.keys.total, measure);
    const prompt = firstOf(report, measure.keys.prompt, measure);
    const completion = firstOf(report, measure.keys.completion, measure);
    if (total !== null || prompt !== null || completion !== null) return { total, prompt, completion };
  }
  return { total: null, prompt: null, completion: null };
}

/** Reads a report in free-form JSON; unreadable values are ignored. */
function firstOf<T>(report: JsonObject, keys: readonly string[], measure: Measure<T>): T | null {
  for (const key of keys) {
    const value = measure.read(report[key]);
    if (value !== undefined) return value;
  }
  return null;
}
