import { control } from "../subjects/control-operation.ts";
import { DESTINATIONS } from "../subjects/destinations/records.ts";
import { PROJECTS } from "../subjects/projects/projects.ts";
import type { Reader } from "../subjects/turn.ts";
import { type Workspace, workspaceKey } from "../subjects/workspace.ts";

/** What an export can be created from, by workspace. */
export interface WorkspaceView {
  readonly region: string;
  readonly tenant_id: string;
  readonly projects: { readonly id: string; readonly name: string }[];
  readonly destinations: {
    readonly id: string;
    readonly display_name: string;
    readonly bucket_name: string;
  }[];
}

export const WORKSPACE_OPERATIONS = [
  control({
    method: "GET",
    path: "/workspaces",
    summary: "List every workspace that has a project or a destination, with its projects and destinations.",
    run: ({ world }) => listWorkspaces(world.reader),
  }),
] as const;

function listWorkspaces(reader: Reader): readonly WorkspaceView[] {
  const views = new Map<string, WorkspaceView>();
  const viewOf = ({ region, tenant_id }: Workspace) => {
    const key = workspaceKey({ region, tenant_id });
    const view = views.get(key) ?? { region, tenant_id, projects: [], destinations: [] };
    views.set(key, view);
    return view;
  };
  for (const project of reader.list(PROJECTS))
    if (!project.deleted) viewOf(project).projects.push({ id: project.id, name: project.name });
  for (const destination of reader.list(DESTINATIONS)) {
    const { id, display_name, config } = destination;
    viewOf(destination).destinations.push({ id, display_name, bucket_name: config.bucket_name });
  }
  return [...views.values()];
}
