import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { PLANS } from "./plan.ts";
import { type AgentRun, RUNS } from "./records.ts";
import { endRun, isActive, removeRun } from "./run-lifecycle.ts";

export type CancelAction = "interrupt" | "rollback";

/**
 * Cancels a run: `interrupt` keeps the state it has written, `rollback` deletes the run and its state.
 * Throws a `Refusal` (409) when the run has ended.
 */
export function cancelRun(turn: Turn, run: AgentRun, action: CancelAction): void {
  if (!isActive(run))
    throw new Refusal(409, "already_ended", `Run ${run.run_id} has ended with status ${run.status}.`);
  stopRun(turn, run, action);
}

/** Cancels those of the runs that have not ended; ending one run may remove another of the list. */
export function stopRuns(turn: Turn, runs: readonly AgentRun[], action: CancelAction): void {
  // Pending runs are stopped first, so that none of them starts when the running one ends.
  const waitingFirst = [...runs].sort(
    (a, b) => Number(a.status === "running") - Number(b.status === "running"),
  );
  for (const { run_id } of waitingFirst) {
    const run = turn.get(RUNS, run_id);
    if (run && isActive(run)) stopRun(turn, run, action);
  }
}

function stopRun(turn: Turn, run: AgentRun, action: CancelAction): void {
  if (action === "rollback") return removeRun(turn, run);
  const executed = turn.get(PLANS, run.run_id)?.steps.slice(0, run.emitted) ?? [];
  const node = executed.findLast((step) => step.kind === "begin")?.node ?? run.graph_id;
  endRun(turn, run, { trigger: "cancel", node });
}
