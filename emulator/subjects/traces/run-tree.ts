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

/** What a row has to do with its parent and its children, whichever of them comes first. */
export interface RunTree {
  /** Lets a row that is new, or has another parent, count with its parent or wait for it. */
  attach(child: StoredRow): void;
  /** Undoes that. */
  detach(child: StoredRow): void;
  /** Hands a change of a row's figures on to its ancestors, up to one that has figures of its own. */
  propagate(parentId: string | null, before: Figures, after: Figures): void;
  /** Takes to a row that has come, or has found its place, the children that waited for that. */
  attachWaiting(parentId: string): void;
}

/** Works on the rows of a draft; sums go up only where the assumption `ingest.roll_up` says so. */
export function createRunTree(turn: Turn, workspace: Workspace, rows: DraftRows): RunTree {
  const rollsUp = turn.ports.settings.assumptions["ingest.roll_up"] === "children";

  function propagate(parentId: string | null, before: Figures, after: Figures): void {
    if (!rollsUp) return;
    // Rows can name each other as their parents.
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

  /** Counts a child with its parent, and puts it under it as soon as that has a place itself. */
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
