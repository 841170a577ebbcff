import { millisOf, shiftTime } from "../traces/wire-time.ts";

/** One UTC day of a window, or the part of it that the window covers. */
export interface DayWindow {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly start: string;
  readonly end: string;
}

const DAY_MS = 86_400_000;

/** §2.6-1: cuts a window into UTC days that tile it: no gap, no overlap, start inclusive, end exclusive. */
export function cutIntoDays(start: string, end: string): readonly DayWindow[] {
  const windows: DayWindow[] = [];
  for (let from = start; from < end; ) {
    const day = from.slice(0, 10);
    const midnight = shiftTime(`${day}T00:00:00.000000Z`, DAY_MS * 1000);
    const to = midnight !== undefined && midnight < end ? midnight : end;
    windows.push({ day, start: from, end: to });
    from = to;
  }
  return windows;
}

/** The number of windows that `cutIntoDays` returns; 0 for an empty window. */
export function countDays(start: string, end: string): number {
  if (end <= start) return 0;
  const dayOf = (time: string) => Math.floor(millisOf(time) / DAY_MS);
  return dayOf(shiftTime(end, -1) ?? end) - dayOf(start) + 1;
}

/** Undefined after the year 9999: later years have more than four digits. */
export function addHours(time: string, hours: number): string | undefined {
  return shiftTime(time, hours * 3_600_000_000);
}
