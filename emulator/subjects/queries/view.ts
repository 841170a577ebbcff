import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { Settings } from "../settings.ts";
import { objectAt } from "../traces/json.ts";
import { runView } from "../traces/view.ts";
import { microsBetween } from "../traces/wire-time.ts";

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

/** The selected members of a row in the wire form of the newest public client; the id alone without a selection. */
export function selectedViewV2(
  row: TraceRow,
  selects: readonly string[] | null | undefined,
  settings: Settings,
): Readonly<Record<string, unknown>> {
  return selects && selects.length > 0 ? pick(viewV2(row, settings), selects) : { id: row.id };
}

function pick(
  view: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(view).filter(([name]) => wanted.has(name)));
}

function viewV2(row: TraceRow, settings: Settings): Readonly<Record<string, unknown>> {
  const { session_id, parent_run_id, trace_tier, ...shown } = runView(row, settings);
  return {
    ...shown,
    project_id: session_id,
    run_type: row.run_type.toUpperCase(),
    status: row.status.toUpperCase(),
    latency_seconds: row.end_time === null ? null : microsBetween(row.start_time, row.end_time) / 1e6,
    metadata: objectAt(row.extra, "metadata") ?? null,
    total_cost: numberOf(row.total_cost),
    prompt_cost: numberOf(row.prompt_cost),
    completion_cost: numberOf(row.completion_cost),
  };
}

function numberOf(cost: string | null): number | null {
  return cost === null ? null : Number(cost);
}
