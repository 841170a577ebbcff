import type { BodyOf, ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { pageOf, type SearchResult, selected } from "../agent/search.ts";
import { includesMembers } from "../agent/state.ts";
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
  const { items, headers } = pageOf(cronsBy(turn, workspace, search), search);
  return {
    items: items.map((cron) => selected(cronView(turn.ports.settings, cron), search.select)),
    headers,
  };
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
  const hasMetadata = includesMembers(metadata ?? {});
  return [...reader.list(CRONS, workspaceKey(workspace))].filter(
    (cron) =>
      (assistant_id == null || [cron.assistant_id, cron.payload.assistant_id].includes(assistant_id)) &&
      (thread_id == null || cron.thread_id === thread_id.toLowerCase()) &&
      (enabled == null || cron.enabled === enabled) &&
      hasMetadata(cron.metadata),
  );
}
