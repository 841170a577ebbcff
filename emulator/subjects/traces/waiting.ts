import { collection } from "../../kernel/table.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";

/** A row whose parent has not come yet, or has no place in its trace itself. */
export interface WaitingChild {
  readonly parent_id: string;
  readonly id: string;
  /** Whether its tokens and costs count with the parent already. */
  readonly counted: boolean;
}

/** How many rows of a workspace may wait; further ones stay where they are when their parents come. */
const WAITING_MAX = 100_000;
const PAGE_SIZE = 1_000;

/** Waiting rows by workspace, labelled with the parent that they wait for. */
export const WAITING_CHILDREN = collection<WaitingChild & Workspace>(
  "waiting_children",
  (child) => keyOf(child, child.id),
  workspaceKey,
  ({ parent_id }) => parent_id,
);

/** Notes that a row waits; when too many do already, the journal is told and the row stays where it is. */
export function waitForParent(turn: Turn, workspace: Workspace, child: WaitingChild): void {
  const isKnown = turn.get(WAITING_CHILDREN, keyOf(workspace, child.id)) !== undefined;
  if (!isKnown && turn.count(WAITING_CHILDREN, workspaceKey(workspace)) >= WAITING_MAX)
    return turn.note("trace.waits_in_vain", child.id, { parent: child.parent_id });
  const { region, tenant_id } = workspace;
  turn.put(WAITING_CHILDREN, { region, tenant_id, ...child });
}

/** A row that does not wait is left alone. */
export function stopWaiting(turn: Turn, workspace: Workspace, id: string): void {
  const key = keyOf(workspace, id);
  if (turn.get(WAITING_CHILDREN, key)) turn.remove(WAITING_CHILDREN, key);
}

/** The children as they wait now; what is done with one of them does not change the list. */
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
