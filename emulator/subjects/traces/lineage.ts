import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { stampOf } from "./wire-time.ts";

/** Maximum number of segments of a dotted_order. */
export const MAX_DOTTED_ORDER_SEGMENTS = 1_000;

type Lineage = Pick<TraceRow, "trace_id" | "parent_run_id" | "parent_run_ids" | "is_root" | "dotted_order">;

/** The fields of a parent that determine a child's place. */
export type ParentRow = Pick<TraceRow, "id" | "dotted_order">;

/** Finds a row in the store or earlier in the same batch. */
export type ParentLookup = (id: string) => ParentRow | undefined;

/** A run's place in its trace as sent by a client; null and absent are equivalent. */
export interface LineageInput {
  readonly trace_id?: string | null;
  readonly parent_run_id?: string | null;
  readonly parent_run_ids?: readonly string[] | null;
  readonly dotted_order?: string | null;
}

const SEGMENT = /^(\d{8}T\d{6,15}Z)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** One segment as it is written: that of most runs. */
const ROOT = /^\d{8}T\d{6,15}Z[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_LENGTH = 36;

/** A dotted_order with its ids in lower case; undefined when invalid. */
export function parseDottedOrder(text: string): string | undefined {
  if (ROOT.test(text)) return text;
  const segments = text.split(".", MAX_DOTTED_ORDER_SEGMENTS + 1);
  if (segments.length > MAX_DOTTED_ORDER_SEGMENTS) return undefined;
  const canonical: string[] = [];
  for (const segment of segments) {
    const parts = SEGMENT.exec(segment);
    if (parts === null) return undefined;
    canonical.push(`${(parts[1] ?? "").toUpperCase()}${(parts[2] ?? "").toLowerCase()}`);
  }
  return canonical.join(".");
}

/** Contradictions between a run's lineage fields, as `field: problem`. */
export function lineageProblems(id: string, input: LineageInput): readonly string[] {
  const ids = idsOf(input.dotted_order);
  const parentId = parentIdOf(input, ids);
  const problems: string[] = [];
  if (parentId === id) problems.push("parent_run_id: must not be the run itself");
  if (ids.length > 0 && ids.at(-1) !== id) problems.push("dotted_order: must end with the run's id");
  if (isFilled(input.parent_run_ids) && input.parent_run_ids.at(-1) !== parentId) {
    problems.push("parent_run_ids: must end with the parent's id");
  }
  if (ids.length > 1) {
    if (parentId !== ids.at(-2)) problems.push("parent_run_id: must be the last id but one of dotted_order");
    if (input.trace_id != null && input.trace_id !== ids[0]) {
      problems.push("trace_id: must be the first id of dotted_order");
    }
  } else if (parentId === null && input.trace_id != null && input.trace_id !== id) {
    problems.push("trace_id: must be the run's own id, because it has no parent");
  }
  return problems;
}

/**
 * A run's place in its trace: that of its dotted_order, else below its parent. A child whose parent is unknown is the
 * root of its own trace (`ingest.child_before_parent`).
 */
export function lineageOf(
  id: string,
  startTime: string,
  input: LineageInput,
  parentOf: ParentLookup,
): Lineage {
  const ids = idsOf(input.dotted_order);
  const parentId = parentIdOf(input, ids);
  const dotted_order = input.dotted_order ?? `${stampOf(startTime)}${id}`;
  if (ids.length > 1)
    return {
      trace_id: ids[0] ?? id,
      parent_run_id: parentId,
      parent_run_ids: isFilled(input.parent_run_ids) ? input.parent_run_ids : ids.slice(0, -1),
      is_root: false,
      dotted_order,
    };
  const parent = parentId === null || ids.length > 0 ? undefined : parentOf(parentId);
  return (
    (parent && lineageUnder(parent, id, dotted_order)) ?? {
      trace_id: id,
      parent_run_id: parentId,
      parent_run_ids: [],
      is_root: true,
      dotted_order,
    }
  );
}

/** Whether a row is a root or below its parent; a row that waits for its parent is neither. */
export function hasPlace({ parent_run_id, dotted_order }: Lineage): boolean {
  return parent_run_id === null || dotted_order.includes(".");
}

/** The place that a child derives from its parent; the root of its own trace if it cannot be below this parent. */
export function placedUnder(
  parent: ParentRow,
  { id, start_time }: Pick<TraceRow, "id" | "start_time">,
): Lineage {
  return lineageOf(id, start_time, { parent_run_id: parent.id }, () => parent);
}

/** Undefined when the trace would be too deep, or the child already calls its parent. */
function lineageUnder(parent: ParentRow, id: string, ownSegment: string): Lineage | undefined {
  const ancestors = idsOf(parent.dotted_order);
  if (ancestors.length >= MAX_DOTTED_ORDER_SEGMENTS || ancestors.includes(id)) return undefined;
  return {
    trace_id: ancestors[0] ?? parent.id,
    parent_run_id: parent.id,
    parent_run_ids: ancestors,
    is_root: false,
    dotted_order: `${parent.dotted_order}.${ownSegment}`,
  };
}

function parentIdOf(input: LineageInput, ids: readonly string[]): string | null {
  return input.parent_run_id ?? ids.at(-2) ?? input.parent_run_ids?.at(-1) ?? null;
}

function idsOf(dottedOrder: string | null | undefined): readonly string[] {
  if (dottedOrder == null) return [];
  // Most runs are roots.
  if (!dottedOrder.includes(".")) return [dottedOrder.slice(-UUID_LENGTH)];
  return dottedOrder.split(".").map((segment) => segment.slice(-UUID_LENGTH));
}

function isFilled(list: readonly string[] | null | undefined): list is readonly string[] {
  return list != null && list.length > 0;
}
