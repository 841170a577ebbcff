import type { BodyOf, ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { pageFrom, type SearchResult, selected } from "../agent/search.ts";
import type { Settings } from "../settings.ts";
import type { Reader, Turn } from "../turn.ts";
import { timeView } from "../views.ts";
import { sameWorkspace, type Workspace, workspaceKey } from "../workspace.ts";
import { CRONS, type Cron } from "./records.ts";

type Filters = BodyOf<"countCrons">;
type Search = BodyOf<"searchCrons">;
type CronView = ReplyBodyOf<"getCron">;

/** Crons of other workspaces answer 404 (§5-3). */
export function cronOf(turn: Turn, workspace: Workspace, id: string): Cron {
  const cron = turn.get(CRONS, id.toLowerCase());
  if (!cron || !sameWorkspace(cron, workspace))
    throw new Refusal(404, "not_found", `Cron with ID ${id} not found`);
  return cron;
}

export function countCrons(reader: Reader, workspace: Workspace, filters: Filters): number {
  return cronsBy(reader, workspace, filters).length;
}

export function searchCrons(
  turn: Turn,
  workspace: Workspace,
  search: Search,
): SearchResult<Partial<CronView>> {
  const { limit, offset, sort_by, sort_order, select } = search;
  const matches = sortCrons(cronsBy(turn, workspace, search), sort_by ?? "created_at", sort_order ?? "desc");
  const { items, headers } = pageFrom(matches, limit ?? 10, offset ?? 0);
  return { items: items.map((cron) => selected(cronView(turn.ports.settings, cron), select)), headers };
}

export function cronView(settings: Settings, cron: Cron): CronView {
  const { region: _, tenant_id: __, wakes_at: ___, ...shown } = cron;
  const time = timeView(settings);
  const timeOrNull = (instant: number | null) => (instant === null ? null : time(instant));
  return {
    ...shown,
    end_time: timeOrNull(cron.end_time),
    next_run_date: timeOrNull(cron.next_run_date),
    created_at: time(cron.created_at),
    updated_at: time(cron.updated_at),
    user_id: null,
  };
}

function cronsBy(reader: Reader, workspace: Workspace, filters: Filters): Cron[] {
  const { assistant_id, thread_id, enabled, metadata } = filters;
  return [...reader.list(CRONS, workspaceKey(workspace))].filter(
    (cron) =>
      (assistant_id == null || [cron.assistant_id, cron.payload.assistant_id].includes(assistant_id)) &&
      (thread_id == null || cron.thread_id === thread_id.toLowerCase()) &&
      (enabled == null || cron.enabled === enabled) &&
      Object.entries(metadata ?? {}).every(([name, value]) => isSame(cron.metadata[name], value)),
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Ties are broken by creation; missing values come last in both directions. */
function sortCrons(
  crons: readonly Cron[],
  by: NonNullable<Search["sort_by"]>,
  order: "asc" | "desc",
): Cron[] {
  const sign = order === "asc" ? 1 : -1;
  return crons
    .map((cron, at) => ({ cron, at, key: cron[by] }))
    .sort((a, b) => {
      if (a.key === null || b.key === null)
        return Number(a.key === null) - Number(b.key === null) || sign * (a.at - b.at);
      return sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.at - b.at);
    })
    .map(({ cron }) => cron);
}
