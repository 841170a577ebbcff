import { Refusal } from "../../kernel/refusal.ts";
import type { Handlers } from "../handler.ts";
import type { Turn } from "../turn.ts";
import { page } from "../views.ts";
import { sameWorkspace, type Workspace, workspaceKey } from "../workspace.ts";
import { createExport } from "./create.ts";
import { cancelExport } from "./export.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun, SPAWNED } from "./records.ts";
import { exportRunView, exportView } from "./view.ts";

type OperationIds =
  | "createBulkExport"
  | "listBulkExports"
  | "listSpawnedRuns"
  | "getBulkExport"
  | "stopBulkExport"
  | "listBulkExportRuns"
  | "getBulkExportRun";

/** §4.3 to §4.7: exports and their runs. Those of other workspaces are refused with 404. */
export const BULK_EXPORT_HANDLERS: Pick<Handlers, OperationIds> = {
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
      throw new Refusal(404, "not_found", `Run ${path.run_id} does not exist in export ${record.id}.`);
    return viewOf(turn, record, run);
  },
};

/** Exports of other workspaces are refused with 404 (§5-3). */
function exportOf(turn: Turn, workspace: Workspace, id: string): BulkExport {
  const record = turn.get(EXPORTS, id.toLowerCase());
  if (!record || !sameWorkspace(record, workspace))
    throw new Refusal(404, "not_found", `Bulk export ${id} does not exist in this workspace.`);
  return record;
}

function viewOf(turn: Turn, record: BulkExport, run: ExportRun) {
  return exportRunView(turn.ports.settings, run, record.bucket_name);
}
