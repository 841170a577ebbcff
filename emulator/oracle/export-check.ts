import { COLUMN_NAMES } from "../../contracts/spec/bulk-exports/columns.ts";
import { createPartitionReader, type PartitionReader } from "../storage/rows/partition-reader.ts";
import type { PartitionSource } from "../storage/rows/plans.ts";
import { type BulkExport, EXPORT_RUNS, type ExportRun } from "../subjects/bulk-exports/records.ts";
import { DESTINATIONS } from "../subjects/destinations/records.ts";
import type { Partition } from "../subjects/traces/port.ts";
import type { RowForm } from "./comparable-row.ts";
import { expectedKeysOf, isAfterCheckpoint } from "./expected-keys.ts";
import type { Findings } from "./findings.ts";
import { openListing } from "./listing.ts";
import { reconcile } from "./reconciliation.ts";
import { checkRun, type ExportCheck } from "./run-check.ts";
import { openStoredFiles, type StoredFilesTools } from "./stored-files.ts";
import { checkTiling } from "./tiling.ts";
import { type UnmatchedRows, unmatchedBudget } from "./unmatched-rows.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/** The context of an export check. */
export interface ExportCheckTools extends StoredFilesTools {
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
  if (!files) return findings.add("unreadable", parent.id, "there are no credentials to read the bucket");

  const expectedKeys = expectedKeysOf(settings, parent, destination.config);
  const named = new Set(runs.flatMap((run) => run.files.map(({ key }) => key)));
  const listing = await openListing(files, expectedKeys.prefix, named, findings);
  const form: RowForm = {
    columns: parent.export_fields ?? COLUMN_NAMES,
    formatVersion: parent.format_version,
    tenantId: parent.tenant_id,
    sessionId: parent.session_id,
  };
  const check: ExportCheck = {
    parent,
    form,
    reader,
    expectedKeys,
    findings,
    budget: unmatchedBudget(),
    maxUnpairedBytes: Math.max(MIN_UNPAIRED_BYTES, settings.limits.bytes_per_file),
    fetch: (file) => listing.fetch(file),
  };
  const unmatched: UnmatchedRows[] = [];
  for (const run of runs) {
    unmatched.push(await checkRun(check, run));
    await yieldToEventLoop();
  }
  reconcile(form, unmatched, findings);
  for (const key of listing.extra()) {
    if (runs.some((run) => isAfterCheckpoint(expectedKeys, run, key))) continue;
    findings.add("extra_file", key, "no run of the export wrote this file");
  }
}
