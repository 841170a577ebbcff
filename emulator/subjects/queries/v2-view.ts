import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { metadataOf } from "../filters/entries.ts";
import type { Settings } from "../settings.ts";
import { runView } from "../traces/view.ts";
import { microsBetween } from "../traces/wire-time.ts";
import { preview } from "./preview.ts";
import { pick } from "./view.ts";

type View = Readonly<Record<string, unknown>>;
type Selects = readonly string[] | null | undefined;

/** Members of a trace that belong to the trace as a whole, not to its root row. */
const AGGREGATES: ReadonlySet<string> = new Set(["TOTAL_TOKENS", "TOTAL_COST", "FIRST_TOKEN_TIME"]);

/** The selected members of a row in the format of the newest public client; the id alone without a selection. */
export function selectedViewV2(row: TraceRow, selects: Selects, settings: Settings): View {
  return selects && selects.length > 0 ? pick(viewV2(row, selects, settings), selects) : { id: row.id };
}

/** A trace: its root row, and the selected figures of all its rows, which the root row shows. */
export function traceView(row: TraceRow, selects: Selects, settings: Settings) {
  if (!selects || selects.length === 0) return { root_run: { id: row.id } };
  const view = viewV2(row, selects, settings);
  const isAggregate = (name: string) => AGGREGATES.has(name);
  const root_run = pick(
    view,
    selects.filter((name) => !isAggregate(name)),
  );
  return selects.some(isAggregate)
    ? { root_run, trace_aggregates: pick(view, selects.filter(isAggregate)) }
    : { root_run };
}

/** The selected members of a trace of a thread; trace_id is always among them, and nulls are omitted. */
export function threadTraceView(row: TraceRow, selects: Selects, settings: Settings): View {
  const view = viewV2(row, selects ?? [], settings);
  const members = pick({ ...view, latency: view.latency_seconds }, ["trace_id", ...(selects ?? [])]);
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function viewV2(row: TraceRow, selects: readonly string[], settings: Settings): View {
  const { session_id, parent_run_id, trace_tier, ...shown } = runView(row, settings);
  return {
    ...shown,
    project_id: session_id,
    run_type: row.run_type.toUpperCase(),
    status: row.status.toUpperCase(),
    latency_seconds: row.end_time === null ? null : microsBetween(row.start_time, row.end_time) / 1e6,
    metadata: metadataOf(row) ?? null,
    total_cost: numberOf(row.total_cost),
    prompt_cost: numberOf(row.prompt_cost),
    completion_cost: numberOf(row.completion_cost),
    ...previewsOf(row, selects),
  };
}

/** Computed only on request: they take the JSON text of a whole value. */
function previewsOf({ inputs, outputs, error }: TraceRow, selects: readonly string[]): View {
  const values = { inputs, outputs, error };
  const selectedValues = Object.entries(values).filter(([name]) =>
    selects.includes(`${name.toUpperCase()}_PREVIEW`),
  );
  return Object.fromEntries(
    selectedValues.map(([name, value]) => [`${name}_preview`, preview(value) ?? null]),
  );
}

function numberOf(cost: string | null): number | null {
  return cost === null ? null : Number(cost);
}
