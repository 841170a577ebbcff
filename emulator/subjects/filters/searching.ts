import { isJsonObject } from "../traces/json.ts";

/** Whether a key or a value in some JSON contains the term, whatever its case; the term is in lower case. */
export function mentions(value: unknown, term: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(term);
  if (Array.isArray(value)) return value.some((inner) => mentions(inner, term));
  if (!isJsonObject(value)) return value !== null && value !== undefined && String(value).includes(term);
  for (const name in value) {
    if (name.toLowerCase().includes(term) || mentions(value[name], term)) return true;
  }
  return false;
}

/** Whether JSON contains a pattern: its objects may have more members, its arrays more items. */
export function contains(value: unknown, pattern: unknown): boolean {
  if (isJsonObject(pattern)) {
    if (!isJsonObject(value)) return false;
    return Object.keys(pattern).every(
      (name) => Object.hasOwn(value, name) && contains(value[name], pattern[name]),
    );
  }
  if (!Array.isArray(pattern)) return value === pattern;
  return Array.isArray(value) && pattern.every((wanted) => value.some((inner) => contains(inner, wanted)));
}
