import { Refusal } from "../../kernel/refusal.ts";
import type { PendingReply } from "../../kernel/turn.ts";
import { refusesColumns } from "../filters/parse.ts";
import { projectView } from "../projects/operations.ts";
import type { Project } from "../projects/projects.ts";
import type { Effect, Result, Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { type StatsRequest, TOTAL } from "./events.ts";
import { queryContextOf } from "./query-context.ts";
import { sessionsFor } from "./rows.ts";
import { readSelection, type SentSelection } from "./selection.ts";
import { createStatsAccumulator, type RunStats } from "./stats.ts";

/** Requests run statistics. They read every selected row, which takes too long for a turn, hence the effect. */
export function requestStats(turn: Turn, workspace: Workspace, sent: SentSelection): PendingReply | RunStats {
  const session = sessionsFor(
    queryContextOf(turn, workspace),
    readSelection(sent, refusesColumns(turn.ports.settings)),
  );
  if (session.length === 0) return createStatsAccumulator(false).result();
  return requestSums(turn, workspace, { sent: { ...sent, session } });
}

/** Requests the statistics of the root rows of each project. */
export function requestProjectStats(
  turn: Turn,
  workspace: Workspace,
  projects: readonly Project[],
  { isSingle = false } = {},
): PendingReply {
  const sent = { session: projects.map(({ id }) => id), is_root: true };
  return requestSums(turn, workspace, { sent, projects: projects.map(projectView), isSingle });
}

function requestSums(
  turn: Turn,
  { region, tenant_id }: Workspace,
  request: Pick<StatsRequest, "sent" | "projects" | "isSingle">,
): PendingReply {
  const pendingReply = turn.deferReply();
  const ref = String(pendingReply.number);
  turn.requestEffect({
    kind: "runs.sum_up",
    lane: `stats/${ref}`,
    ref,
    data: { replyNumber: pendingReply.number, workspace: { region, tenant_id }, ...request },
  });
  return pendingReply;
}

/** Handles the result of `runs.sum_up`: resolves the reply. */
export function onSummedUp(turn: Turn, { data }: Effect<"runs.sum_up">, result: Result<"runs.sum_up">): void {
  turn.resolveReply(data.replyNumber, "stats" in result ? replyOf(data, result.stats) : failureOf(result));
}

function replyOf({ projects, isSingle }: StatsRequest, stats: Readonly<Record<string, RunStats>>) {
  const statsAt = (key: string) => stats[key] ?? createStatsAccumulator(false).result();
  const replies = projects?.map((project) => ({ ...project, ...statsAt(project.id) }));
  return isSingle ? replies?.[0] : (replies ?? statsAt(TOTAL));
}

function failureOf(result: Exclude<Result<"runs.sum_up">, { readonly stats: unknown }>): Refusal {
  if ("refusal" in result) return result.refusal;
  return new Refusal(409, "interrupted", "The rows were removed while the statistics were computed.");
}
