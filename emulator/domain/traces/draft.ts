import type { TraceRow } from "../../../contracts/spec/export-columns.ts";
import { feedbackStats } from "../feedback/stats.ts";
import { isDeleted } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { hasPlace, placedUnder } from "./lineage.ts";
import type { IngestedPatch, IngestedRun, TracePatch } from "./normalise.ts";
import { applyPatch } from "./patch.ts";
import {
  carried,
  type Figures,
  figuresOf,
  NO_FIGURES,
  ownRow,
  type StoredRow,
  sameFigures,
  withChildrenOf,
} from "./roll-up.ts";
import { rowUnder } from "./row.ts";
import { childrenWaitingFor, stopWaiting, waitForParent } from "./waiting.ts";

/** Rows as they will stand after a request; the store sees only the last of each. */
export interface Draft {
  row(id: string): StoredRow | undefined;
  /** Whether there was a row of this id before, be it in a project that has been deleted. */
  isStored(id: string): boolean;
  post(run: IngestedRun, sessionId: string): void;
  patch(patch: IngestedPatch): void;
  /** Has a row, if there is one, show the feedback that it has in the end; `dropped` is a key that it lost. */
  showFeedback(runId: string, dropped?: string): void;
  write(): void;
}

export function createDraft(turn: Turn, workspace: Workspace): Draft {
  const { traces, settings } = turn.ports;
  const scope = { region: workspace.region, tenantId: workspace.tenant_id };
  const rollsUp = settings.assumptions["ingest.roll_up"] === "children";
  const rows = new Map<string, StoredRow>();
  const stored = new Map<string, StoredRow | undefined>();
  const shownAnew = new Map<string, Set<string>>();

  function storedRow(id: string): StoredRow | undefined {
    if (!stored.has(id)) stored.set(id, traces.read(scope, id));
    return stored.get(id);
  }

  function row(id: string): StoredRow | undefined {
    const found = rows.get(id) ?? storedRow(id);
    // An id whose project was deleted is free again.
    return found && isDeleted(turn, workspace, found.session_id) ? undefined : found;
  }

  /** Hands a change of a row's figures on to its ancestors, up to one that has figures of its own. */
  function carry(parentId: string | null, before: Figures, after: Figures): void {
    if (!rollsUp) return;
    const met = new Set<string>();
    let [id, from, to] = [parentId, before, after];
    while (id !== null && !met.has(id) && !sameFigures(from, to)) {
      const parent = row(id);
      if (!parent) return;
      met.add(id);
      const next = carried(parent, from, to);
      rows.set(id, next);
      [id, from, to] = [parent.parent_run_id, figuresOf(parent), figuresOf(next)];
    }
  }

  /** Takes to a row that has come, or has found its place, the children that waited for that. */
  function adopt(parentId: string): void {
    for (const { id, counted } of childrenWaitingFor(turn, workspace, parentId)) {
      const child = row(id);
      const parent = row(parentId);
      if (!child || !parent || child.parent_run_id !== parentId) {
        stopWaiting(turn, workspace, id);
        continue;
      }
      if (!counted) carry(parentId, NO_FIGURES, figuresOf(child));
      if (hasPlace(child)) stopWaiting(turn, workspace, id);
      else if (hasPlace(parent)) {
        stopWaiting(turn, workspace, id);
        rows.set(id, { ...child, ...placedUnder(parent, child) });
        adopt(id);
      } else if (!counted) waitForParent(turn, workspace, { parent_id: parentId, id, counted: true });
    }
  }

  /** Lets a row that is new, or has another parent, count with its parent or wait for it. */
  function join(child: StoredRow): void {
    const parentId = child.parent_run_id;
    if (parentId === null) return;
    const parent = row(parentId);
    if (parent) carry(parentId, NO_FIGURES, figuresOf(child));
    if (!parent || !hasPlace(child))
      waitForParent(turn, workspace, { parent_id: parentId, id: child.id, counted: parent !== undefined });
  }

  function change(before: StoredRow, after: StoredRow): void {
    rows.set(before.id, after);
    if (before.parent_run_id === after.parent_run_id) {
      carry(after.parent_run_id, figuresOf(before), figuresOf(after));
    } else {
      carry(before.parent_run_id, figuresOf(before), NO_FIGURES);
      stopWaiting(turn, workspace, before.id);
      join(after);
    }
    if (before.dotted_order !== after.dotted_order) adopt(after.id);
  }

  function patched(before: TraceRow, patch: TracePatch): TraceRow {
    const after = applyPatch(before, patch, row);
    return patch.feedback_stats === undefined ? after : withFeedback(after);
  }

  function withFeedback<Row extends TraceRow>(shown: Row, dropped?: ReadonlySet<string>): Row {
    const feedback_stats = feedbackStats(turn, workspace, shown.id, shown.feedback_stats, dropped);
    return feedback_stats === shown.feedback_stats ? shown : { ...shown, feedback_stats };
  }

  return {
    row,
    isStored: (id) => storedRow(id) !== undefined,
    post(run, sessionId) {
      const { id, parent_run_id } = run.fields;
      // Clients send a row again when they saw no reply; what has been changed since must not be lost.
      if (row(id)) return turn.note("trace.duplicate", id);
      const parent = parent_run_id === null ? undefined : row(parent_run_id);
      const posted = rowUnder(sessionId, run.fields);
      const placed = parent && !hasPlace(posted) ? { ...posted, ...placedUnder(parent, posted) } : posted;
      const fresh = traces.heldPatches(scope, id).reduce<TraceRow>(patched, withFeedback(placed));
      rows.set(id, fresh);
      join(fresh);
      adopt(id);
    },
    patch({ id, patch }) {
      const before = row(id);
      if (before) change(before, withChildrenOf(patched(ownRow(before), patch), before));
      else if (storedRow(id)) turn.note("trace.deleted_project", id);
    },
    showFeedback(runId, dropped) {
      const keys = shownAnew.get(runId) ?? new Set();
      shownAnew.set(runId, dropped === undefined ? keys : keys.add(dropped));
    },
    write() {
      for (const [runId, dropped] of shownAnew) {
        const before = row(runId);
        if (before) rows.set(runId, withFeedback(before, dropped));
      }
      if (rows.size > 0) traces.write(scope, [...rows.values()]);
    },
  };
}
