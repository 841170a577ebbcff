import { formatInstant, type Instant } from "../kernel/instant.ts";
import type { Settings } from "./settings.ts";

const STORED_DIGITS = 6;

/** Formats an instant for replies: ISO 8601; the decimals and the suffix are assumptions. */
export function timeView(settings: Settings): (instant: Instant) => string {
  const text = timeTextView(settings);
  return (instant) => text(formatInstant(instant));
}

/** Like the above, for a time stored as text with six decimals and `Z`. */
export function timeTextView({ assumptions }: Settings): (text: string) => string {
  const suffix = String(assumptions["platform.timestamp_suffix"]);
  const end = -1 - STORED_DIGITS + Number(assumptions["platform.timestamp_digits"]);
  return suffix === "Z" && end === -1 ? (text) => text : (text) => text.slice(0, end) + suffix;
}

/** A page of a list; the whole rest without a limit. */
export function page<T>(
  items: readonly T[],
  limit: number | null | undefined,
  offset: number | null | undefined,
): readonly T[] {
  const from = offset ?? 0;
  return items.slice(from, limit == null ? undefined : from + limit);
}
