import { type Mutation, mutationsOf } from "./mutation.ts";

const RUN = "emulator/subjects/bulk-exports/run.ts";
const FAILED = "    attempt: run.attempt + 1,\n";

/** What the engine of exports can do wrong that a scenario does not see by itself; `cases` are the sweeps that find it. */
export const SWEEP_MUTATIONS: readonly Mutation[] = [
  ...mutationsOf(
    RUN,
    ["a resumed run begins again", FAILED, `${FAILED}    latest_cursor: null,\n`, "crash"],
    [
      "a resumed run writes its last file twice",
      FAILED,
      `${FAILED}    latest_cursor: run.files.at(-2)?.cursor ?? null,\n`,
      "crash",
    ],
    [
      "the cursor moves before the checkpoint",
      "  const checkpoint: Checkpoint = { file, cursor, exhausted: done };\n",
      "  turn.put(EXPORT_RUNS, { ...run, latest_cursor: cursor ?? run.latest_cursor });\n  const checkpoint: Checkpoint = { file, cursor, exhausted: done };\n",
      "crash",
    ],
    [
      "a run whose last file is stored forgets it when the worker dies",
      '  if (run) failRun(turn, run, { failure: "worker_crash" });',
      '  if (run) failRun(turn, { ...run, files: run.files.slice(0, -1) }, { failure: "worker_crash" });',
      "crash",
    ],
    [
      "a run has one retry instead of 20",
      "run.attempt < max_retries",
      "run.attempt < Math.min(max_retries, 1)",
      "crash",
    ],
    [
      "a retry starts after 40 minutes",
      "scheduleRun(turn, failedRun, retry_delay_ms)",
      "scheduleRun(turn, failedRun, 80 * retry_delay_ms)",
      "crash",
    ],
    [
      "the second attempt has no timeout",
      '  turn.schedule({ kind: "export_run.deadline"',
      '  if (attempt !== 1) turn.schedule({ kind: "export_run.deadline"',
      "crash",
    ],
  ),
  ...mutationsOf("emulator/subjects/bulk-exports/export.ts", [
    "a run of a cancelled export continues",
    "for (const run of openRuns) moveRun(turn, run, runEnd);",
    'for (const run of openRuns) if (end !== "cancel") moveRun(turn, run, runEnd);',
    "cancel",
  ]),
  ...mutationsOf("emulator/subjects/bulk-exports/failure.ts", [
    "an access that is denied is retried",
    'access_denied: "storage_error"',
    'access_denied: "infrastructure_interruption"',
    "store",
  ]),
  ...mutationsOf("emulator/subjects/bulk-exports/partitions.ts", [
    "the second day begins 1 µs late",
    "    from = to;",
    "    from = to + 1;",
    "edges",
  ]),
  ...mutationsOf("emulator/storage/rows/plan.ts", [
    "a window holds its end",
    "|| start < from || start >= until) continue;",
    "|| start < from || start > until) continue;",
    "edges",
  ]),
  ...mutationsOf("emulator/storage/rows/plan.ts", [
    "a window does not hold its begin",
    "|| start < from || start >= until) continue;",
    "|| start <= from || start >= until) continue;",
    "edges",
  ]),
];
