/**
 * Parses client times and formats them for trace rows: ISO 8601 UTC with six decimals and `Z`.
 */

import {
  formatInstant,
  hasFourDigitYear,
  type Moment,
  midnightOfDate,
  momentOf,
} from "../../kernel/instant.ts";

const PRINTED = /^(?!0000)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/**
 * Reads ISO 8601 text (UTC without a zone; truncated to microseconds) or a
 * number since 1970, in seconds, milliseconds, microseconds or nanoseconds by its size (below 1e11,
 * 1e14, 1e17). Undefined when it is neither.
 */
export function parseTime(value: unknown): string | undefined {
  if (typeof value === "string") return isPrinted(value) ? value : print(momentOf(value));
  return typeof value === "number" ? print(momentOfNumber(value)) : undefined;
}

/** The time `micros` microseconds later; undefined outside the years 0001 to 9999. */
export function shiftTime(time: string, micros: number): string | undefined {
  const moment = momentOf(time);
  return moment === undefined ? undefined : print(shift(moment, micros));
}

/** Microseconds from one time to the other; exact up to 285 years. */
export function microsBetween(from: string, to: string): number {
  const start = momentOf(from);
  const end = momentOf(to);
  if (start === undefined || end === undefined) return Number.NaN;
  return (end.seconds - start.seconds) * 1_000_000 + end.micros - start.micros;
}

/** Milliseconds since 1970, the format of some clients; truncated. */
export function millisOf(time: string): number {
  const moment = momentOf(time);
  return moment === undefined ? Number.NaN : moment.seconds * 1000 + Math.floor(moment.micros / 1000);
}

/** `YYYYMMDDTHHMMSSffffffZ`, the time format of dotted_order. */
export function stampOf(time: string): string {
  return time.replace(/[-:.]/g, "");
}

/** Whether it is a time as `print` writes it, on a day that there is. */
function isPrinted(text: string): boolean {
  return PRINTED.test(text) && midnightOfDate(text.slice(0, 10)) !== undefined;
}

function momentOfNumber(value: number): Moment | undefined {
  const size = Math.abs(value);
  if (!(size < 1e20)) return undefined;
  const perSecond = size < 1e11 ? 1 : size < 1e14 ? 1e3 : size < 1e17 ? 1e6 : 1e9;
  const seconds = Math.floor(value / perSecond);
  return shift({ seconds, micros: 0 }, Math.round(((value - seconds * perSecond) / perSecond) * 1e6));
}

function shift(moment: Moment, by: number): Moment {
  const micros = moment.micros + by;
  const carried = Math.floor(micros / 1_000_000);
  return { seconds: moment.seconds + carried, micros: micros - carried * 1_000_000 };
}

function print(moment: Moment | undefined): string | undefined {
  if (moment === undefined || !hasFourDigitYear(moment.seconds)) return undefined;
  const second = formatInstant(moment.seconds * 1000).slice(0, 19);
  return `${second}.${String(moment.micros).padStart(6, "0")}Z`;
}
