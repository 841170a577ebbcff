import { parseInstant } from "../../emulator/client/values.ts";

const DAY_MS = 86_400_000;
/** Midnights within a window that are tried. */
const MAX_MIDNIGHTS = 2;

/** Unix milliseconds of an ISO 8601 time. */
export function millis(time: string): number {
  return parseInstant(time) ?? 0;
}

/** The ISO 8601 time of Unix milliseconds. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function isMidnight(at: number): boolean {
  return at % DAY_MS === 0;
}

/** The start and the end of a window, and its first midnights. */
export function edgesOf(window: { readonly start_time: string; readonly end_time: string | null }): number[] {
  if (window.end_time === null) return [];
  const [start, end] = [millis(window.start_time), millis(window.end_time)];
  const midnights: number[] = [];
  for (let day = (Math.floor(start / DAY_MS) + 1) * DAY_MS; day < end; day += DAY_MS) midnights.push(day);
  return [...new Set([start, ...midnights.slice(0, MAX_MIDNIGHTS), end])];
}
