import { keyOfNextFile } from "../subjects/bulk-exports/file.ts";
import { rootOf } from "../subjects/bulk-exports/layout.ts";
import type { BulkExport, ExportRun } from "../subjects/bulk-exports/records.ts";
import type { DestinationConfig } from "../subjects/destinations/records.ts";
import type { Settings } from "../subjects/settings.ts";
import type { ProblemKind } from "./findings.ts";

/** The expected keys of an export's files (§2.8). */
export interface ExpectedKeys {
  /** All files of the export have this prefix, and no other object has it. */
  readonly prefix: string;
  /** The expected key of the nth file of a run. */
  keyOf(run: ExportRun, fileNumber: number): string;
  /** The folder of a run's files, with a slash at the end. */
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

/** The kind of problem of an unexpected key: in the folder of another day, or outside the prefix of the run. */
export function misplacement(key: string, expected: string): ProblemKind {
  const [folder, expectedFolder] = [folderOf(key), folderOf(expected)];
  const isInOtherDay = folder !== expectedFolder && folder.startsWith(`${aboveDate(expectedFolder)}/`);
  return isInOtherDay ? "wrong_partition" : "outside_prefix";
}

/** Whether a run wrote the file after its checkpoint, or is writing it now. */
export function isAfterCheckpoint(expectedKeys: ExpectedKeys, run: ExportRun, key: string): boolean {
  const folder = expectedKeys.folderOf(run);
  if (run.status === "COMPLETED" || !key.startsWith(folder)) return false;
  const number = /^part-(\d+)\.parquet$/.exec(key.slice(folder.length))?.[1];
  return number !== undefined && Number(number) >= run.files.length;
}
