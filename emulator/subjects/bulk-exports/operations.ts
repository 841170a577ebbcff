import { type ExportStatusName, OBSERVED_SPELLINGS } from "../../../contracts/spec/lifecycle.ts";
import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Handlers } from "../handler.ts";
import { hasNewerFeatures, type Settings } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { page, timeTextView, timeView } from "../views.ts";
import { sameWorkspace, type Workspace, workspaceKey } from "../workspace.ts";
import { createExport } from "./create.ts";
import { cancelExport } from "./export.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun, rowsExported, SPAWNED } from "./records.ts";

/** An export in wire form (§2.5). */
function exportView(settings: Settings, record: BulkExport): ReplyBodyOf<"getBulkExport"> {
  const [time, text] = [timeView(settings), timeTextView(settings)];
  return {
    id: record.id,
    tenant_id: record.tenant_id,
    bulk_export_destination_id: record.bulk_export_destination_id,
    session_id: record.session_id,
    ...(hasNewerFeatures(settings) && { all_experiments: record.session_id === null }),
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
function exportRunView(settings: Settings, run: ExportRun, bucket: string): ReplyBodyOf<"getBulkExportRun"> {
  const [time, text] = [timeView(settings), timeTextView(settings)];
  const rows_exported = rowsExported(run);
  return {
    id: run.id,
    bulk_export_id: run.bulk_export_id,
    ...(hasNewerFeatures(settings) && { session_id: run.session_id }),
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

/** §4.3 to §4.7: exports and their runs. Those of other workspaces are refused with 404. */
export const BULK_EXPORT_HANDLERS = {
  createBulkExport: (turn, { workspace, body }) =>
    exportView(turn.ports.settings, createExport(turn, workspace, body)),

  listBulkExports(turn, { workspace, query }) {
    const records = [...turn.list(EXPORTS, workspaceKey(workspace))];
    if (turn.ports.settings.assumptions["export.list_order"] === "newest first") records.reverse();
    return page(records, query.limit, query.offset).map((record) => exportView(turn.ports.settings, record));
  },

  listSpawnedRuns(turn, { workspace, query }) {
    const source = exportOf(turn, workspace, query.source_bulk_export_id);
    const spawnedExports = [...turn.list(SPAWNED, source.id)].map(
      ({ id }) => turn.get(EXPORTS, id) as BulkExport,
    );
    const runs = spawnedExports.flatMap((record) =>
      [...turn.list(EXPORT_RUNS, record.id)].map((run) => viewOf(turn, record, run)),
    );
    return page(runs, query.limit, query.offset);
  },

  getBulkExport: (turn, { workspace, path }) =>
    exportView(turn.ports.settings, exportOf(turn, workspace, path.export_id)),

  stopBulkExport: (turn, { workspace, path }) =>
    exportView(turn.ports.settings, cancelExport(turn, exportOf(turn, workspace, path.export_id))),

  listBulkExportRuns(turn, { workspace, path, query }) {
    const record = exportOf(turn, workspace, path.export_id);
    const runs = page([...turn.list(EXPORT_RUNS, record.id)], query.limit, query.offset);
    return runs.map((run) => viewOf(turn, record, run));
  },

  getBulkExportRun(turn, { workspace, path }) {
    const record = exportOf(turn, workspace, path.export_id);
    const run = turn.get(EXPORT_RUNS, path.run_id.toLowerCase());
    if (run?.bulk_export_id !== record.id)
      throw new Refusal(
        404,
        "not_found",
        `Run ${path.run_id} does not exist in export ${record.id}.`,
        `GET /api/v1/bulk-exports/${record.id}/runs lists the ids.`,
      );
    return viewOf(turn, record, run);
  },
} satisfies Partial<Handlers>;

/** Exports of other workspaces are refused with 404 (§5-3). */
function exportOf(turn: Turn, workspace: Workspace, id: string): BulkExport {
  const record = turn.get(EXPORTS, id.toLowerCase());
  if (!record || !sameWorkspace(record, workspace))
    throw new Refusal(
      404,
      "not_found",
      `Bulk export ${id} does not exist in this workspace.`,
      "List the exports with GET /api/v1/bulk-exports.",
    );
  return record;
}

function viewOf(turn: Turn, record: BulkExport, run: ExportRun) {
  return exportRunView(turn.ports.settings, run, record.bucket_name);
}
