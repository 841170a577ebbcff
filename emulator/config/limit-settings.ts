import type { Limit } from "../../contracts/spec/limit.ts";
import { duration, integer, type Kind } from "./kinds.ts";
import { type Setting, setting } from "./setting.ts";

/** Counts that may be nought; with none of the others could anything ever happen. */
const MAY_BE_ZERO = new Set(["limits.max_retries"]);

/** A setting for each row of a table of limits, under the key that the row names. */
export function limitSettings(table: Readonly<Record<string, Limit>>): [string, Setting][] {
  return Object.values(table).map((limit) => {
    const kind: Kind<number> = isDuration(limit)
      ? duration()
      : integer(MAY_BE_ZERO.has(limit.setting) ? 0 : 1, Number.MAX_SAFE_INTEGER);
    const initial = kind.read(limit.value);
    if (initial === undefined) throw new Error(`${limit.setting} is not ${kind.expects}`);
    return [limit.setting, setting(kind, initial, `${limit.text} (§${limit.section})`)];
  });
}

/** The values under the names that the domain knows them by: durations are in milliseconds and say so. */
export function limitValues(
  table: Readonly<Record<string, Limit>>,
  valueOf: (path: string) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(table).map(([key, limit]) => [
      isDuration(limit) ? `${key}_ms` : key,
      valueOf(limit.setting),
    ]),
  );
}

function isDuration(limit: Limit): boolean {
  return limit.unit === "duration" || limit.unit === "wall_clock_duration";
}
