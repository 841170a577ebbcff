import { Refusal } from "../../kernel/refusal.ts";
import type { Ticket } from "../../kernel/turn.ts";
import type { Reaction, Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { groundOf } from "./ground.ts";
import { sessionsFor } from "./rows.ts";
import { readSelection, type SentSelection } from "./selection.ts";
import { createTally, type RunStats } from "./stats.ts";

/** What the effect `runs.sum_up` is told. */
export interface StatsOrder {
  readonly ticket: number;
  readonly workspace: Workspace;
  /** With the projects in which to look. */
  readonly sent: SentSelection;
}

/** Summing up reads every row that is asked for, which takes too long for a turn. */
export function askForStats(turn: Turn, workspace: Workspace, sent: SentSelection): Ticket | RunStats {
  const session = sessionsFor(groundOf(turn, workspace), readSelection(sent));
  if (session.length === 0) return createTally(false).result();
  const ticket = turn.later();
  const { region, tenant_id } = workspace;
  const order: StatsOrder = {
    ticket: ticket.number,
    workspace: { region, tenant_id },
    sent: { ...sent, session },
  };
  const ref = String(ticket.number);
  turn.ask({ kind: "runs.sum_up", lane: `stats/${ref}`, ref, then: "runs.summed_up", data: { ...order } });
  return ticket;
}

const onSummedUp: Reaction = (turn, { data, result }) => {
  const { ticket } = data as unknown as StatsOrder;
  const ended = result as { readonly stats?: object };
  const interrupted = new Refusal(409, "interrupted", "The rows were taken away while they were summed up.");
  turn.answer(ticket, ended.stats ?? interrupted);
};

/** What queries that take long wait for, by kind of event. */
export const QUERY_REACTIONS: Readonly<Record<string, Reaction>> = { "runs.summed_up": onSummedUp };
