import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { formatInstant, type Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
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
  readonly end_time?: string | null;
  readonly reference_dataset_id?: string | null;
  /** Deleted projects keep their record, so that their rows do not become visible again. */
  readonly deleted?: true;
}

/** Projects by workspace; one id may exist in several workspaces. */
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

/** A project of the workspace by id, ignoring case; undefined when deleted. */
export function projectById(reader: Reader, workspace: Workspace, id: string): Project | undefined {
  const project = reader.get(PROJECTS, `${workspaceKey(workspace)}/${id.toLowerCase()}`);
  return project?.deleted ? undefined : project;
}

/** Whether the project with this id (lower case) has been deleted. */
export function isDeleted(reader: Reader, workspace: Workspace, id: string): boolean {
  return reader.get(PROJECTS, `${workspaceKey(workspace)}/${id}`)?.deleted === true;
}

/** Throws a `Refusal` (404) when the project has been deleted. */
export function refuseDeleted(reader: Reader, workspace: Workspace, id: string): void {
  if (isDeleted(reader, workspace, id.toLowerCase()))
    throw new Refusal(404, "not_found", `The project ${id} has been deleted.`);
}

/** The projects of a workspace, oldest first. */
export function projectsOf(reader: Reader, workspace: Workspace): readonly Project[] {
  return [...reader.list(PROJECTS, workspaceKey(workspace))].filter(({ deleted }) => !deleted);
}

/** A project of the workspace by its case-sensitive name. */
export function projectByName(reader: Reader, workspace: Workspace, name: string): Project | undefined {
  const entry = reader.get(PROJECT_NAMES, nameKey(workspace, name));
  return entry && projectById(reader, workspace, entry.id);
}

/** Stores a new project. The caller must have checked that its id and name are free. */
export function createProject(turn: Turn, workspace: Workspace, input: BodyOf<"createProject">): Project {
  const { region, tenant_id } = workspace;
  const project: Project = {
    region,
    tenant_id,
    id: input.id?.toLowerCase() ?? turn.nextId("project"),
    name: input.name,
    description: input.description ?? null,
    start_time: input.start_time ?? formatInstant(turn.now),
    extra: input.extra ?? null,
    created_at: turn.now,
    ...(input.reference_dataset_id && { reference_dataset_id: input.reference_dataset_id.toLowerCase() }),
  };
  turn.put(PROJECTS, project);
  turn.put(PROJECT_NAMES, { key: nameKey(workspace, project.name), id: project.id });
  return project;
}

/** Updates a project; null changes nothing, as clients send it for omitted arguments. Throws a `Refusal`. */
export function changeProject(
  turn: Turn,
  workspace: Workspace,
  project: Project,
  change: BodyOf<"updateProject">,
): Project {
  const name = change.name ?? project.name;
  const nameOwner = projectByName(turn, workspace, name);
  if (nameOwner && nameOwner.id !== project.id)
    throw new Refusal(409, "conflict", `A project of this name exists: ${name}.`);
  const changedProject: Project = {
    ...project,
    name,
    description: change.description ?? project.description,
    extra: change.extra ?? project.extra,
    end_time: change.end_time ?? project.end_time ?? null,
  };
  if (name !== project.name) turn.remove(PROJECT_NAMES, nameKey(workspace, project.name));
  turn.put(PROJECTS, changedProject);
  turn.put(PROJECT_NAMES, { key: nameKey(workspace, name), id: project.id });
  return changedProject;
}

/** Deletes a project: its rows are no longer read, listed or exported, and its name is free. */
export function deleteProject(turn: Turn, workspace: Workspace, project: Project): void {
  turn.put(PROJECTS, { ...project, deleted: true });
  turn.remove(PROJECT_NAMES, nameKey(workspace, project.name));
}

/** A row's reference to its project; the id is in lower case. */
export type ProjectReference = { readonly sessionId: string } | { readonly sessionName: string };

/** Whether both refer to it alike; a name and an id may still be of the same project. */
export function isSameProject(one: ProjectReference, other: ProjectReference): boolean {
  if ("sessionId" in one) return "sessionId" in other && one.sessionId === other.sessionId;
  return "sessionName" in other && one.sessionName === other.sessionName;
}

/** The project that a row refers to; created with its first row. */
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
