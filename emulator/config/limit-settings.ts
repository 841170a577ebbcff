import type { Limit, LimitTable, LimitValues } from "../../contracts/spec/limit.ts";
import { duration, integer, type Kind } from "./kinds.ts";
import { type Setting, setting } from "./setting.ts";

/** Counts that may be nought; with none of the others could anything ever happen. */
const MAY_BE_ZERO = new Set(["limits.max_retries"]);

/** Where the rows of a table stand in the configuration. */
type Prefix = "limits" | "timings";

/** A setting for each row of a table of limits, under its key. */
export function limitSettings(prefix: Prefix, table: LimitTable): [string, Setting][] {
  return Object.entries(table).map(([key, limit]) => {
    const path = `${prefix}.${key}`;
    const kind: Kind<number> = isDuration(limit)
      ? duration()
      : integer(MAY_BE_ZERO.has(path) ? 0 : 1, Number.MAX_SAFE_INTEGER);
    const initial = kind.read(limit.value);
    if (initial === undefined) throw new Error(`${path} is not ${kind.expects}`);
    return [path, setting(kind, initial, `${limit.text} (§${limit.section})`)];
  });
}

/** The values under the names that the domain knows them by: durations are in milliseconds and say so. */
export function limitValues<Table extends LimitTable>(
  prefix: Prefix,
  table: Table,
  valueOf: (path: string) => unknown,
): LimitValues<Table> {
  const values = Object.entries(table).map(([key, limit]) => [
    isDuration(limit) ? `${key}_ms` : key,
    valueOf(`${prefix}.${key}`),
  ]);
  return Object.fromEntries(values) as LimitValues<Table>;
}

function isDuration(limit: Limit): boolean {
  return limit.unit === "duration" || limit.unit === "wall_clock_duration";
}
