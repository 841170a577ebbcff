import { Refusal } from "../../kernel/refusal.ts";
import type { Handlers } from "../handler.ts";
import type { Reader } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import {
  changeProject,
  createProject,
  deleteProject,
  isDeleted,
  type Project,
  projectById,
  projectByName,
} from "./projects.ts";

/** Handlers that change tracing projects, called sessions on the wire. */
export const PROJECT_HANDLERS = {
  createProject(turn, { workspace, query, body }) {
    const existingProject = projectByName(turn, workspace, body.name);
    if (existingProject && query.upsert) return projectView(existingProject);
    const id = body.id?.toLowerCase();
    if (existingProject || (id && (projectById(turn, workspace, id) || isDeleted(turn, workspace, id))))
      throw new Refusal(
        409,
        "conflict",
        `A project of this name or id exists: ${body.name}.`,
        "Add ?upsert=true to get it.",
      );
    return projectView(createProject(turn, workspace, body));
  },

  updateProject(turn, { workspace, path, body }) {
    return projectView(
      changeProject(turn, workspace, requireProject(turn, workspace, path.session_id), body),
    );
  },

  deleteProject(turn, { workspace, path }) {
    deleteProject(turn, workspace, requireProject(turn, workspace, path.session_id));
    return {};
  },
} satisfies Partial<Handlers>;

/** A project by id. Throws a `Refusal` (404). */
export function requireProject(turn: Reader, workspace: Workspace, id: string): Project {
  const project = projectById(turn, workspace, id);
  if (!project)
    throw new Refusal(
      404,
      "not_found",
      `The project ${id} does not exist in this workspace.`,
      "GET /sessions lists the ids.",
    );
  return project;
}

/** A project in wire form. */
export function projectView({ id, tenant_id, name, description, start_time, extra, ...project }: Project) {
  const { end_time = null, reference_dataset_id = null } = project;
  return { id, tenant_id, name, description, start_time, end_time, extra, reference_dataset_id };
}
