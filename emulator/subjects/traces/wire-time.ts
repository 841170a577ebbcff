/**
 * Parses client times and formats them for trace rows: ISO 8601 UTC with six decimals and `Z`.
 * Seconds and microseconds are separate numbers, so that the years 0001 to 9999 are exact.
 */

import { formatInstant, midnightOf } from "../../kernel/instant.ts";

interface Moment {
  /** Integer seconds since 1970, negative before. */
  readonly seconds: number;
  /** 0 to 999,999. */
  readonly micros: number;
}

const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

const DATE = /(\d{4}-\d\d-\d\d)/.source;
const TIME_OF_DAY = /([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?/.source;
const ZONE = /(Z|[+-]\d\d(?::?\d\d)?)?/.source;
const ISO_TEXT = new RegExp(`^${DATE}(?:[T ]${TIME_OF_DAY}${ZONE})?$`, "i");
const PRINTED = /^(?!0000)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/**
 * Reads ISO 8601 text (UTC without a zone; truncated to microseconds) or a
 * number since 1970, in seconds, milliseconds, microseconds or nanoseconds by its size (below 1e11,
 * 1e14, 1e17). Undefined when it is neither.
 */
export function parseTime(value: unknown): string | undefined {
  if (typeof value === "string") return isPrinted(value) ? value : print(momentOfText(value));
  return typeof value === "number" ? print(momentOfNumber(value)) : undefined;
}

/** The time `micros` microseconds later; undefined outside the years 0001 to 9999. */
export function shiftTime(time: string, micros: number): string | undefined {
  const moment = momentOfText(time);
  return moment === undefined ? undefined : print(shift(moment, micros));
}

/** Microseconds from one time to the other; exact up to 285 years. */
export function microsBetween(from: string, to: string): number {
  const start = momentOfText(from);
  const end = momentOfText(to);
  if (start === undefined || end === undefined) return Number.NaN;
  return (end.seconds - start.seconds) * 1_000_000 + end.micros - start.micros;
}

/** Milliseconds since 1970, the format of some clients; truncated. */
export function millisOf(time: string): number {
  const moment = momentOfText(time);
  return moment === undefined ? Number.NaN : moment.seconds * 1000 + Math.floor(moment.micros / 1000);
}

/** `YYYYMMDDTHHMMSSffffffZ`, the time format of dotted_order. */
export function stampOf(time: string): string {
  return time.replace(/[-:.]/g, "");
}

/** Cache of the last date: the times of a request are mostly of one day. */
let lastDate: { readonly text: string; readonly midnight: number | undefined } = {
  text: "1970-01-01",
  midnight: 0,
};

/** Whether it is a time as `print` writes it, on a day that there is. */
function isPrinted(text: string): boolean {
  return PRINTED.test(text) && midnightOfText(text.slice(0, 10)) !== undefined;
}

function midnightOfText(date: string): number | undefined {
  if (date !== lastDate.text) lastDate = { text: date, midnight: midnightOfDate(date) };
  return lastDate.midnight;
}

function midnightOfDate(date: string): number | undefined {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return midnightOf(year, month, day);
}

function momentOfText(text: string): Moment | undefined {
  const parts = ISO_TEXT.exec(text);
  if (parts === null) return undefined;
  const [, date = "", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = parts;
  const midnight = midnightOfText(date);
  const offset = offsetSeconds(zone);
  if (midnight === undefined || offset === undefined) return undefined;
  const ofDay = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return { seconds: midnight / 1000 + ofDay - offset, micros: Number(fraction.slice(0, 6).padEnd(6, "0")) };
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

function offsetSeconds(zone: string): number | undefined {
  if (zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function print(moment: Moment | undefined): string | undefined {
  if (moment === undefined || moment.seconds < FIRST_SECOND || moment.seconds > LAST_SECOND) return undefined;
  const second = formatInstant(moment.seconds * 1000).slice(0, 19);
  return `${second}.${String(moment.micros).padStart(6, "0")}Z`;
}
