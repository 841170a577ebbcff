import type { FileColumnName } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { ExportStatusName } from "../../../contracts/spec/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { Compression, FormatVersion } from "./encoder.ts";

/** §2.5: a bulk export, one-off or scheduled. Times of the window are ISO 8601 UTC with six decimals. */
export interface BulkExport extends Workspace {
  readonly id: string;
  readonly bulk_export_destination_id: string;
  /** Copied from the destination, which may be deleted before the files are listed. */
  readonly bucket_name: string;
  /** Null exports every experiment. */
  readonly session_id: string | null;
  readonly start_time: string;
  /** Null for a scheduled export. */
  readonly end_time: string | null;
  readonly filter: string | null;
  /** Null exports every column. */
  readonly export_fields: readonly FileColumnName[] | null;
  /** Null for a one-off export. */
  readonly interval_hours: number | null;
  readonly format_version: FormatVersion;
  readonly compression: Compression;
  readonly status: ExportStatusName;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly finished_at: Instant | null;
  readonly source_bulk_export_id: string | null;
  /** The number of runs that have not ended. */
  readonly runsLeft: number;
}

/** §2.6: the part of an export that covers one UTC day of a project. */
export interface ExportRun extends Workspace {
  readonly id: string;
  readonly bulk_export_id: string;
  readonly session_id: string;
  readonly status: ExportStatusName;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly finished_at: Instant | null;
  readonly start_time: string;
  readonly end_time: string;
  /** Keyed `retry_<n>`, the first attempt being `retry_0` (§7.3-7). */
  readonly errors: Readonly<Record<string, string>>;
  /** The checkpoint (§8.3): rows up to this cursor are in `files`. */
  readonly latest_cursor: string | null;
  readonly files: readonly ExportedFile[];
  /** True when the checkpoint is after the last row. */
  readonly exhausted: boolean;
  /** The store's high-water mark when the run began: rows ingested later are not exported (§3.3-5). */
  readonly asOf: number | null;
  /** The number of failed attempts. */
  readonly attempt: number;
}

/** A file that a run has stored, under its key in the bucket. */
export interface ExportedFile {
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  /** The last row that was read for it. */
  readonly cursor: string | null;
}

/** Exports by workspace: one-off, scheduled and spawned. */
export const EXPORTS = collection<BulkExport>("bulk_exports", (record) => record.id, workspaceKey);

/** Runs by export, in the order of their windows. */
export const EXPORT_RUNS = collection<ExportRun>(
  "bulk_export_runs",
  (record) => record.id,
  (record) => record.bulk_export_id,
);

/** Exports by the schedule that spawned them. */
export const SPAWNED = collection<{ readonly id: string; readonly source: string }>(
  "spawned_exports",
  (record) => record.id,
  (record) => record.source,
);

export function rowsExported(run: ExportRun): number {
  return run.files.reduce((sum, file) => sum + file.rows, 0);
}
