import { formatDuration } from "../../kernel/duration.ts";
import { formatInstant } from "../../kernel/instant.ts";

/** An instant (ISO 8601) as date and time in UTC, with the full value as tooltip. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="none">–</span>;
  return (
    <time dateTime={at} title={at} class="mono">
      {shortTime(at)}
    </time>
  );
}

/** A window of time, which may have no end. Omits the time of midnight, and a second equal date. */
export function Window({ from, to }: { readonly from: string; readonly to: string | null }) {
  const isOneDay = from.slice(0, 10) === to?.slice(0, 10);
  const [begin = "", end = ""] = [from, to ?? ""].map((at) => {
    const text = shortTime(at).replace(/(?<=^.{16}):00$/, "");
    return isOneDay ? text : text.replace(/ 00:00$/, "");
  });
  return (
    <span class="mono" title={`${from} – ${to ?? ""}`}>
      {begin} – {isOneDay ? end.slice(11) : end}
    </span>
  );
}

/** `2026-03-01 04:05:06.789`, without trailing zeros. */
export function shortTime(at: string): string {
  return at
    .replace("T", " ")
    .replace(/(\.\d*?)0*(Z|\+00:00)$/, (_, fraction) => (fraction === "." ? "" : fraction));
}

/** Like `shortTime`, for milliseconds since 1970. */
export function timeOf(instant: number): string {
  return shortTime(formatInstant(instant));
}

/** The largest two units of a duration in ms: `3 h 20 min`. */
export function spanOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(formatDuration(Math.round(ms))) ?? [];
  const units = [
    [days, "d"],
    [hours, "h"],
    [minutes, "min"],
    [seconds && String(Number(Number(seconds).toFixed(1))), "s"],
  ] as const;
  const present = units.filter(([amount]) => amount !== undefined);
  return present
    .slice(0, 2)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}
