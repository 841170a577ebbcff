/** Milliseconds since 1970, UTC. */
export type Instant = number;

/** In milliseconds, as are the three that follow. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `2026-01-01T00:00:00Z`; fractions only where there are some. */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

/** NaN for what is no time. */
export function instantOf(text: unknown): Instant {
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}

/** The begin of the UTC day, a number of days away. */
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
