/** How an ISO 8601 duration of fixed length is written. */
export const ISO_DURATION =
  /^P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;

const MAX_DURATION_MS = 100 * 366 * 24 * 3_600_000;

/**
 * Milliseconds of an ISO 8601 duration (`PT6H10M`, `P1D`, `PT0.5S`); undefined when it is not one or
 * is longer than a hundred years. Months and years have no fixed length and are not durations here.
 */
export function parseDuration(text: string): number | undefined {
  const match = ISO_DURATION.exec(text);
  if (!match) return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const ms =
    ((((weeks ?? 0) * 7 + (days ?? 0)) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 +
    Math.round((seconds ?? 0) * 1000);
  return ms > MAX_DURATION_MS ? undefined : ms;
}

const AMOUNTS = /^((?:\d+w)?(?:\d+d)?)((?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d{1,3})?s)?)$/i;
const MILLISECONDS = /^(\d+)ms$/i;

/** Milliseconds of a duration as people write it: as above, or as `6h`, `1d12h`, `90s` and `1500ms`. */
export function parseWrittenDuration(text: string): number | undefined {
  const [, ms] = MILLISECONDS.exec(text) ?? [];
  if (ms !== undefined) return Number(ms) > MAX_DURATION_MS ? undefined : Number(ms);
  const [, days, time] = AMOUNTS.exec(text) ?? [];
  const iso = days === undefined ? text : `P${days}${time && `T${time}`}`;
  return parseDuration(iso.toUpperCase());
}

/** Milliseconds of a duration that was checked before; throws when it is none after all. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${JSON.stringify(text)} is not an ISO 8601 duration.`);
  return ms;
}

/** The shortest ISO 8601 spelling in days, hours, minutes and seconds. */
export function formatDuration(ms: number): string {
  const seconds = (ms % 60_000) / 1000;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000) % 24;
  const days = Math.floor(ms / 86_400_000);
  const time = part(hours, "H") + part(minutes, "M") + part(seconds, "S");
  const text = `P${part(days, "D")}${time === "" ? "" : `T${time}`}`;
  return text === "P" ? "PT0S" : text;
}

function part(amount: number, unit: string): string {
  return amount === 0 ? "" : `${amount}${unit}`;
}
