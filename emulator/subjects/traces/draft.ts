import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { feedbackStats } from "../feedback/stats.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { createDraftRows, type DraftRows } from "./draft-rows.ts";
import { createFamily, type Family } from "./family.ts";
import { hasPlace, placedUnder } from "./lineage.ts";
import type { IngestedPatch, IngestedRun, TracePatch } from "./normalise.ts";
import { applyPatch } from "./patch.ts";
import { figuresOf, ownRow, type StoredRow, withChildrenOf } from "./roll-up.ts";
import { rowUnder } from "./row.ts";

/** What a request does to rows; the store sees only the last version of each. */
export interface Draft extends Pick<DraftRows, "row" | "isStored" | "write"> {
  post(run: IngestedRun, sessionId: string): void;
  patch(patch: IngestedPatch): void;
  /** Has a row, if there is one, show the feedback that it has in the end; `dropped` is a key that it lost. */
  showFeedback(runId: string, dropped?: string): void;
}

/** A draft that begins with the rows of the workspace as they are; nothing is written before `write`. */
export function createDraft(turn: Turn, workspace: Workspace): Draft {
  const rows = createDraftRows(turn, workspace);
  const family = createFamily(turn, workspace, rows);
  const shownAnew = new Map<string, Set<string>>();

  function patched(before: TraceRow, patch: TracePatch): TraceRow {
    const after = applyPatch(before, patch, rows.row);
    return patch.feedback_stats === undefined ? after : withFeedback(after);
  }

  function withFeedback<Row extends TraceRow>(shown: Row, dropped?: ReadonlySet<string>): Row {
    const feedback_stats = feedbackStats(turn, workspace, shown.id, shown.feedback_stats, dropped);
    return feedback_stats === shown.feedback_stats ? shown : { ...shown, feedback_stats };
  }

  return {
    row: rows.row,
    isStored: rows.isStored,
    post(run, sessionId) {
      const { id } = run.fields;
      // Clients send a row again when they saw no reply; what has been changed since must not be lost.
      if (rows.row(id)) return turn.note("trace.duplicate", id);
      const posted = placed(rows, rowUnder(sessionId, run.fields));
      const waiting = turn.ports.traces.heldPatches(rows.scope, id);
      const fresh = waiting.reduce<TraceRow>(patched, withFeedback(posted));
      rows.set(fresh);
      family.join(fresh);
      family.adopt(id);
    },
    patch({ id, patch }) {
      const before = rows.row(id);
      if (before) change(rows, family, before, withChildrenOf(patched(ownRow(before), patch), before));
      else if (rows.isStored(id)) turn.note("trace.deleted_project", id);
    },
    showFeedback(runId, dropped) {
      const keys = shownAnew.get(runId) ?? new Set();
      shownAnew.set(runId, dropped === undefined ? keys : keys.add(dropped));
    },
    write() {
      for (const [runId, dropped] of shownAnew) {
        const before = rows.row(runId);
        if (before) rows.set(withFeedback(before, dropped));
      }
      rows.write();
    },
  };
}

/** A row that does not say its place takes it from a parent that is there. */
function placed(rows: DraftRows, posted: TraceRow): TraceRow {
  if (posted.parent_run_id === null || hasPlace(posted)) return posted;
  const parent = rows.row(posted.parent_run_id);
  return parent ? { ...posted, ...placedUnder(parent, posted) } : posted;
}

function change(rows: DraftRows, family: Family, before: StoredRow, after: StoredRow): void {
  rows.set(after);
  if (before.parent_run_id === after.parent_run_id) {
    family.carry(after.parent_run_id, figuresOf(before), figuresOf(after));
  } else {
    family.leave(before);
    family.join(after);
  }
  if (before.dotted_order !== after.dotted_order) family.adopt(after.id);
}
