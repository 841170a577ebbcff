import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { Settings } from "../settings.ts";
import { runView } from "../traces/view.ts";

/** Members that every row has, because the models of public clients require them (query.always_selected). */
const ALWAYS_SELECTED = ["id", "name", "run_type", "start_time", "trace_id"];

/** The selected members of a row; all without a selection. */
export function selectedView(
  row: TraceRow,
  select: readonly string[] | null | undefined,
  settings: Settings,
): Readonly<Record<string, unknown>> {
  const view = runView(row, settings);
  return select && select.length > 0 ? pick(view, [...ALWAYS_SELECTED, ...select]) : view;
}

/** The members with these names, ignoring case. */
export function pick(
  view: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const fieldNames = new Set(names.map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(view).filter(([name]) => fieldNames.has(name)));
}
