import { COLUMN_NAMES } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { ObjectStoreFailure } from "../destinations/object-store-client.ts";
import type { DestinationConfig } from "../destinations/records.ts";
import type { Settings } from "../settings.ts";
import type { FileRequest, FormatVersion } from "./encoder.ts";
import type { SizeMismatch } from "./events.ts";
import { fileKey } from "./layout.ts";
import type { BulkExport, ExportRun } from "./records.ts";

/** The version whose column types a file has (§2.7); its folders are those of `formatVersion`. */
export function columnTypesOf(
  assumptions: Settings["assumptions"],
  formatVersion: FormatVersion,
): FormatVersion {
  const isLikeV2 = formatVersion === "v1" && assumptions["export.v1_column_types"] === "those of v2_beta";
  return isLikeV2 ? "v2_beta" : formatVersion;
}

/** The request for the next file of a run. */
export function fileRequest(
  { limits, assumptions }: Settings,
  run: ExportRun,
  parent: BulkExport,
): FileRequest {
  return {
    region: run.region,
    tenantId: run.tenant_id,
    sessionId: run.session_id,
    day: run.start_time.slice(0, 10),
    asOf: run.asOf as number,
    start: run.start_time,
    end: run.end_time,
    cursor: run.latest_cursor,
    columns: parent.export_fields ?? COLUMN_NAMES,
    formatVersion: columnTypesOf(assumptions, parent.format_version),
    compression: parent.compression,
    isReversed: assumptions["export.row_order"] === "the latest first in each row group",
    rowsPerFile: limits.rows_per_file,
    bytesPerFile: limits.bytes_per_file,
    filter: parent.filter,
  };
}

/** The failure of a stored file with the wrong size; undefined if the size is right or must not be read (§2.4-9). */
export function sizeFailure(
  key: string,
  bytes: number,
  storedSize: ObjectStoreFailure | { readonly size: number },
): ObjectStoreFailure | SizeMismatch | undefined {
  if ("failure" in storedSize) return storedSize.failure === "access_denied" ? undefined : storedSize;
  if (storedSize.size === bytes) return undefined;
  return { failure: "size_mismatch", message: `${key} has ${storedSize.size} bytes instead of ${bytes}` };
}

/** The key of the next file of a run: files are numbered in the order in which they are stored (§2.8). */
export function keyOfNextFile(
  { assumptions }: Settings,
  run: ExportRun,
  parent: BulkExport,
  config: DestinationConfig,
): string {
  const location = {
    bucket: config.bucket_name,
    prefix: config.prefix,
    includeBucketInPrefix: config.include_bucket_in_prefix,
    exportId: parent.id,
    tenantId: run.tenant_id,
    sessionId: run.session_id,
    formatVersion: parent.format_version,
    day: run.start_time.slice(0, 10),
    fileNumber: run.files.length,
  };
  return fileKey(location, {
    v2Folder: assumptions["export.v2_beta_folder"] as "runs" | "resource=runs",
    padding: assumptions["export.partition_padding"] === "padded",
  });
}
