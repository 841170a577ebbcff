import { Refusal } from "../../kernel/refusal.ts";
import { parseFilter, refusesColumns } from "../filters/parse.ts";
import { problemText } from "../filters/problem.ts";
import type { Settings } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { type BulkExport, EXPORT_RUNS, type ExportRun, rowsExported } from "./records.ts";

/** 2.5-10: refuses an invalid filter. */
export function checkFilter(settings: Settings, text: string): void {
  const parseResult = parseFilter(text, refusesColumns(settings));
  if ("problem" in parseResult)
    throw new Refusal(
      422,
      "invalid_request",
      `body.filter: ${problemText(parseResult.problem)}`,
      parseResult.problem.hint,
      "2.5-10",
    );
}

/** A filter that selects nothing is often a mistake; the export succeeds, so the journal reports it. */
export function noteEmptySelection(turn: Turn, record: BulkExport): void {
  if (record.filter === null) return;
  for (const run of turn.list(EXPORT_RUNS, record.id)) if (rowsExported(run) > 0) return;
  const days = daysWithRows(turn, record);
  if (days)
    turn.note("filter.selected_nothing", record.id, { filter: record.filter, days_with_rows: days.length });
}

/** The UTC days with rows in the window of an export or a run; undefined when their files cannot be read. */
export function daysWithRows({ ports }: Turn, window: BulkExport | ExportRun): readonly string[] | undefined {
  const { region, tenant_id, session_id, start_time, end_time } = window;
  try {
    return ports.traces.days({ region, tenantId: tenant_id }, session_id, start_time, end_time as string);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
