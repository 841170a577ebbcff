import { edits, type Row } from "../row.ts";

/** Rules of exports that the emulator breaks. */
export const EXPORT_EDITS: readonly Row[] = [
  ...edits(
    "emulator/subjects/bulk-exports/run.ts",
    [
      "7.3/interruption: a resumed run begins again",
      "    attempt: run.attempt + 1,\n",
      "    attempt: run.attempt + 1,\n    latest_cursor: null,\n",
    ],
    [
      "8.3-2: the cursor moves before the checkpoint",
      "  const checkpoint: Checkpoint = { file, cursor, exhausted: done };\n",
      "  turn.put(EXPORT_RUNS, { ...run, latest_cursor: cursor ?? run.latest_cursor });\n  const checkpoint: Checkpoint = { file, cursor, exhausted: done };\n",
    ],
    [
      "8.3-2 7.3-1: a run whose last file is stored forgets it when the worker dies",
      '  if (run) failRun(turn, run, { failure: "worker_crash" });',
      '  if (run) failRun(turn, { ...run, files: run.files.slice(0, -1) }, { failure: "worker_crash" });',
    ],
    [
      "8.3-1 7.3-2: the second attempt has no timeout",
      '  turn.schedule({ kind: "export_run.deadline"',
      '  if (attempt !== 1) turn.schedule({ kind: "export_run.deadline"',
    ],
    [
      "8.3/retry-delay-timeout: a retry after a run timeout starts after 60 seconds",
      "scheduleRun(turn, failedRun, retry_delay_ms);",
      'scheduleRun(turn, failedRun, failure === "run_timeout" ? 60_000 : retry_delay_ms);',
    ],
    [
      "8.3/retry-delay-outage: a retry after a store outage starts after 60 seconds",
      "scheduleRun(turn, failedRun, retry_delay_ms);",
      'scheduleRun(turn, failedRun, failure === "unavailable" ? 60_000 : retry_delay_ms);',
    ],
    [
      "8.3/retry-delay-crash: a retry after a crash starts at once",
      "scheduleRun(turn, failedRun, retry_delay_ms);",
      'scheduleRun(turn, failedRun, failure === "worker_crash" ? 0 : retry_delay_ms);',
    ],
  ),
  ...edits("emulator/subjects/destinations/create.ts", [
    "2.4/at-rest: credentials are stored in clear text",
    "turn.ports.secrets.seal(JSON.stringify(Object.fromEntries(input)))",
    'turn.ports.secrets.seal(JSON.stringify(Object.fromEntries(input))),\n    note: Object.values(credentials ?? {}).join(" ")',
  ]),
  ...edits("emulator/storage/secrets.ts", [
    "2.4/at-rest: secrets are only encoded",
    "    seal(plain) {\n",
    "    seal(plain) {\n      if (plain) return `clear:${plain}`;\n",
  ]),
  ...edits("emulator/storage/parquet/schema.ts", [
    "2.5/v2-types: UTC is lost in the footer",
    "isAdjustedToUTC: true",
    "isAdjustedToUTC: false",
  ]),
  ...edits(
    "emulator/storage/rows/plan.ts",
    [
      "2.6/edges-mid-day: a row exactly at a mid-day start_time is lost",
      "|| start < from ||",
      "|| start < from || (from > 0 && start === from) ||",
    ],
    [
      "2.6/edges-days: a row exactly at midnight is lost",
      "|| start < from ||",
      "|| start < from || (from === 0 && start === 0) ||",
    ],
    [
      "2.6/edges-days: a row one microsecond before the end is lost",
      "start >= until)",
      "start >= until - 1)",
    ],
    [
      "2.6/edges-mid-day: a row one microsecond after the end is exported",
      "start >= until)",
      "start > until + 1)",
    ],
  ),
  ...edits("emulator/storage/rows/instants.ts", [
    "2.6/edges-days: the last microsecond of a day is lost",
    "? DAY_MS * 1000 :",
    "? DAY_MS * 1000 - 1 :",
  ]),
  ...edits(
    "emulator/subjects/bulk-exports/export.ts",
    [
      "8.2/failed-frees-place: a FAILED export holds its slot for ever",
      "startAdmitted(turn, pool, releaseSlot(turn, pool, before.id",
      'if (end !== "run_failed") startAdmitted(turn, pool, releaseSlot(turn, pool, before.id',
    ],
    [
      "8.2/timedout-frees-place: a TIMEDOUT export holds its slot for ever",
      "startAdmitted(turn, pool, releaseSlot(turn, pool, before.id",
      'if (end !== "workflow_timeout") startAdmitted(turn, pool, releaseSlot(turn, pool, before.id',
    ],
    [
      "8.2/spawned-counts: a spawned export needs no slot",
      "  if (acquireSlot(turn, pool, bulkExport.id,",
      "  if (bulkExport.source_bulk_export_id !== null || acquireSlot(turn, pool, bulkExport.id,",
    ],
    [
      "8.2/ends-in-queue: an export that cannot begin keeps its slot",
      "    waiting.push(...releaseSlot(turn, pool, id, max_concurrent_exports_per_workspace));\n",
      "",
    ],
  ),
  ...edits("emulator/subjects/bulk-exports/operations.ts", [
    "7.3/interruption: a resumed run counts only the rows of its last file",
    "const rows_exported = rowsExported(run);",
    "const rows_exported = run.attempt > 0 ? (run.files.at(-1)?.rows ?? 0) : rowsExported(run);",
  ]),
  ...edits(
    "emulator/subjects/filters/compile.ts",
    [
      "2.5/filter-and: and of three ignores the third",
      "for (const test of tests) if ((yield* test(row)) !== all) return !all;",
      "for (const test of tests.slice(0, 2)) if ((yield* test(row)) !== all) return !all;",
    ],
    [
      "2.5/filter-and: and of three ignores the first",
      "for (const test of tests) if ((yield* test(row)) !== all) return !all;",
      "for (const test of tests.slice(1)) if ((yield* test(row)) !== all) return !all;",
    ],
  ),
  ...edits("emulator/subjects/traces/row.ts", [
    "2.7/boundaries: parent_run_id is the root",
    "parent_run_id: lineage.parent_run_id,",
    "parent_run_id: lineage.parent_run_id && lineage.trace_id,",
  ]),
  ...edits(
    "emulator/storage/parquet/values.ts",
    [
      "2.7/boundaries: times are cut to milliseconds",
      "epochMicroseconds(String(value))",
      "(epochMicroseconds(String(value)) / 1000n) * 1000n",
    ],
    [
      "2.7/boundaries: tokens are cut to 31 bits",
      "BigInt(value as number);",
      "BigInt(value as number) & 0x7fffffffn;",
    ],
  ),
  ...edits("emulator/subjects/filters/like.ts", [
    "2.5/filter-like: like ignores the first text between two wildcards",
    "for (const part of between) {",
    "for (const part of between.slice(1)) {",
  ]),
  ...edits("emulator/subjects/filters/tokens.ts", [
    "2.5/filter-values: true means false in a filter",
    '["true", true],',
    '["true", false],',
  ]),
  ...edits("emulator/subjects/bulk-exports/capacity.ts", [
    "8.2/ends-in-queue: an export that ends while it waits stays in the queue",
    "  turn.remove(SLOT_QUEUE, id);\n  const admitted",
    "  const admitted",
  ]),
];
