/** A workspace (tenant) of a region; workspaces and regions are isolated (§1-2, §5-3). */
export interface Workspace {
  readonly region: string;
  readonly tenant_id: string;
}

/** The group key of a workspace's records. */
export function workspaceKey({ region, tenant_id }: Workspace): string {
  return `${region}/${tenant_id}`;
}

/** One tenant id in two regions is two workspaces. */
export function sameWorkspace(a: Workspace, b: Workspace): boolean {
  return a.region === b.region && a.tenant_id === b.tenant_id;
}
