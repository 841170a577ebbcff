import { formatInstant, type Instant } from "../kernel/instant.ts";
import type { Settings } from "./settings.ts";

/** Formats an instant for replies: ISO 8601 with six decimals; `Z` or `+00:00` by assumption. */
export function timeView({ assumptions }: Settings): (instant: Instant) => string {
  return assumptions["platform.timestamp_suffix"] === "+00:00"
    ? (instant) => `${formatInstant(instant).slice(0, -1)}+00:00`
    : formatInstant;
}

/** Like the above, for a time stored as text with `Z`. */
export function timeTextView({ assumptions }: Settings): (text: string) => string {
  return assumptions["platform.timestamp_suffix"] === "+00:00"
    ? (text) => `${text.slice(0, -1)}+00:00`
    : (text) => text;
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
