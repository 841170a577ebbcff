import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createRun } from "../agent/create-run.ts";
import type { AgentRun } from "../agent/records.ts";
import { threadById } from "../agent/threads.ts";
import type { Event, Turn } from "../turn.ts";
import { planNextRun, storeAndSchedule, wakesAt } from "./plan.ts";
import { CRONS, type Cron } from "./records.ts";

/** Handles `cron.fire`; ignored when the cron was changed, disabled or deleted since. */
export function onFire(turn: Turn, { ref, data }: Event<"cron.fire">): void {
  const cron = turn.get(CRONS, ref);
  if (!cron || wakesAt(cron) !== data.next_run_date) return;
  const enabled = { ...cron, wakes_at: null };
  const { next_run_date: due, thread_id } = cron;
  if (due === null || due > turn.now) return void storeAndSchedule(turn, enabled);
  if (thread_id !== null && !threadById(turn, cron, thread_id)) return dropWithThread(turn, cron);
  startRun(turn, cron);
  // Missed runs are not caught up: the next run is planned from now.
  storeAndSchedule(turn, planNextRun(turn, enabled));
}

/** Deletes a cron with its scheduled events. */
export function removeCron(turn: Turn, { cron_id }: Cron): void {
  turn.remove(CRONS, cron_id);
  turn.unschedule(cron_id);
}

/** Deletes a cron whose thread was deleted. */
function dropWithThread(turn: Turn, cron: Cron): void {
  const { cron_id, thread_id } = cron;
  removeCron(turn, cron);
  turn.note("cron.ended", cron_id, { thread_id, reason: "its thread was deleted" });
}

/** Creates the run; a `Refusal` is recorded in the journal and does not stop the cron. */
function startRun(turn: Turn, cron: Cron): AgentRun | undefined {
  const { region, tenant_id, cron_id, thread_id, assistant_id, payload, on_run_completed } = cron;
  const body = {
    ...payload,
    assistant_id,
    ...(on_run_completed !== null && { on_completion: on_run_completed }),
  } as BodyOf<"createThreadRun">;
  try {
    const request = { threadId: thread_id, body, metadata: { cron_id } };
    return createRun(turn, { region, tenant_id }, request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    turn.note("cron.refused", cron_id, { status: error.status, message: error.message });
    return undefined;
  }
}
