import type { Limit, LimitTable, LimitValues } from "../../contracts/spec/limit.ts";
import { duration, integer, type Kind } from "./kinds.ts";
import { type Setting, setting } from "./setting.ts";

/** Counts that may be zero; any other count of zero would block all work. */
const MAY_BE_ZERO = new Set(["limits.max_retries", "limits.history_turns"]);

/** Sections of the configuration for the tables of limits. */
type Prefix = "limits" | "timings";

/** A setting for each row of a table of limits, under its key. */
export function limitSettings(prefix: Prefix, table: LimitTable): [string, Setting][] {
  return Object.entries(table).map(([key, limit]) => {
    const path = `${prefix}.${key}`;
    const kind: Kind<number> = isDuration(limit)
      ? duration()
      : integer(MAY_BE_ZERO.has(path) ? 0 : 1, limit.maximum ?? Number.MAX_SAFE_INTEGER);
    const initial = kind.read(limit.value);
    if (initial === undefined) throw new Error(`${path} is not ${kind.expects}`);
    return [path, setting(kind, initial, `${limit.text} (§${limit.section})`)];
  });
}

/** The values under their names in the domain; durations are in milliseconds, with the suffix `_ms`. */
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
