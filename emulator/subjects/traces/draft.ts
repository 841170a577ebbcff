import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { feedbackStats } from "../feedback/stats.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { createDraftRows, type DraftRows } from "./draft-rows.ts";
import { takeHeldPatches } from "./held-patches.ts";
import { hasPlace, placedUnder } from "./lineage.ts";
import type { IngestedPatch, IngestedRun, TracePatch } from "./normalise.ts";
import { applyPatch } from "./patch.ts";
import {
  type Figures,
  figuresOf,
  NO_FIGURES,
  ownRow,
  type StoredRow,
  sameFigures,
  withChildChange,
  withChildrenOf,
} from "./roll-up.ts";
import { rowUnder } from "./row.ts";
import {
  childrenWaitingFor,
  stopWaiting,
  type WaitingChild,
  waitForParent,
  waitingChild,
} from "./waiting.ts";

type RunTree = ReturnType<typeof createRunTree>;

/**
 * Maintains the relations between the rows of a draft and their parents, in whichever order they arrive. It propagates figures only if
 * the assumption `ingest.roll_up` is `children`.
 */
function createRunTree(turn: Turn, workspace: Workspace, rows: DraftRows) {
  const rollsUp = turn.ports.settings.assumptions["ingest.roll_up"] === "children";

  /** Propagates a change of figures to the ancestors, up to one that has figures of its own. */
  function propagate(parentId: string | null, before: Figures, after: Figures): void {
    if (!rollsUp) return;
    // Guards against cycles: rows can name each other as their parents.
    const visited = new Set<string>();
    let [id, from, to] = [parentId, before, after];
    while (id !== null && !visited.has(id) && !sameFigures(from, to)) {
      const parent = rows.row(id);
      if (!parent) return;
      visited.add(id);
      const next = withChildChange(parent, from, to);
      rows.set(next);
      [id, from, to] = [parent.parent_run_id, figuresOf(parent), figuresOf(next)];
    }
  }

  /** Whether the place of a row may still change: it is below a row that waits for its parent, or is such a row. */
  function isProvisional(row: StoredRow): boolean {
    const waiting = row.parent_run_id === null ? undefined : waitingChild(turn, workspace, row.id);
    return waiting !== undefined && (waiting.counted || !hasPlace(row));
  }

  /** Adds a child's figures to its parent once, and moves a child without a place of its own below the parent. */
  function attachChild(parent: StoredRow, child: StoredRow, { counted }: WaitingChild): void {
    if (!counted) propagate(parent.id, NO_FIGURES, figuresOf(child));
    if (!counted && hasPlace(child)) return stopWaiting(turn, workspace, child.id);
    const movedChild = { ...(rows.row(child.id) ?? child), ...placedUnder(parent, child) };
    rows.set(movedChild);
    if (!isProvisional(parent)) stopWaiting(turn, workspace, child.id);
    else if (!counted) waitForParent(turn, workspace, { parent_id: parent.id, id: child.id, counted: true });
    if (hasPlace(movedChild)) attachWaiting(child.id);
  }

  /** Attaches the children that were waiting for this row to arrive or to move. */
  function attachWaiting(parentId: string): void {
    for (const waiting of childrenWaitingFor(turn, workspace, parentId)) {
      const [parent, child] = [rows.row(parentId), rows.row(waiting.id)];
      if (parent && child?.parent_run_id === parentId) attachChild(parent, child, waiting);
      else stopWaiting(turn, workspace, waiting.id);
    }
  }

  return {
    propagate,
    attachWaiting,
    /** Adds a new or moved row's figures to its parent, or registers it as waiting for the parent. */
    attach(child: StoredRow): void {
      const parentId = child.parent_run_id;
      if (parentId === null) return;
      const parent = rows.row(parentId);
      if (parent) propagate(parentId, NO_FIGURES, figuresOf(child));
      const moves =
        parent && isProvisional(parent) && child.dotted_order.startsWith(`${parent.dotted_order}.`);
      if (parent && hasPlace(child) && !moves) return;
      waitForParent(turn, workspace, { parent_id: parentId, id: child.id, counted: parent !== undefined });
    },
    /** Reverts `attach`. */
    detach(child: StoredRow): void {
      propagate(child.parent_run_id, figuresOf(child), NO_FIGURES);
      stopWaiting(turn, workspace, child.id);
    },
  };
}

/** The changes of one request to rows; only the final version of each row is stored. */
export interface Draft extends Pick<DraftRows, "row" | "isStored" | "write"> {
  post(run: IngestedRun, sessionId: string): void;
  patch(patch: IngestedPatch): void;
  /** Recomputes a row's feedback_stats on `write`; `dropped` is a key whose feedback was deleted. */
  showFeedback(runId: string, dropped?: string): void;
}

/** Creates a draft on the workspace's current rows; nothing is stored before `write`. */
export function createDraft(turn: Turn, workspace: Workspace): Draft {
  const rows = createDraftRows(turn, workspace);
  const tree = createRunTree(turn, workspace, rows);
  const changedFeedback = new Map<string, Set<string>>();

  function patched(before: TraceRow, patch: TracePatch): TraceRow {
    const after = applyPatch(before, patch, rows.row);
    return patch.feedback_stats === undefined ? after : withFeedback(after);
  }

  function withFeedback<Row extends TraceRow>(row: Row, dropped?: ReadonlySet<string>): Row {
    const feedback_stats = feedbackStats(turn, workspace, row.id, row.feedback_stats, dropped);
    return feedback_stats === row.feedback_stats ? row : { ...row, feedback_stats };
  }

  return {
    row: rows.row,
    isStored: rows.isStored,
    post(run, sessionId) {
      const { id } = run.fields;
      // Clients resend a post when they saw no reply; changes made since must not be lost.
      if (rows.row(id)) return turn.note("trace.duplicate", id);
      const postedRow = placedUnderParent(rows, rowUnder(sessionId, run.fields));
      const waiting = takeHeldPatches(turn, workspace, id);
      const newRow = waiting.reduce<TraceRow>(patched, withFeedback(postedRow));
      rows.set(newRow);
      tree.attach(newRow);
      tree.attachWaiting(id);
    },
    patch({ id, patch }) {
      const before = rows.row(id);
      if (before) replaceRow(rows, tree, before, withChildrenOf(patched(ownRow(before), patch), before));
      else if (rows.isStored(id)) turn.note("trace.deleted_project", id);
    },
    showFeedback(runId, dropped) {
      const keys = changedFeedback.get(runId) ?? new Set();
      changedFeedback.set(runId, dropped === undefined ? keys : keys.add(dropped));
    },
    write() {
      for (const [runId, dropped] of changedFeedback) {
        const before = rows.row(runId);
        if (before) rows.set(withFeedback(before, dropped));
      }
      rows.write();
    },
  };
}

/** Derives a row's place in its trace from its parent when the row has none and the parent is stored. */
function placedUnderParent(rows: DraftRows, postedRow: TraceRow): TraceRow {
  if (postedRow.parent_run_id === null || hasPlace(postedRow)) return postedRow;
  const parent = rows.row(postedRow.parent_run_id);
  return parent ? { ...postedRow, ...placedUnder(parent, postedRow) } : postedRow;
}

function replaceRow(rows: DraftRows, tree: RunTree, before: StoredRow, after: StoredRow): void {
  rows.set(after);
  if (before.parent_run_id === after.parent_run_id && before.dotted_order === after.dotted_order)
    return tree.propagate(after.parent_run_id, figuresOf(before), figuresOf(after));
  tree.detach(before);
  tree.attach(after);
  tree.attachWaiting(after.id);
}
