import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { LineageInput, ParentLookup } from "./lineage.ts";
import type { TracePatch } from "./normalise.ts";
import { buildRow, inputFieldsOf, rowUnder } from "./row.ts";

/**
 * The row after a patch. Each field of the patch replaces the row's as a whole (extra too, since
 * clients send it whole), null takes it away, and whatever follows from the fields follows anew:
 * a status, tokens, costs and a first token's time that nobody said outright change with them.
 * Patches that came before their post are applied to the posted row in the order they came.
 */
export function applyPatch(
  row: TraceRow,
  patch: TracePatch,
  parentOf: ParentLookup = () => undefined,
): TraceRow {
  const input = { ...inputFieldsOf(row), ...patch, ...(movesRow(row, patch) ? placeIn(patch) : {}) };
  // An error that arrives later says more than a success that was announced before it.
  const isFailing = patch.status == null && patch.error != null && patch.error !== "";
  const said = isFailing ? { ...input, status: null } : input;
  return rowUnder(row.session_id, buildRow(row.id, said, row.start_time, parentOf));
}

function movesRow(row: TraceRow, patch: TracePatch): boolean {
  const isNewOrder = patch.dotted_order != null && patch.dotted_order !== row.dotted_order;
  const isNewParent = patch.parent_run_id != null && patch.parent_run_id !== row.parent_run_id;
  return isNewOrder || isNewParent;
}

/** The place in the trace is one fact in four fields: a new place leaves none of the old ones standing. */
function placeIn(patch: TracePatch): LineageInput {
  return {
    trace_id: patch.trace_id ?? null,
    parent_run_id: patch.parent_run_id ?? null,
    parent_run_ids: patch.parent_run_ids ?? null,
    dotted_order: patch.dotted_order ?? null,
  };
}
