import { collection } from "../../kernel/table.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { TraceScope, TraceStore } from "./port.ts";
import type { StoredRow } from "./roll-up.ts";

/** A row whose parent has not arrived, or is below a row that waits for its own parent. */
export interface WaitingChild {
  readonly parent_id: string;
  readonly id: string;
  /** Whether its tokens and costs are already included in the parent's totals. */
  readonly counted: boolean;
}

const PAGE_SIZE = 1_000;

/** Waiting rows by workspace, labelled with the id of the parent. */
export const WAITING_CHILDREN = collection<WaitingChild & Workspace>(
  "waiting_children",
  (child) => keyOf(child, child.id),
  workspaceKey,
  ({ parent_id }) => parent_id,
);

/** Registers a waiting row; above `limits.waiting_rows_per_workspace`, only a journal entry is written. */
export function waitForParent(turn: Turn, workspace: Workspace, child: WaitingChild): void {
  const isKnown = waitingChild(turn, workspace, child.id) !== undefined;
  const { waiting_rows_per_workspace } = turn.ports.settings.limits;
  if (!isKnown && turn.count(WAITING_CHILDREN, workspaceKey(workspace)) >= waiting_rows_per_workspace)
    return turn.note("trace.waits_in_vain", child.id, { parent: child.parent_id });
  const { region, tenant_id } = workspace;
  turn.put(WAITING_CHILDREN, { region, tenant_id, ...child });
}

/** The registration of a waiting row. */
export function waitingChild(turn: Turn, workspace: Workspace, id: string): WaitingChild | undefined {
  return turn.get(WAITING_CHILDREN, keyOf(workspace, id));
}

/** Which ancestor of a row has not arrived, as a sentence; undefined if all have. */
export function missingParent(
  traces: Pick<TraceStore, "read">,
  scope: TraceScope,
  row: StoredRow,
): string | undefined {
  const visited = new Set<string>();
  for (let child = row; child.parent_run_id !== null && !visited.has(child.id); ) {
    const parent = traces.read(scope, child.parent_run_id);
    if (!parent) {
      const name = child === row ? "The row" : `Its ancestor ${child.id}`;
      return `${name} waits for parent ${child.parent_run_id}, which has not arrived.`;
    }
    visited.add(child.id);
    child = parent;
  }
  return undefined;
}

/** Removes the registration of a waiting row, if there is one. */
export function stopWaiting(turn: Turn, workspace: Workspace, id: string): void {
  const key = keyOf(workspace, id);
  if (turn.get(WAITING_CHILDREN, key)) turn.remove(WAITING_CHILDREN, key);
}

/** A copy of the children that wait for this parent; later changes do not affect the list. */
export function childrenWaitingFor(
  turn: Turn,
  workspace: Workspace,
  parentId: string,
): readonly WaitingChild[] {
  const group = workspaceKey(workspace);
  const count = turn.count(WAITING_CHILDREN, group, parentId);
  const children: WaitingChild[] = [];
  for (let offset = 0; offset < count; offset += PAGE_SIZE)
    children.push(...turn.page(WAITING_CHILDREN, { group, label: parentId, offset, limit: PAGE_SIZE }));
  return children;
}

function keyOf(workspace: Workspace, id: string): string {
  return `${workspaceKey(workspace)}/${id}`;
}
