import { formatInstant, type Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Reader, Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";

/** A tracing project, called a session on the wire. */
export interface Project extends Workspace {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly start_time: string;
  readonly extra: Readonly<Record<string, unknown>> | null;
  readonly created_at: Instant;
}

export const PROJECTS = collection<Project>(
  "projects",
  (project) => `${workspaceKey(project)}/${project.id}`,
  workspaceKey,
);

/** Projects by the name that is unique in their workspace. */
export const PROJECT_NAMES = collection<{ readonly key: string; readonly id: string }>(
  "project_names",
  (entry) => entry.key,
);

export function projectById(reader: Reader, workspace: Workspace, id: string): Project | undefined {
  return reader.get(PROJECTS, `${workspaceKey(workspace)}/${id.toLowerCase()}`);
}

export function projectByName(reader: Reader, workspace: Workspace, name: string): Project | undefined {
  const entry = reader.get(PROJECT_NAMES, nameKey(workspace, name));
  return entry && projectById(reader, workspace, entry.id);
}

export interface NewProject {
  readonly name: string;
  readonly id?: string | null;
  readonly description?: string | null;
  readonly start_time?: string | null;
  readonly extra?: Readonly<Record<string, unknown>> | null;
}

export function createProject(turn: Turn, workspace: Workspace, given: NewProject): Project {
  const project: Project = {
    ...workspace,
    id: given.id?.toLowerCase() ?? turn.nextId("project"),
    name: given.name,
    description: given.description ?? null,
    start_time: given.start_time ?? formatInstant(turn.now),
    extra: given.extra ?? null,
    created_at: turn.now,
  };
  turn.put(PROJECTS, project);
  turn.put(PROJECT_NAMES, { key: nameKey(workspace, project.name), id: project.id });
  return project;
}

export type ProjectReference = { readonly sessionId: string } | { readonly sessionName: string };

/** The project that a trace row names; it comes into being with its first row. */
export function projectFor(turn: Turn, workspace: Workspace, reference: ProjectReference): Project {
  if ("sessionName" in reference)
    return (
      projectByName(turn, workspace, reference.sessionName) ??
      createProject(turn, workspace, { name: reference.sessionName })
    );
  const { sessionId } = reference;
  return (
    projectById(turn, workspace, sessionId) ??
    createProject(turn, workspace, { name: sessionId, id: sessionId })
  );
}

function nameKey(workspace: Workspace, name: string): string {
  return `${workspaceKey(workspace)}/${name}`;
}
