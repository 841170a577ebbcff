import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { addDecimals, parseDecimal } from "./decimal.ts";
import { isJsonObject, type JsonObject, objectAt } from "./json.ts";
import { parseTime } from "./wire-time.ts";

/** Tokens (numbers) or costs (numerals) of one run; what is unknown is null. */
interface Figures<T> {
  readonly total: T | null;
  readonly prompt: T | null;
  readonly completion: T | null;
}

/** The part of a row from which tokens, costs and the first token's time follow. */
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

/** A number of tokens; undefined when it is none or cannot be counted exactly. */
export function parseCount(value: unknown): number | undefined {
  // Adding zero makes 0 of the -0 that JSON can spell.
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) + 0 : undefined;
}

/** The tokens of a run: what was said outright wins over what its outputs and metadata report. */
export function tokensOf(explicit: Partial<Figures<number>>, source: UsageSource): Figures<number> {
  return complete(explicit, source, TOKENS);
}

/** The costs of a run, by the same rule. */
export function costsOf(explicit: Partial<Figures<string>>, source: UsageSource): Figures<string> {
  return complete(explicit, source, COSTS);
}

/** Which tokens of a row must have been said outright, because they do not follow from the rest. */
export function explicitTokens(figures: Figures<number>, source: UsageSource): Partial<Figures<number>> {
  return explicit(figures, source, TOKENS);
}

/** Which costs of a row must have been said outright. */
export function explicitCosts(figures: Figures<string>, source: UsageSource): Partial<Figures<string>> {
  return explicit(figures, source, COSTS);
}

/** When the first event named `new_token` that has a readable time took place. */
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

/** All three come from the first report that has any of them, so that they belong together. */
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

/** A report inside free-form JSON is nobody's promise: what cannot be read in it is passed over. */
function firstOf<T>(report: JsonObject, keys: readonly string[], measure: Measure<T>): T | null {
  for (const key of keys) {
    const value = measure.read(report[key]);
    if (value !== undefined) return value;
  }
  return null;
}
