/** Milliseconds since 1970, UTC. */
export type Instant = number;

/** Milliseconds, like MINUTE, HOUR and DAY. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `2026-01-01T00:00:00Z`, with milliseconds only where they are not zero. */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

/** An instant moved by microseconds, with six decimals. */
export function isoMicros(instant: Instant, micros: number): string {
  const milliseconds = new Date(instant + Math.floor(micros / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(((micros % 1000) + 1000) % 1000).padStart(3, "0")}Z`;
}

const ZONELESS = /t\d\d:\d\d[\d:.]*$/i;

/** Reads an ISO 8601 time, as UTC where it has no zone; NaN for anything else. */
export function instantOf(text: unknown): Instant {
  if (typeof text !== "string") return Number.NaN;
  return Date.parse(ZONELESS.test(text) ? `${text}Z` : text);
}

/** UTC midnight at the start of the day, moved by a number of days. */
export function midnight(instant: Instant, days = 0): Instant {
  return Math.floor(instant / DAY) * DAY + days * DAY;
}

/** Year, month and day of the UTC calendar. */
export function dateOf(instant: Instant): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
} {
  const date = new Date(instant);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
