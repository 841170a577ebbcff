/**
 * Virtual time: milliseconds since 1970-01-01T00:00:00Z. Calendar arithmetic is all that the kernel
 * needs of `Date`; nothing here looks at a clock.
 */
export type Instant = number;

/** An instant with its microseconds, in two numbers so that the years 0001 to 9999 are exact. */
export interface Moment {
  /** Integer seconds since 1970, negative before. */
  readonly seconds: number;
  /** 0 to 999,999. */
  readonly micros: number;
}

const DATE = /(\d{4}-\d\d-\d\d)/.source;
const TIME_OF_DAY = /([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?/.source;
const ZONE = /(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)/.source;
const ISO = new RegExp(`^${DATE}(?:[T ]${TIME_OF_DAY}(?:${ZONE})?)?$`, "i");
const ZONED = new RegExp(`T.*${ZONE}$`, "i");
const LEAP_SECOND = /(?<=[T ]\d\d:\d\d:)60/i;

const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Cache of the last day: lists print many times of few days. */
let lastDay = { midnight: 0, text: "1970-01-01T" };
let last = { instant: Number.NaN, text: "" };
/** Cache of the last date that was read: the times of a request are mostly of one day. */
let lastDate: { readonly text: string; readonly midnight: number | undefined } = {
  text: "1970-01-01",
  midnight: 0,
};

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

/** Reads an ISO 8601 instant with a zone; undefined for any other text. */
export function parseInstant(text: string): Instant | undefined {
  const moment = ZONED.test(text) ? momentOf(text) : undefined;
  return moment && moment.seconds * 1000 + Math.floor(moment.micros / 1000);
}

/** The same in microseconds, exact in every year. */
export function parseMicros(text: string): bigint | undefined {
  const moment = ZONED.test(text) ? momentOf(text) : undefined;
  return moment && BigInt(moment.seconds) * 1_000_000n + BigInt(moment.micros);
}

/** Milliseconds since 1970 of an instant that was checked before; throws when it is none after all. */
export function instantMs(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`${text} is not an ISO 8601 instant with a zone.`);
  return instant;
}

/**
 * Reads an ISO 8601 date or time, in UTC without a zone; finer digits than microseconds are cut off. Undefined for any
 * other text, for a day that the calendar does not have, and outside the years 0001 to 9999.
 */
export function momentOf(text: string): Moment | undefined {
  const parts = ISO.exec(text);
  if (parts === null) return undefined;
  const [, date = "", hour = "0", minute = "0", second = "0", fraction = ""] = parts;
  const [sign, zoneHours = "0", zoneMinutes = "0"] = parts.slice(6);
  const midnight = midnightOfDate(date);
  if (midnight === undefined) return undefined;
  const offset = (sign === "-" ? -1 : 1) * (Number(zoneHours) * 3600 + Number(zoneMinutes) * 60);
  const ofDay = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const seconds = midnight / 1000 + ofDay - offset;
  if (!hasFourDigitYear(seconds)) return undefined;
  return { seconds, micros: Number(fraction.slice(0, 6).padEnd(6, "0")) };
}

/** Whether a second since 1970 is in the years 0001 to 9999. */
export function hasFourDigitYear(seconds: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}

/** Why a value is not a time, as a sentence after its name: it is not what was `expected`, or it does not exist. */
export function timeProblem(value: unknown, expected: string): string {
  const text = String(value);
  if (LEAP_SECOND.test(text) && momentOf(text.replace(LEAP_SECOND, "59")))
    return "must not be a leap second, because seconds are counted from 00 to 59; use :59, or :00 of the next minute";
  if (ISO.test(text) && !momentOf(text))
    return "must be a day that exists, from 0001-01-01 to 9999-12-31 in UTC";
  return `must be ${expected}`;
}

/** The beginning of a date (`YYYY-MM-DD`) in UTC; undefined when the calendar has no such day. */
export function midnightOfDate(date: string): Instant | undefined {
  if (date === lastDate.text) return lastDate.midnight;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // The language takes the 30th of February for a day in March.
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  lastDate = { text: date, midnight: exists ? midnight : undefined };
  return lastDate.midnight;
}
