import { parseDuration } from "../../emulator/kernel/duration.ts";
import type { ExplorationOptions } from "../../scenarios/exploration.ts";
import type { Shard } from "../../scenarios/shard.ts";
import { type Flags, type Invocation, UsageError } from "../command.ts";

/** Trials that are run unless `--max-runs` or `--all` says otherwise. */
const USUAL_RUNS = 2_000;
const MAX_RUNS = 1_000_000;
const MAX_SHARDS = 1_000;

/** Flags that bound or divide what is run. */
export const BOUND_FLAGS: Flags = {
  budget: { value: "<duration>", help: "begin no run after this time, such as 60s or PT1M" },
  "max-runs": { value: "<n>", help: `begin at most this many runs (default ${USUAL_RUNS})` },
  shard: { value: "<i/n>", help: "run the i-th of n parts; `report merge` puts their JSON reports together" },
  only: { value: "<name>", help: "run only what has this name in a report" },
};

/** The bounds in the flags. Throws `UsageError`. */
export function boundsOf(
  flags: Invocation["flags"],
): Pick<ExplorationOptions, "budgetMs" | "maxRuns" | "shard" | "only"> {
  return {
    budgetMs: flags.budget === undefined ? undefined : budgetOf(String(flags.budget)),
    maxRuns: flags.all === true ? MAX_RUNS : (runsOf(flags["max-runs"]) ?? USUAL_RUNS),
    shard: shardOf(flags),
    only: flags.only === undefined ? undefined : String(flags.only),
  };
}

function budgetOf(text: string): number {
  const [, count, unit = "s"] = /^(\d{1,6})(ms|s|m|h)?$/.exec(text) ?? [];
  const ms =
    count === undefined
      ? parseDuration(text)
      : Number(count) * { ms: 1, s: 1e3, m: 6e4, h: 36e5 }[unit as "s"];
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`--budget: "${text}" is not valid; give a duration such as 60s, 5m or PT1M`);
}

function runsOf(value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  const count = /^\d+$/.test(String(value)) ? Number(value) : 0;
  if (count >= 1 && count <= MAX_RUNS) return count;
  throw new UsageError(`--max-runs: "${String(value)}" is not valid; give a number from 1 to ${MAX_RUNS}`);
}

/** The part that `--shard i/n` names; undefined for all of it. */
export function shardOf({ shard }: Invocation["flags"]): Shard | undefined {
  if (shard === undefined) return undefined;
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(String(shard)) ?? []).map(Number);
  if (index >= 1 && index <= count && count <= MAX_SHARDS) return { index, count };
  throw new UsageError(`--shard: "${String(shard)}" is not valid; give a part and their number, such as 1/4`);
}
