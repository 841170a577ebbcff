import { keyOfNextFile } from "../subjects/bulk-exports/file.ts";
import { rootOf } from "../subjects/bulk-exports/layout.ts";
import type { BulkExport, ExportRun } from "../subjects/bulk-exports/records.ts";
import type { DestinationConfig } from "../subjects/destinations/records.ts";
import type { Settings } from "../subjects/settings.ts";
import type { ProblemKind } from "./findings.ts";

/** The expected keys of an export's files (§2.8). */
export interface ExpectedKeys {
  /** All files of the export lie under it, and nothing else does. */
  readonly prefix: string;
  /** Where the nth file of a run belongs. */
  keyOf(run: ExportRun, fileNumber: number): string;
  /** The folder of a run's files, with its slash. */
  folderOf(run: ExportRun): string;
}

/** The expected keys of this export and its destination. */
export function expectedKeysOf(
  settings: Settings,
  parent: BulkExport,
  config: DestinationConfig,
): ExpectedKeys {
  const root = rootOf({
    bucket: config.bucket_name,
    prefix: config.prefix,
    includeBucketInPrefix: config.include_bucket_in_prefix,
  });
  const expectedKeys: ExpectedKeys = {
    prefix: [...root, `export_id=${parent.id}`, ""].join("/"),
    keyOf: (run, fileNumber) =>
      keyOfNextFile(settings, { ...run, files: run.files.slice(0, fileNumber) }, parent, config),
    folderOf: (run) => folderOf(expectedKeys.keyOf(run, 0)),
  };
  return expectedKeys;
}

function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}

/** The part of a folder before its date. */
function aboveDate(folder: string): string {
  return folder.split("/").slice(0, -4).join("/");
}

/** The kind of problem of an unexpected key: another day's folder, or outside of the run's prefix. */
export function misplacement(key: string, expected: string): ProblemKind {
  const [folder, right] = [folderOf(key), folderOf(expected)];
  const inOtherDay = folder !== right && folder.startsWith(`${aboveDate(right)}/`);
  return inOtherDay ? "wrong_partition" : "outside_prefix";
}

/** Whether a key is of a file that a run wrote after its checkpoint, or is writing now. */
export function isAfterCheckpoint(expectedKeys: ExpectedKeys, run: ExportRun, key: string): boolean {
  const folder = expectedKeys.folderOf(run);
  if (run.status === "COMPLETED" || !key.startsWith(folder)) return false;
  const number = /^part-(\d+)\.parquet$/.exec(key.slice(folder.length))?.[1];
  return number !== undefined && Number(number) >= run.files.length;
}
