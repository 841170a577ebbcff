import type { TraceRow } from "../../../contracts/spec/export-columns.ts";
import type { ReplyBodyOf } from "../../../contracts/spec/operation.ts";

/** A trace row as it is read back. */
export function runView(row: TraceRow): ReplyBodyOf<"readRun"> {
  return { ...row, app_path: `/projects/p/${row.session_id}/r/${row.id}` };
}
