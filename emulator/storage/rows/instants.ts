/** Times of trace rows are ISO 8601 UTC text with six decimals; a partition is one UTC day of them. */
const INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const DAY_MS = 86_400_000;
const DAYS_REMEMBERED = 4096;

const daysMs = new Map<string, number>();

/** The time in milliseconds at which a UTC day (`YYYY-MM-DD`) begins; `NaN` for an invalid day. */
function msOfDay(day: string): number {
  const cached = daysMs.get(day);
  if (cached !== undefined) return cached;
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (daysMs.size >= DAYS_REMEMBERED) daysMs.clear();
  daysMs.set(day, ms);
  return ms;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

/** Whether a text is a time of a row: UTC with six decimals. */
export function isInstant(text: unknown): text is string {
  return typeof text === "string" && INSTANT.test(text) && !Number.isNaN(msOfDay(dayOf(text)));
}

/** The UTC day (`YYYY-MM-DD`) of an instant. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** Microseconds since the beginning of the instant's own day: exact in a double, whatever the year. */
export function microsecondsOfDay(instant: string): number {
  const seconds = twoDigits(instant, 11) * 3600 + twoDigits(instant, 14) * 60 + twoDigits(instant, 17);
  const fraction = twoDigits(instant, 20) * 10_000 + twoDigits(instant, 22) * 100 + twoDigits(instant, 24);
  return seconds * 1_000_000 + fraction;
}

/** Microseconds since 1970, exact. Throws for a text that is not a time of a row. */
export function epochMicroseconds(instant: string): bigint {
  const dayMs = INSTANT.test(instant) ? msOfDay(dayOf(instant)) : Number.NaN;
  if (Number.isNaN(dayMs)) throw new RangeError("is not a time");
  const micros = dayMs * 1000 + microsecondsOfDay(instant);
  if (Number.isSafeInteger(micros)) return BigInt(micros);
  return BigInt(dayMs) * 1000n + BigInt(microsecondsOfDay(instant));
}

/** The inverse of `microsecondsOfDay`. */
export function instantAt(day: string, micros: number): string {
  const inSecond = micros % 1_000_000;
  const second = new Date(msOfDay(day) + (micros - inSecond) / 1000).toISOString().slice(0, 19);
  return `${second}.${String(inSecond).padStart(6, "0")}Z`;
}

/** The part of a day between two instants, in microseconds of the day. The end is exclusive. */
export function withinDay(day: string, start: string, end: string): { from: number; until: number } {
  const from = dayOf(start) < day ? 0 : dayOf(start) > day ? Infinity : microsecondsOfDay(start);
  const until = dayOf(end) < day ? 0 : dayOf(end) > day ? DAY_MS * 1000 : microsecondsOfDay(end);
  return { from, until };
}
