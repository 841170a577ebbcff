import { counted } from "../../contracts/report/counted.ts";
import { packageVersion } from "../../emulator/config/package-version.ts";
import type { ExplorationOptions } from "../../scenarios/exploration.ts";
import type { Shard } from "../../scenarios/shard.ts";
import { type Flags, type Invocation, UsageError } from "../command.ts";
import { countOf, readDurationMs, textOf } from "../values.ts";

/** Trials that are run unless `--max-runs` or `--all` says otherwise. */
const USUAL_RUNS = 2_000;
const MAX_RUNS = 1_000_000;
const MAX_SHARDS = 1_000;

const SWEEPS = {
  command: {
    value: "crash|store|limits[,<second>]",
    help: "a crash of the export worker, a failed S3 call (store) or a 429 reply (limits)",
  },
  scenario: {
    value: "crash|edges|store|limits|cancel|late-row[,<second>]",
    help: "a crash of the export worker or the emulator, a clock stop around a due event or window edge (edges), a failed S3 call (store), a 429 reply (limits), a cancelled export or a row that arrives late",
  },
};

/** Flags of commands that play something again in other ways. */
export function explorationFlags(subject: keyof typeof SWEEPS): Flags {
  const isCommand = subject === "command";
  const { value, help } = SWEEPS[subject];
  return {
    vary: {
      value: "[each|pairs|observed]",
      words: ["each", "pairs", "observed"],
      help: "run again with other values of the assumptions, where the specification is silent: each value alone, pairs of values, or all values of the profile `observed` (default each)",
    },
    sweep: {
      value,
      help: `run again, each time with one disturbance at another point: ${help}; two with a comma: both in one run`,
    },
    all: { help: `with --sweep: every point (default: 24${isCommand ? "" : " of each scenario"})` },
    budget: {
      value: "<duration>",
      help: "start no further run when this much time has passed, such as 60s or PT1M",
    },
    "max-runs": {
      value: "<n>",
      help: `start at most this many runs (default ${USUAL_RUNS}${isCommand ? "" : "; 3000 with --shrink"})`,
    },
    shard: { value: "<i/n>", help: "run the i-th of n parts; `report merge` combines their JSON reports" },
    only: {
      value: "<name>",
      help: 'run only the variation or point with this name in the report, such as "agent.list_order=oldest first"',
    },
  };
}

/** Refuses flags that only bound or divide `--vary` and `--sweep`. Throws `UsageError`. */
export function refuseBounds(flags: Invocation["flags"], ...more: readonly string[]): void {
  const lostFlag = ["all", "budget", "max-runs", "only", ...more].find((name) => flags[name] !== undefined);
  if (lostFlag === undefined) return;
  const [users, next] =
    lostFlag === "all" ? ["--sweep", "add --sweep"] : ["--vary or --sweep", "add one of them"];
  throw new UsageError(`--${lostFlag}: it is only valid with ${users}; ${next}, or remove it`);
}

/** The bounds in the flags. Throws `UsageError`. */
export function boundsOf(
  invocation: Invocation,
): Pick<ExplorationOptions, "budgetMs" | "maxRuns" | "shard" | "only"> {
  const { flags } = invocation;
  const budget = textOf(invocation, "budget");
  return {
    budgetMs: budget === undefined ? undefined : readDurationMs(budget, "--budget"),
    maxRuns:
      countOf(invocation, "max-runs", { most: MAX_RUNS }) ?? (flags.all === true ? MAX_RUNS : USUAL_RUNS),
    shard: shardOf(flags),
    only: textOf(invocation, "only"),
  };
}

/** Flags that decide what a run checks; the addresses of its servers may differ between its parts. */
const PLAN_FLAGS = ["vary", "sweep", "all", "only", "max-runs", "seed", "strict", "profile", "oracle"];

/** The part that `--shard i/n` names; the only one without it. Throws `UsageError`. */
export function shardOf(flags: Invocation["flags"]): Shard {
  const { shard = "1/1" } = flags;
  const options = JSON.stringify([packageVersion(), ...PLAN_FLAGS.map((name) => flags[name] ?? null)]);
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(String(shard)) ?? []).map(Number);
  if (index >= 1 && index <= count && count <= MAX_SHARDS) return { index, count, options };
  throw new UsageError(
    `--shard: "${String(shard)}" is not valid; give the number of the part and the number of parts, such as 1/4`,
  );
}

/** Refuses a part without items, which would succeed without having checked anything. Throws `UsageError`. */
export function refuseEmpty(
  { index, count }: Pick<Shard, "index" | "count">,
  total: number,
  noun: string,
): void {
  if (count === 1 || index <= total) return;
  const most = total === 1 ? "1 part" : `${total} parts`;
  throw new UsageError(
    `--shard: part ${index} of ${count} is empty, because the run has ${counted(total, noun)}; give at most ${most}`,
  );
}
