import { parseFilter } from "../domain/filters/parse.ts";
import { problemText } from "../domain/filters/problem.ts";
import {
  createProject,
  PROJECTS,
  type Project,
  projectById,
  projectByName,
} from "../domain/projects/projects.ts";
import { ingest } from "../domain/traces/ingest.ts";
import { runView } from "../domain/traces/view.ts";
import { page } from "../domain/views.ts";
import { workspaceKey } from "../domain/workspace.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Handlers } from "./handler.ts";

type Rows =
  | "createRun"
  | "ingestRunBatch"
  | "updateRun"
  | "readRun"
  | "validateFilter"
  | "listProjects"
  | "readProject"
  | "createProject";

/** The paths by which trace rows come in and are looked up (X-1). */
export const TRACE_HANDLERS: Pick<Handlers, Rows> = {
  createRun(turn, { workspace, body }) {
    ingest(turn, workspace, { posts: [{ value: body, where: "body" }], patches: [] });
    return {};
  },

  ingestRunBatch(turn, { workspace, body }) {
    const posts = (body.post ?? []).map((value, index) => ({ value, where: `body.post[${index}]` }));
    const patches = (body.patch ?? []).map((value, index) => ({ value, where: `body.patch[${index}]` }));
    ingest(turn, workspace, { posts, patches });
    return {};
  },

  updateRun(turn, { workspace, path, body }) {
    ingest(turn, workspace, { posts: [], patches: [{ value: body, where: "body", id: path.run_id }] });
    return {};
  },

  readRun(turn, { workspace, path }) {
    const scope = { region: workspace.region, tenantId: workspace.tenant_id };
    const row = turn.ports.traces.read(scope, path.run_id.toLowerCase());
    if (!row) throw new Refusal(404, "not_found", `No run ${path.run_id} in this workspace.`);
    return runView(row);
  },

  validateFilter(_turn, { body }) {
    const errors = (["filter", "trace_filter", "tree_filter"] as const).flatMap((field) => {
      const message = filterError(body[field] ?? null);
      return message === undefined ? [] : [{ field, message }];
    });
    return { valid: errors.length === 0, errors };
  },

  listProjects(turn, { workspace, query }) {
    if (query.name !== undefined) {
      const found = projectByName(turn, workspace, query.name);
      return found ? [projectView(found)] : [];
    }
    const all = [...turn.list(PROJECTS, workspaceKey(workspace))];
    return page(all, query.limit ?? 100, query.offset).map(projectView);
  },

  readProject(turn, { workspace, path }) {
    const found = projectById(turn, workspace, path.session_id);
    if (!found) throw new Refusal(404, "not_found", `No project ${path.session_id} in this workspace.`);
    return projectView(found);
  },

  createProject(turn, { workspace, query, body }) {
    const found = projectByName(turn, workspace, body.name);
    if (found && query.upsert) return projectView(found);
    if (found || (body.id && projectById(turn, workspace, body.id)))
      throw new Refusal(
        409,
        "conflict",
        `A project of this name or id exists: ${body.name}.`,
        "Add ?upsert=true to get it.",
      );
    return projectView(createProject(turn, workspace, body));
  },
};

function filterError(text: string | null): string | undefined {
  const read = text === null ? undefined : parseFilter(text);
  if (!read || !("problem" in read)) return undefined;
  const { hint } = read.problem;
  return `${problemText(read.problem)}.${hint === undefined ? "" : ` ${hint}`}`;
}

function projectView({ id, tenant_id, name, description, start_time, extra }: Project) {
  return { id, tenant_id, name, description, start_time, end_time: null, extra };
}
