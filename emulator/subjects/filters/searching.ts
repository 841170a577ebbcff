import { isJsonObject } from "../traces/json.ts";

/** Whether a key or value of the JSON contains the term, ignoring case; the term must be in lower case. */
export function containsTerm(value: unknown, term: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(term);
  if (Array.isArray(value)) return value.some((inner) => containsTerm(inner, term));
  if (!isJsonObject(value)) return value !== null && value !== undefined && String(value).includes(term);
  for (const name in value) {
    if (name.toLowerCase().includes(term) || containsTerm(value[name], term)) return true;
  }
  return false;
}

/** Whether JSON contains a pattern; additional members and items are allowed. */
export function matchesMembers(value: unknown, pattern: unknown): boolean {
  if (isJsonObject(pattern)) {
    if (!isJsonObject(value)) return false;
    return Object.keys(pattern).every(
      (name) => Object.hasOwn(value, name) && matchesMembers(value[name], pattern[name]),
    );
  }
  if (!Array.isArray(pattern)) return value === pattern;
  return (
    Array.isArray(value) && pattern.every((wanted) => value.some((inner) => matchesMembers(inner, wanted)))
  );
}
