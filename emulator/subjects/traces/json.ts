/** Maximum nesting depth of inputs, outputs, extra, events and feedback_stats. */
export const MAX_JSON_DEPTH = 200;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object; arrays are not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object under a key of a value; undefined if it is not an object. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const inner = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

/** Why a parsed JSON value cannot be stored and exported unchanged; undefined when it can. */
export function jsonProblem(value: unknown, depthLeft: number = MAX_JSON_DEPTH): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "holds a number that is out of range";
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft === 0) return `must not be nested more than ${MAX_JSON_DEPTH} levels deep`;
  if (Array.isArray(value)) {
    for (const inner of value) {
      const problem = jsonProblem(inner, depthLeft - 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  for (const name in value) {
    const problem = jsonProblem((value as JsonObject)[name], depthLeft - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
