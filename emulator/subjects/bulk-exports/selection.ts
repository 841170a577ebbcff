import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { parseFilter, refusesColumns } from "../filters/parse.ts";
import { problemText } from "../filters/problem.ts";
import { projectsOf } from "../projects/projects.ts";
import type { Settings } from "../settings.ts";
import type { Reader, Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { type BulkExport, EXPORT_RUNS, type ExportRun, rowsExported } from "./records.ts";

/** 2.5-10: refuses an invalid filter. */
export function checkFilter(settings: Settings, text: string): void {
  const parseResult = parseFilter(text, refusesColumns(settings));
  if ("problem" in parseResult)
    throw invalidRequest(
      `body.filter: ${problemText(parseResult.problem)}`,
      parseResult.problem.hint,
      "2.5-10",
    );
}

/** The projects of an export: its own, or those that are experiments now, oldest first. */
export function sessionsOf(
  reader: Reader,
  { session_id, ...workspace }: Workspace & Pick<BulkExport, "session_id">,
): readonly string[] {
  if (session_id !== null) return [session_id];
  return projectsOf(reader, workspace).flatMap(({ id, reference_dataset_id }) =>
    reference_dataset_id == null ? [] : [id],
  );
}

/** A filter that selects nothing is often a mistake; the export succeeds, so the journal reports it. */
export function noteEmptySelection(turn: Turn, record: BulkExport): void {
  if (record.filter === null) return;
  const sessions = new Set<string>();
  for (const run of turn.list(EXPORT_RUNS, record.id)) {
    if (rowsExported(run) > 0) return;
    sessions.add(run.session_id);
  }
  let days_with_rows = 0;
  for (const session_id of sessions) {
    const days = daysWithRows(turn, { ...record, session_id });
    if (!days) return;
    days_with_rows += days.length;
  }
  turn.note("filter.selected_nothing", record.id, { filter: record.filter, days_with_rows });
}

/** The UTC days with rows in a window of a project; undefined when their files cannot be read. */
export function daysWithRows(
  { ports }: Turn,
  window: Pick<ExportRun, "region" | "tenant_id" | "session_id" | "start_time"> &
    Pick<BulkExport, "end_time">,
): readonly string[] | undefined {
  const { region, tenant_id, session_id, start_time, end_time } = window;
  try {
    return ports.traces.days({ region, tenantId: tenant_id }, session_id, start_time, end_time as string);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
