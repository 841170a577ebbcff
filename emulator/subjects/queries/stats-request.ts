import { Refusal } from "../../kernel/refusal.ts";
import type { PendingReply } from "../../kernel/turn.ts";
import type { Reaction, Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { queryContextOf } from "./query-context.ts";
import { sessionsFor } from "./rows.ts";
import { readSelection, type SentSelection } from "./selection.ts";
import { createStatsAccumulator, type RunStats } from "./stats.ts";

/** What the effect `runs.sum_up` is told. */
export interface StatsRequest {
  readonly ticket: number;
  readonly workspace: Workspace;
  /** With the projects in which to look. */
  readonly sent: SentSelection;
}

/** Summing up reads every row that is asked for, which takes too long for a turn. */
export function requestStats(turn: Turn, workspace: Workspace, sent: SentSelection): PendingReply | RunStats {
  const session = sessionsFor(queryContextOf(turn, workspace), readSelection(sent));
  if (session.length === 0) return createStatsAccumulator(false).result();
  const ticket = turn.deferReply();
  const { region, tenant_id } = workspace;
  const request: StatsRequest = {
    ticket: ticket.number,
    workspace: { region, tenant_id },
    sent: { ...sent, session },
  };
  const ref = String(ticket.number);
  turn.requestEffect({
    kind: "runs.sum_up",
    lane: `stats/${ref}`,
    ref,
    then: "runs.summed_up",
    data: { ...request },
  });
  return ticket;
}

const onSummedUp: Reaction = (turn, { data, result }) => {
  const { ticket } = data as unknown as StatsRequest;
  const ended = result as { readonly stats?: object };
  const interrupted = new Refusal(409, "interrupted", "The rows were taken away while they were summed up.");
  turn.resolveReply(ticket, ended.stats ?? interrupted);
};

/** What queries that take long wait for, by kind of event. */
export const QUERY_REACTIONS: Readonly<Record<string, Reaction>> = { "runs.summed_up": onSummedUp };
