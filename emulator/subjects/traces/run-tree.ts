import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import type { DraftRows } from "./draft-rows.ts";
import { hasPlace, placedUnder } from "./lineage.ts";
import {
  type Figures,
  figuresOf,
  NO_FIGURES,
  type StoredRow,
  sameFigures,
  withChildChange,
} from "./roll-up.ts";
import { childrenWaitingFor, stopWaiting, type WaitingChild, waitForParent } from "./waiting.ts";

/** Maintains the relations between rows and their parents, in whichever order they arrive. */
export interface RunTree {
  /** Adds a new or moved row's figures to its parent, or registers it as waiting for the parent. */
  attach(child: StoredRow): void;
  /** Reverts `attach`. */
  detach(child: StoredRow): void;
  /** Propagates a change of figures to the ancestors, up to one that has figures of its own. */
  propagate(parentId: string | null, before: Figures, after: Figures): void;
  /** Attaches the children that were waiting for this row to arrive or to get a place. */
  attachWaiting(parentId: string): void;
}

/** Works on the rows of a draft; propagates figures only if the assumption `ingest.roll_up` is `children`. */
export function createRunTree(turn: Turn, workspace: Workspace, rows: DraftRows): RunTree {
  const rollsUp = turn.ports.settings.assumptions["ingest.roll_up"] === "children";

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

  /** Adds a child's figures to its parent once, and derives the child's place once the parent has one. */
  function attachChild(parentId: string, child: StoredRow, { counted }: WaitingChild): void {
    if (!counted) propagate(parentId, NO_FIGURES, figuresOf(child));
    const parent = rows.row(parentId);
    if (hasPlace(child)) stopWaiting(turn, workspace, child.id);
    else if (parent && hasPlace(parent)) {
      stopWaiting(turn, workspace, child.id);
      rows.set({ ...child, ...placedUnder(parent, child) });
      attachWaiting(child.id);
    } else if (!counted) waitForParent(turn, workspace, { parent_id: parentId, id: child.id, counted: true });
  }

  function attachWaiting(parentId: string): void {
    for (const waiting of childrenWaitingFor(turn, workspace, parentId)) {
      const child = rows.row(waiting.id);
      if (child?.parent_run_id === parentId) attachChild(parentId, child, waiting);
      else stopWaiting(turn, workspace, waiting.id);
    }
  }

  return {
    propagate,
    attachWaiting,
    attach(child) {
      const parentId = child.parent_run_id;
      if (parentId === null) return;
      const parent = rows.row(parentId);
      if (parent) propagate(parentId, NO_FIGURES, figuresOf(child));
      if (parent && hasPlace(child)) return;
      waitForParent(turn, workspace, { parent_id: parentId, id: child.id, counted: parent !== undefined });
    },
    detach(child) {
      propagate(child.parent_run_id, figuresOf(child), NO_FIGURES);
      stopWaiting(turn, workspace, child.id);
    },
  };
}
