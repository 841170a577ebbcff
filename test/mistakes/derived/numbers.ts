import { RATE_FACT_IDS, RATE_FACTS, type Rate } from "../../../contracts/facts/rate-limits.ts";
import type { Limit, LimitTable } from "../../../contracts/spec/limit.ts";
import { LIMITS, TIMINGS } from "../../../contracts/spec/limits.ts";
import { mistakes, type Row } from "../row.ts";

/** One more and one less, in the unit of the value, and the other number that the specification has. */
function otherValues({ value, conflict }: Limit): readonly (number | string)[] {
  const neighbours =
    typeof value === "number"
      ? [value + 1, value - 1]
      : [1, -1].map((step) => value.replace(/\d+/, (amount) => String(Number(amount) + step)));
  return conflict === undefined ? neighbours : [...neighbours, conflict];
}

function limitRows(group: "limits" | "timings", table: LimitTable): readonly Row[] {
  return Object.entries(table).flatMap(([key, limit]) => {
    if (limit.own) return [];
    const rows = otherValues(limit).map((value) => [
      `${limit.requirement}: ${key} is ${value}, not ${limit.value}`,
      { settings: { [group]: { [key]: value } } },
    ]);
    return mistakes(Object.fromEntries(rows));
  });
}

/** The numbers of §3.3, §8.2 and §8.3. */
export const LIMIT_MISTAKES: readonly Row[] = [
  ...limitRows("limits", LIMITS),
  ...limitRows("timings", TIMINGS),
];

/** The counts and windows of §8.5. */
export const RATE_MISTAKES: readonly Row[] = RATE_FACT_IDS.flatMap((id) => {
  const { us, eu } = RATE_FACTS[id];
  const withRates = (change: (rate: Rate) => Rate) => ({
    settings: { rate_limits: { rows: { [id]: { us: change(us), eu: change(eu) } } } },
  });
  const about = `8.5/${id.replaceAll("_", "-")}`;
  return mistakes({
    [`${about}: one request more is accepted`]: withRates(({ count, seconds }) => ({
      count: count + 1,
      seconds,
    })),
    // A count of 0 is not a setting.
    ...(us.count > 1 && {
      [`${about}: one request less is accepted`]: withRates(({ count, seconds }) => ({
        count: count - 1,
        seconds,
      })),
    }),
    [`${about}: the window is one second longer`]: withRates(({ count, seconds }) => ({
      count,
      seconds: seconds + 1,
    })),
    [`${about}: the window is one second shorter`]: withRates(({ count, seconds }) => ({
      count,
      seconds: seconds - 1,
    })),
    ...(us.count !== eu.count && { [`${about}: both regions have the same count`]: withRates(() => us) }),
  });
});
