import { formatMicros, parseMicros } from "../../kernel/instant.ts";

/** One UTC day of a window, or the part of it that the window covers. */
export interface DayWindow {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly start: string;
  readonly end: string;
}

const LAST_MICROS = microsOf("9999-12-31T23:59:59.999999Z");
const DAY_MICROS = 86_400_000_000;

/** §2.6-1: cuts a window into UTC days that tile it: no gap, no overlap, start inclusive, end exclusive. */
export function cutIntoDays(start: string, end: string): readonly DayWindow[] {
  const windows: DayWindow[] = [];
  const last = microsOf(end);
  for (let from = microsOf(start); from < last; ) {
    const to = Math.min((Math.floor(from / DAY_MICROS) + 1) * DAY_MICROS, last);
    const startText = formatMicros(from);
    windows.push({ day: startText.slice(0, 10), start: startText, end: formatMicros(to) });
    from = to;
  }
  return windows;
}

/** The number of windows that `cutIntoDays` returns; 0 for an empty window. */
export function countDays(start: string, end: string): number {
  const [from, to] = [microsOf(start), microsOf(end)];
  return to <= from ? 0 : Math.ceil(to / DAY_MICROS) - Math.floor(from / DAY_MICROS);
}

/** Undefined after the year 9999: later years have more than four digits. */
export function addHours(time: string, hours: number): string | undefined {
  const micros = microsOf(time) + hours * 3_600_000_000;
  return micros > LAST_MICROS ? undefined : formatMicros(micros);
}

function microsOf(time: string): number {
  const micros = parseMicros(time);
  if (micros === undefined) throw new Error(`${time} is not a valid time.`);
  return micros;
}
