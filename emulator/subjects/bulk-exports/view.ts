import { type ExportStatusName, OBSERVED_SPELLINGS } from "../../../contracts/spec/lifecycle.ts";
import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Settings } from "../settings.ts";
import { timeTextView, timeView } from "../views.ts";
import { type BulkExport, type ExportRun, rowsExported } from "./records.ts";

/** An export in wire form (§2.5). */
export function exportView(settings: Settings, record: BulkExport): ReplyBodyOf<"getBulkExport"> {
  const [time, text] = [timeView(settings), timeTextView(settings)];
  return {
    id: record.id,
    tenant_id: record.tenant_id,
    bulk_export_destination_id: record.bulk_export_destination_id,
    session_id: record.session_id,
    start_time: text(record.start_time),
    end_time: record.end_time === null ? null : text(record.end_time),
    filter: record.filter,
    export_fields: record.export_fields,
    interval_hours: record.interval_hours,
    format_version: record.format_version,
    compression: record.compression,
    format: "Parquet",
    status: statusView(settings, record.status),
    created_at: time(record.created_at),
    updated_at: time(record.updated_at),
    finished_at: record.finished_at === null ? null : time(record.finished_at),
    source_bulk_export_id: record.source_bulk_export_id,
  };
}

/** An export run in wire form (§2.6). */
export function exportRunView(
  settings: Settings,
  run: ExportRun,
  bucket: string,
): ReplyBodyOf<"getBulkExportRun"> {
  const [time, text] = [timeView(settings), timeTextView(settings)];
  const rows_exported = rowsExported(run);
  return {
    id: run.id,
    bulk_export_id: run.bulk_export_id,
    status: statusView(settings, run.status),
    created_at: time(run.created_at),
    updated_at: time(run.updated_at),
    finished_at: run.finished_at === null ? null : time(run.finished_at),
    start_time: text(run.start_time),
    end_time: text(run.end_time),
    rows_exported,
    errors: errorsView(settings, run.errors),
    metadata: {
      latest_cursor: run.latest_cursor,
      rows_exported,
      files: run.files.map(({ key }) =>
        settings.assumptions["export.file_paths"] === "<key>" ? key : `${bucket}/${key}`,
      ),
    },
  };
}

function errorsView({ assumptions }: Settings, errors: ExportRun["errors"]): ExportRun["errors"] | null {
  const hasNone = Object.keys(errors).length === 0;
  return hasNone && assumptions["export.errors_when_none"] === "null" ? null : errors;
}

/** The observed spelling differs from the names of the table. */
function statusView({ assumptions }: Settings, status: ExportStatusName): ExportStatusName {
  return assumptions["export.status_casing"] === "title"
    ? (OBSERVED_SPELLINGS[status] as string as ExportStatusName)
    : status;
}
