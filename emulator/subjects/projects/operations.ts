import { Refusal } from "../../kernel/refusal.ts";
import type { Handlers } from "../handler.ts";
import type { Turn } from "../turn.ts";
import { page } from "../views.ts";
import type { Workspace } from "../workspace.ts";
import {
  changeProject,
  createProject,
  deleteProject,
  isDeleted,
  type Project,
  projectById,
  projectByName,
  projectsOf,
} from "./projects.ts";

type OperationIds = "listProjects" | "readProject" | "createProject" | "updateProject" | "deleteProject";

/** Handlers of tracing projects, called sessions on the wire. */
export const PROJECT_HANDLERS: Pick<Handlers, OperationIds> = {
  listProjects(turn, { workspace, query }) {
    const ids = query.id?.map((id) => id.toLowerCase());
    const part = query.name_contains?.toLowerCase();
    const isAsked = ({ id, name }: Project) =>
      (!ids || ids.includes(id)) && (part === undefined || name.toLowerCase().includes(part));
    const all = query.name === undefined ? projectsOf(turn, workspace) : named(turn, workspace, query.name);
    return page(all.filter(isAsked), query.limit ?? 100, query.offset).map(projectView);
  },

  readProject: (turn, { workspace, path }) => projectView(projectOf(turn, workspace, path.session_id)),

  createProject(turn, { workspace, query, body }) {
    const found = projectByName(turn, workspace, body.name);
    if (found && query.upsert) return projectView(found);
    const id = body.id?.toLowerCase();
    if (found || (id && (projectById(turn, workspace, id) || isDeleted(turn, workspace, id))))
      throw new Refusal(
        409,
        "conflict",
        `A project of this name or id exists: ${body.name}.`,
        "Add ?upsert=true to get it.",
      );
    return projectView(createProject(turn, workspace, body));
  },

  updateProject(turn, { workspace, path, body }) {
    return projectView(changeProject(turn, workspace, projectOf(turn, workspace, path.session_id), body));
  },

  deleteProject(turn, { workspace, path }) {
    deleteProject(turn, workspace, projectOf(turn, workspace, path.session_id));
    return {};
  },
};

function named(turn: Turn, workspace: Workspace, name: string): readonly Project[] {
  const found = projectByName(turn, workspace, name);
  return found ? [found] : [];
}

function projectOf(turn: Turn, workspace: Workspace, id: string): Project {
  const found = projectById(turn, workspace, id);
  if (!found) throw new Refusal(404, "not_found", `No project ${id} in this workspace.`);
  return found;
}

function projectView({ id, tenant_id, name, description, start_time, end_time = null, extra }: Project) {
  return { id, tenant_id, name, description, start_time, end_time, extra };
}
