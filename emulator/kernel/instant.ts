/**
 * Virtual time: milliseconds since 1970-01-01T00:00:00Z. Calendar arithmetic is all that the kernel
 * needs of `Date`; nothing here looks at a clock.
 */
export type Instant = number;

const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:?\d{2})$/;

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Cache of the last day: lists print many times of few days. */
let lastDay = { midnight: 0, text: "1970-01-01T" };
let last = { instant: Number.NaN, text: "" };

/** ISO 8601 in UTC with six decimals, as the platform prints times. */
export function formatInstant(instant: Instant): string {
  // Consecutive calls often format the same instant.
  if (instant !== last.instant) last = { instant, text: `${formatToMillis(instant)}000Z` };
  return last.text;
}

export function formatInstantOrNull(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

function formatToMillis(instant: Instant): string {
  const whole = Math.trunc(instant);
  const midnight = Math.floor(whole / DAY_MS) * DAY_MS;
  if (midnight !== lastDay.midnight)
    lastDay = { midnight, text: new Date(midnight).toISOString().slice(0, -"00:00:00.000Z".length) };
  const ofDay = whole - midnight;
  const hour = TWO_DIGITS[Math.floor(ofDay / 3_600_000)];
  const minute = TWO_DIGITS[Math.floor(ofDay / 60_000) % 60];
  const second = TWO_DIGITS[Math.floor(ofDay / 1000) % 60];
  return `${lastDay.text}${hour}:${minute}:${second}.${String(ofDay % 1000).padStart(3, "0")}`;
}

/** Formats an instant as HTTP headers have it: `Sun, 31 Jan 2027 00:00:00 GMT`. */
export function formatHttpDate(instant: Instant): string {
  return new Date(instant).toUTCString();
}

/** Reads an ISO 8601 instant with a zone; undefined when it is not one (or no real calendar day). */
export function parseInstant(text: string): Instant | undefined {
  const micros = parseMicros(text);
  return micros === undefined ? undefined : Math.floor(micros / 1000);
}

/** Milliseconds since 1970 of an instant that was checked before; throws when it is none after all. */
export function instantMs(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`${text} is not an ISO 8601 instant with a zone.`);
  return instant;
}

/** Microseconds since 1970 of an ISO 8601 instant with a zone; finer digits are cut off. */
export function parseMicros(text: string): number | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone = "Z"] = match;
  const midnight = midnightOf(Number(year), Number(month), Number(day));
  if (midnight === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offsetMinutes = zoneOffsetMinutes(zone);
  if (offsetMinutes === undefined) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute) - offsetMinutes) * 60 + Number(second);
  return (midnight + seconds * 1000) * 1000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
}

/** ISO 8601 in UTC with six decimals of microseconds since 1970. */
export function formatMicros(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = micros - millis * 1000;
  return `${formatToMillis(millis)}${String(rest).padStart(3, "0")}Z`;
}

/** The beginning of a day in UTC; undefined when the calendar has no such day. */
export function midnightOf(year: number, month: number, day: number): Instant | undefined {
  const date = new Date(0);
  // Unlike `Date.UTC`, this takes the years 0 to 99 for what they are.
  const midnight = date.setUTCFullYear(year, month - 1, day);
  return date.getUTCDate() === day && date.getUTCMonth() === month - 1 ? midnight : undefined;
}

function zoneOffsetMinutes(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
