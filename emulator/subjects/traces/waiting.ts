import { collection } from "../../kernel/table.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";

/** A row whose parent has not arrived, or has no place in its trace yet. */
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
  const isKnown = turn.get(WAITING_CHILDREN, keyOf(workspace, child.id)) !== undefined;
  const { waiting_rows_per_workspace } = turn.ports.settings.limits;
  if (!isKnown && turn.count(WAITING_CHILDREN, workspaceKey(workspace)) >= waiting_rows_per_workspace)
    return turn.note("trace.waits_in_vain", child.id, { parent: child.parent_id });
  const { region, tenant_id } = workspace;
  turn.put(WAITING_CHILDREN, { region, tenant_id, ...child });
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
