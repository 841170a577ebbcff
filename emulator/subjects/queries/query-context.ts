import { isDeleted, projectsOf } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import type { Order } from "./cursor.ts";
import type { QueryContext } from "./rows.ts";

/** The query context of a request: its workspace, trace store and projects. */
export function queryContextOf(turn: Turn, workspace: Workspace): QueryContext {
  return {
    traces: turn.ports.traces,
    workspace,
    isDeleted: (sessionId) => isDeleted(turn, workspace, sessionId),
    projectIds: () => projectsOf(turn, workspace).map(({ id }) => id),
  };
}

/** The order of a query that does not name one. */
export function defaultOrderOf({ ports }: Turn): Order {
  return ports.settings.assumptions["query.order"] === "the latest first" ? "desc" : "asc";
}
