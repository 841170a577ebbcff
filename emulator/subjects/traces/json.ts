/** How deeply inputs, outputs, extra, events and feedback_stats may be nested. */
export const JSON_DEPTH_MAX = 200;

export type JsonObject = Readonly<Record<string, unknown>>;

/** An array is none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object under a key of a value that may be anything. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const inner = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

/** Why a parsed JSON value cannot be kept and exported as it was sent; undefined when it can. */
export function jsonProblem(value: unknown, depthLeft: number = JSON_DEPTH_MAX): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "holds a number that is out of range";
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft === 0) return `must not be nested more than ${JSON_DEPTH_MAX} levels deep`;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    const problem = jsonProblem(inner, depthLeft - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Text without lone surrogates. JSON can spell them and UTF-8 cannot, so a text column that kept
 * one would not come out of an export as it went in.
 */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
