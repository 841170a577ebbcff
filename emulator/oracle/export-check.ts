import { COLUMN_NAMES } from "../../contracts/spec/bulk-exports/columns.ts";
import { createPartitionReader, type PartitionReader } from "../storage/rows/partition-reader.ts";
import type { PartitionSource } from "../storage/rows/plan.ts";
import { yieldToEventLoop } from "../storage/yield-to-event-loop.ts";
import { type IsAbandoned, refuseIfAbandoned } from "../subjects/abandoned.ts";
import { columnTypesOf } from "../subjects/bulk-exports/file.ts";
import { cutIntoDays } from "../subjects/bulk-exports/partitions.ts";
import { type BulkExport, EXPORT_RUNS, type ExportRun } from "../subjects/bulk-exports/records.ts";
import { DESTINATIONS } from "../subjects/destinations/records.ts";
import type { Partition } from "../subjects/traces/port.ts";
import type { FileForm } from "./comparable-row.ts";
import { expectedKeysOf, isAfterCheckpoint } from "./expected-keys.ts";
import type { Findings } from "./findings.ts";
import { openListing } from "./listing.ts";
import { reconcile } from "./reconciliation.ts";
import { checkRun } from "./run-check.ts";
import { openStoredFiles, type StoredFilesTools } from "./stored-files.ts";
import { checkTimes, timeContextOf } from "./time-laws.ts";
import { type UnmatchedRows, unmatchedBudget } from "./unmatched-rows.ts";

/** The context of an export check. */
export interface ExportCheckTools extends StoredFilesTools {
  readonly isAbandoned: IsAbandoned;
  /** Locates the rows of a partition. */
  readonly rowsOf: (partition: Partition) => PartitionSource;
}

// Large enough for rows that are out of order within a file of the usual size.
const MIN_UNPAIRED_BYTES = 64 * 1024 * 1024;

/** Checks one export that is not a schedule and records its problems. */
export async function checkExport(
  tools: ExportCheckTools,
  parent: BulkExport,
  findings: Findings,
): Promise<void> {
  const runs = [...tools.world.reader.list(EXPORT_RUNS, parent.id)];
  checkStatuses(parent, runs, findings);
  checkTiling(parent, runs, findings);
  checkTimes(timeContextOf(tools.world), parent, runs, findings);
  const reader = createPartitionReader(tools.rowsOf);
  try {
    await checkFiles(tools, parent, runs, reader, findings);
  } finally {
    reader.close();
  }
}

function checkStatuses(parent: BulkExport, runs: readonly ExportRun[], findings: Findings): void {
  if (parent.status !== "COMPLETED") {
    findings.add(
      "not_completed",
      parent.id,
      `the export is ${parent.status}. Only its files so far were checked`,
    );
    return;
  }
  for (const { id, status } of runs) {
    if (status !== "COMPLETED")
      findings.add("not_completed", id, `the run is ${status}, but its export is COMPLETED`);
  }
}

async function checkFiles(
  tools: ExportCheckTools,
  parent: BulkExport,
  runs: readonly ExportRun[],
  reader: PartitionReader,
  findings: Findings,
): Promise<void> {
  const { world } = tools;
  const { settings } = world.ports;
  const destination = world.reader.get(DESTINATIONS, parent.bulk_export_destination_id);
  if (!destination) return findings.add("unreadable", parent.id, "the destination of the export was deleted");
  const files = await openStoredFiles(tools, destination);
  if (!files) return findings.add("unreadable", parent.id, "the credentials to read the bucket are missing");

  const expectedKeys = expectedKeysOf(settings, parent, destination.config);
  const referencedKeys = new Set(runs.flatMap((run) => run.files.map(({ key }) => key)));
  const listing = await openListing(files, expectedKeys.prefix, referencedKeys, findings);
  const form: FileForm = {
    columns: parent.export_fields ?? COLUMN_NAMES,
    formatVersion: columnTypesOf(settings.assumptions, parent.format_version),
    tenantId: parent.tenant_id,
  };
  const check = {
    parent,
    reader,
    expectedKeys,
    findings,
    budget: unmatchedBudget(),
    maxUnpairedBytes: Math.max(MIN_UNPAIRED_BYTES, settings.limits.bytes_per_file),
    isAbandoned: tools.isAbandoned,
    fetch: listing.fetch,
  };
  const unmatched: UnmatchedRows[] = [];
  for (const run of runs) {
    refuseIfAbandoned(tools.isAbandoned);
    unmatched.push(await checkRun({ ...check, form: { ...form, sessionId: run.session_id } }, run));
    await yieldToEventLoop();
  }
  reconcile(form, unmatched, findings);
  for (const key of listing.extra()) {
    if (runs.some((run) => isAfterCheckpoint(expectedKeys, run, key))) continue;
    findings.add("extra_file", key, "no run of the export wrote this file");
  }
}

/** §2.6: the windows of the runs are the UTC days of the export's window, each exactly once. */
function checkTiling(parent: BulkExport, runs: readonly ExportRun[], findings: Findings): void {
  // An export that ended before it started has no runs.
  if (runs.length === 0 && parent.status !== "COMPLETED" && parent.status !== "RUNNING") return;
  const end = parent.end_time as string;
  const sessions =
    parent.session_id === null ? new Set(runs.map((run) => run.session_id)) : [parent.session_id];
  for (const session of sessions) {
    const ofSession = runs.filter(({ session_id }) => session_id === session);
    const gap = findGap(ofSession.sort(byStart), parent.start_time, end);
    if (gap) findings.add("tiling", parent.id, gap);
    else checkDays(parent, ofSession, findings);
  }
}

function byStart(left: ExportRun, right: ExportRun): number {
  return left.start_time < right.start_time ? -1 : left.start_time > right.start_time ? 1 : 0;
}

/** The first gap or overlap of the windows. */
function findGap(runs: readonly ExportRun[], start: string, end: string): string | undefined {
  let coveredUntil = start;
  for (const { id, start_time, end_time } of runs) {
    if (start_time > coveredUntil) return `no run covers ${coveredUntil} to ${start_time}`;
    if (start_time < coveredUntil) return `run ${id} starts at ${start_time} instead of ${coveredUntil}`;
    coveredUntil = end_time;
  }
  if (coveredUntil < end) return `no run covers ${coveredUntil} to ${end}`;
  return coveredUntil > end
    ? `the runs continue to ${coveredUntil}, after the end of the export at ${end}`
    : undefined;
}

function checkDays(parent: BulkExport, runs: readonly ExportRun[], findings: Findings): void {
  const days = cutIntoDays(parent.start_time, parent.end_time as string);
  const windows = new Set(days.map(({ start, end }) => `${start} ${end}`));
  const unexpected = runs.find(({ start_time, end_time }) => !windows.has(`${start_time} ${end_time}`));
  if (unexpected)
    findings.add(
      "tiling",
      parent.id,
      `run ${unexpected.id} covers ${unexpected.start_time} to ${unexpected.end_time}, which is not a UTC day`,
    );
}
