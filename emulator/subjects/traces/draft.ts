import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { feedbackStats } from "../feedback/stats.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { createDraftRows, type DraftRows } from "./draft-rows.ts";
import { takeHeldPatches } from "./held-patches.ts";
import { hasPlace, placedUnder } from "./lineage.ts";
import type { IngestedPatch, IngestedRun, TracePatch } from "./normalise.ts";
import { applyPatch } from "./patch.ts";
import { figuresOf, ownRow, type StoredRow, withChildrenOf } from "./roll-up.ts";
import { rowUnder } from "./row.ts";
import { createRunTree, type RunTree } from "./run-tree.ts";

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
  if (before.parent_run_id === after.parent_run_id) {
    tree.propagate(after.parent_run_id, figuresOf(before), figuresOf(after));
  } else {
    tree.detach(before);
    tree.attach(after);
  }
  if (before.dotted_order !== after.dotted_order) tree.attachWaiting(after.id);
}
