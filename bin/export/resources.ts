import { counted } from "../../contracts/report/counted.ts";
import type { ReplyBodyOf } from "../../contracts/spec/operations.ts";
import { UsageError } from "../command.ts";
import type { RunningWorld } from "../running.ts";

export type BulkExport = ReplyBodyOf<"getBulkExport">;
export type ExportRun = ReplyBodyOf<"getBulkExportRun">;

const EXPORTS = "/api/v1/bulk-exports";

export function exportOf({ api }: RunningWorld, id: string): Promise<BulkExport> {
  return api("GET", `${EXPORTS}/${encodeURIComponent(id)}`);
}

/** The exports of the workspace, the newest first. */
export function exportsOf({ api }: RunningWorld, limit?: number): Promise<readonly BulkExport[]> {
  return api("GET", limit === undefined ? EXPORTS : `${EXPORTS}?limit=${limit}`);
}

/** The runs of an export, one for each day. */
export function runsOf({ api }: RunningWorld, id: string): Promise<readonly ExportRun[]> {
  return api("GET", `${EXPORTS}/${encodeURIComponent(id)}/runs`);
}

/** The id that is given, or that of the newest export. Throws a `UsageError` when none exists. */
export async function idOrNewest(world: RunningWorld, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const [newest] = await exportsOf(world, 1);
  if (newest !== undefined) return newest.id;
  throw new UsageError("no export exists yet; `emulator export create` creates one");
}

export function windowText({ start_time, end_time, interval_hours }: BulkExport): string {
  return interval_hours === null
    ? `${start_time} to ${end_time}`
    : `every ${interval_hours} h from ${start_time}`;
}

/** The cells of an export's line. */
export function exportCells(each: BulkExport): string[] {
  const origin = each.source_bulk_export_id === null ? "" : `spawned by ${each.source_bulk_export_id}`;
  return [each.id, each.status, windowText(each), each.filter ?? "", origin];
}

/** The cells of a run's line: its day, its rows and files, and the latest error. */
export function runCells({ id, status, start_time, rows_exported, metadata, errors }: ExportRun): string[] {
  const [attempt, error] = Object.entries(errors ?? {}).at(-1) ?? [];
  return [
    start_time.slice(0, 10),
    id,
    status,
    counted(rows_exported, "row"),
    counted(metadata.files.length, "file"),
    attempt === undefined ? "" : `${attempt}: ${error}`,
  ];
}
