import { Refusal } from "../../kernel/refusal.ts";
import type { PendingReply } from "../../kernel/turn.ts";
import { refusesColumns } from "../filters/parse.ts";
import type { Effect, Result, Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
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
  const pendingReply = turn.deferReply();
  const { region, tenant_id } = workspace;
  const ref = String(pendingReply.number);
  turn.requestEffect({
    kind: "runs.sum_up",
    lane: `stats/${ref}`,
    ref,
    data: { replyNumber: pendingReply.number, workspace: { region, tenant_id }, sent: { ...sent, session } },
  });
  return pendingReply;
}

/** Handles the result of `runs.sum_up`: resolves the reply. */
export function onSummedUp(
  turn: Turn,
  { data: { replyNumber } }: Effect<"runs.sum_up">,
  result: Result<"runs.sum_up">,
): void {
  const interrupted = new Refusal(
    409,
    "interrupted",
    "The rows were removed while the statistics were computed.",
  );
  const failure = "refusal" in result ? result.refusal : interrupted;
  turn.resolveReply(replyNumber, "stats" in result ? result.stats : failure);
}
