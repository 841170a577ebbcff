/** A JSON object whose members are not checked. */
export type Members = Readonly<Record<string, unknown>>;

/** Parses a JSON text; undefined when it is not JSON. */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON text; returns the text itself when it is not JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a value is a JSON object and not an array. */
export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
