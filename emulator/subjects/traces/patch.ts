import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { LineageInput, ParentLookup } from "./lineage.ts";
import type { TracePatch } from "./normalise.ts";
import { buildRow, inputFieldsOf, rowUnder } from "./row.ts";

/**
 * The row after a patch. Each field of the patch replaces the row's field as a whole (`extra` too, since
 * clients send it whole) and null clears it. Derived values (status, tokens, costs, first_token_time) that no
 * client set explicitly are recomputed. Patches held before their post are applied in order of arrival.
 */
export function applyPatch(
  row: TraceRow,
  patch: TracePatch,
  parentOf: ParentLookup = () => undefined,
): TraceRow {
  const input = { ...inputFieldsOf(row), ...patch, ...(movesRow(row, patch) ? placeIn(patch) : {}) };
  // A later error overrides an earlier explicit success.
  const isFailing = patch.status == null && patch.error != null && patch.error !== "";
  const effective = isFailing ? { ...input, status: null } : input;
  return rowUnder(row.session_id, buildRow(row.id, effective, row.start_time, parentOf));
}

function movesRow(row: TraceRow, patch: TracePatch): boolean {
  const isNewOrder = patch.dotted_order != null && patch.dotted_order !== row.dotted_order;
  const isNewParent = patch.parent_run_id != null && patch.parent_run_id !== row.parent_run_id;
  return isNewOrder || isNewParent;
}

/** The four lineage fields are replaced together: fields that the patch omits become null. */
function placeIn(patch: TracePatch): LineageInput {
  return {
    trace_id: patch.trace_id ?? null,
    parent_run_id: patch.parent_run_id ?? null,
    parent_run_ids: patch.parent_run_ids ?? null,
    dotted_order: patch.dotted_order ?? null,
  };
}
