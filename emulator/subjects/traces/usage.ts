import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
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
type UsageSource = Pick<TraceRow, "outputs" | "extra" | "events">;

interface Measure<T> {
  readonly keys: { readonly [Name in keyof Figures<T>]: readonly string[] };
  read(value: unknown): T | undefined;
  add(a: T, b: T): T | null;
}

const TOKENS: Measure<number> = {
  keys: {
    total: ["total_tokens"],
    prompt: ["input_tokens", "prompt_tokens"],
    completion: ["output_tokens", "completion_tokens"],
  },
  read: parseCount,
  add: (a, b) => parseCount(a + b) ?? null,
};

const COSTS: Measure<string> = {
  keys: {
    total: ["total_cost"],
    prompt: ["input_cost", "prompt_cost"],
    completion: ["output_cost", "completion_cost"],
  },
  read: parseDecimal,
  add: addDecimals,
};

/** A token count; undefined unless it is a safe non-negative integer. */
export function parseCount(value: unknown): number | undefined {
  // Adding zero turns -0, which JSON can express, into 0.
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) + 0 : undefined;
}

/** The tokens of a run: explicit fields take precedence over reports in outputs and metadata. */
export function tokensOf(explicit: Partial<Figures<number>>, source: UsageSource): Figures<number> {
  return complete(explicit, source, TOKENS);
}

/** The costs of a run, by the same rule. */
export function costsOf(explicit: Partial<Figures<string>>, source: UsageSource): Figures<string> {
  return complete(explicit, source, COSTS);
}

/** The tokens of a row that must have been sent explicitly, because they cannot be derived. */
export function explicitTokens(figures: Figures<number>, source: UsageSource): Partial<Figures<number>> {
  return explicit(figures, source, TOKENS);
}

/** The costs of a row that must have been sent explicitly. */
export function explicitCosts(figures: Figures<string>, source: UsageSource): Partial<Figures<string>> {
  return explicit(figures, source, COSTS);
}

/** The time of the first event named `new_token` with a readable time. */
export function firstTokenTimeIn(events: unknown): string | null {
  if (!Array.isArray(events)) return null;
  for (const event of events) {
    const time = isJsonObject(event) && event.name === "new_token" ? parseTime(event.time) : undefined;
    if (time !== undefined) return time;
  }
  return null;
}

function complete<T>(stated: Partial<Figures<T>>, source: UsageSource, measure: Measure<T>): Figures<T> {
  const reported = reportedIn(source, measure);
  const prompt = stated.prompt ?? reported.prompt;
  const completion = stated.completion ?? reported.completion;
  const sum = prompt !== null && completion !== null ? measure.add(prompt, completion) : null;
  return { total: stated.total ?? reported.total ?? sum, prompt, completion };
}

function explicit<T>(figures: Figures<T>, source: UsageSource, measure: Measure<T>): Partial<Figures<T>> {
  const reported = reportedIn(source, measure);
  const stated = {
    prompt: figures.prompt === reported.prompt ? null : figures.prompt,
    completion: figures.completion === reported.completion ? null : figures.completion,
  };
  const { total } = complete(stated, source, measure);
  return { ...stated, total: figures.total === total ? null : figures.total };
}

/** Total, prompt and completion are taken from one report, the first that has any, so that they match. */
function reportedIn<T>(source: UsageSource, measure: Measure<T>): Figures<T> {
  const reports = [
    objectAt(source.outputs, "usage_metadata"),
    objectAt(objectAt(source.outputs, "llm_output"), "token_usage"),
    objectAt(objectAt(source.extra, "metadata"), "usage_metadata"),
  ];
  for (const report of reports) {
    if (report === undefined) continue;
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
