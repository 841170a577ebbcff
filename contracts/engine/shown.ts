import type { Exchange } from "./exchange.ts";

const MAX_VALUE_CHARACTERS = 300;
const MAX_ACTUAL_CHARACTERS = 120;

/** A value as JSON, cut for display. JSON has no text for a value that is absent, nor for numbers such as NaN. */
export function formatValue(value: unknown): string {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return cut(isNumber ? String(value) : (JSON.stringify(value) ?? "absent"));
}

/** The beginning of a text, as much as a report shows. */
export function cut(text: string, maxCharacters = MAX_VALUE_CHARACTERS): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}

/** What a target did: the checked value, else the status of its reply. */
export function describeActual(
  difference: { readonly actual?: unknown },
  exchange: Exchange | undefined,
): string {
  if ("actual" in difference) return cut(formatValue(difference.actual), MAX_ACTUAL_CHARACTERS);
  return exchange ? `status ${exchange.status}` : "no reply";
}

/** A text without ids, which differ from run to run. */
export function withoutIds(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "…");
}
