import { isSameValue } from "../../../contracts/spec/exact-json.ts";
import { invalidRequest } from "../../kernel/refusal.ts";
import { containing } from "../../kernel/text-search.ts";
import type { Handlers } from "../handler.ts";
import { documentOf } from "../json-of.ts";
import { projectView, requireProject } from "../projects/operations.ts";
import { type Project, projectByName, projectsOf } from "../projects/projects.ts";
import { isJsonObject, objectAt } from "../traces/json.ts";
import type { Turn } from "../turn.ts";
import { page } from "../views.ts";
import type { Workspace } from "../workspace.ts";
import { requestProjectStats } from "./summary-request.ts";

/** Handlers that read tracing projects, with the figures of their rows on request. */
export const PROJECT_READ_HANDLERS = {
  listProjects(turn, { workspace, query }) {
    const projects = page(selectProjects(turn, workspace, query), query.limit ?? 100, query.offset);
    if (!query.include_stats || projects.length === 0) return projects.map(projectView);
    return requestProjectStats(turn, workspace, projects, "list");
  },

  readProject(turn, { workspace, path, query }) {
    const project = requireProject(turn, workspace, path.session_id);
    return query.include_stats
      ? requestProjectStats(turn, workspace, [project], "one")
      : projectView(project);
  },
} satisfies Partial<Handlers>;

/** Criteria of a list of projects. */
interface ProjectCriteria {
  readonly id?: readonly string[];
  readonly name?: string;
  readonly name_contains?: string;
  readonly reference_dataset?: readonly string[];
  readonly reference_free?: boolean;
  readonly metadata?: string;
}

/** The projects that meet the criteria, in the order of their creation. */
export function selectProjects(turn: Turn, workspace: Workspace, query: ProjectCriteria): readonly Project[] {
  const { name, reference_free: isWithoutDataset } = query;
  const ids = query.id?.map((id) => id.toLowerCase());
  const datasets = query.reference_dataset?.map((id) => id.toLowerCase());
  const hasPart = containing(query.name_contains?.toLowerCase() ?? "");
  const metadata = query.metadata === undefined ? [] : Object.entries(metadataIn(query.metadata));
  const projects = name === undefined ? projectsOf(turn, workspace) : namedProject(turn, workspace, name);
  return projects.filter((project) => {
    const dataset = project.reference_dataset_id ?? null;
    return (
      (!ids || ids.includes(project.id)) &&
      hasPart(project.name.toLowerCase()) &&
      (!datasets || (dataset !== null && datasets.includes(dataset))) &&
      (isWithoutDataset === undefined || isWithoutDataset === (dataset === null)) &&
      metadata.every(([key, value]) => isSameValue(objectAt(project.extra, "metadata")?.[key], value))
    );
  });
}

function namedProject(turn: Turn, workspace: Workspace, name: string): readonly Project[] {
  const project = projectByName(turn, workspace, name);
  return project ? [project] : [];
}

function metadataIn(text: string): Readonly<Record<string, unknown>> {
  const metadata = documentOf(text);
  if (isJsonObject(metadata)) return metadata;
  throw invalidRequest("query.metadata: must be a JSON object.");
}
