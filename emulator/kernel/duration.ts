/**
 * How a duration of fixed length is written: ISO 8601 (`PT6H10M`, `P1D`, `PT0.5S`), or short (`6h`, `1d12h`, `90s`,
 * `1500ms`). Months and years have no fixed length. The configuration schema publishes this pattern.
 */
export const DURATION =
  /^(?:P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?|(?=\d)(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d{1,3})?)s)?|(\d+)ms)$/;

/** For messages: what a duration may be. */
export const DURATION_EXAMPLES = "6h, 1d12h or PT6H (units: w, d, h, m, s, ms)";

const UNITS_MS = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1000];
const MAX_DURATION_MS = 100 * 366 * 86_400_000;

/** Milliseconds of a duration; undefined when the text is not one, or is longer than a hundred years. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  const amounts = match.slice(1).map((amount) => Number(amount ?? 0));
  const amountOf = (unit: number) => (amounts[unit] ?? 0) + (amounts[UNITS_MS.length + unit] ?? 0);
  const fixedMs = amounts[2 * UNITS_MS.length] ?? 0;
  const ms = Math.round(UNITS_MS.reduce((sum, unitMs, unit) => sum + amountOf(unit) * unitMs, fixedMs));
  return ms > MAX_DURATION_MS ? undefined : ms;
}

/** Milliseconds of a duration that was checked before; throws when it is none after all. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${JSON.stringify(text)} is not a duration.`);
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
