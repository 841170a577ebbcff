import { printExact } from "../../../contracts/spec/exact-json.ts";
import { PLANS } from "../agent/plan.ts";
import type { AgentRun } from "../agent/records.ts";
import { runView } from "../agent/view.ts";
import type { Turn } from "../turn.ts";
import { timeView } from "../views.ts";
import { attemptDelivery } from "./attempt.ts";
import { closeDelivery, openDelivery } from "./ledger.ts";
import { DELIVERIES } from "./records.ts";

/**
 * §6: creates the delivery of a run that has just reached a final status, with the run's current state as
 * payload. Called once per ended run. The webhook is sent after the turn.
 */
export function runEnded(turn: Turn, run: AgentRun, values: unknown, startedAt: number | null): void {
  if (run.webhook === null) return;
  const { limits, webhooks } = turn.ports.settings;
  const delivery = openDelivery(turn, {
    region: run.region,
    tenant_id: run.tenant_id,
    run_id: run.run_id,
    thread_id: run.thread_id,
    run_status: run.status,
    url: run.webhook,
    payload: printExact(payloadOf(turn, run, values, startedAt)),
    redelivery_of: null,
  });
  if (webhooks.disabled) closeDelivery(turn, delivery, "disabled", "http.disable_webhooks is set.");
  else if (turn.count(DELIVERIES, "pending") > limits.webhook_pending)
    closeDelivery(turn, delivery, "failed", `More than ${limits.webhook_pending} deliveries are under way.`);
  else attemptDelivery(turn, delivery);
}

/** The payload: a Run (§2.1); the profile `observed` adds the members observed on the public service. */
function payloadOf(turn: Turn, run: AgentRun, values: unknown, startedAt: number | null): object {
  const { settings } = turn.ports;
  const view = runView(settings, run);
  if (settings.profile === "spec") return view;
  const time = timeView(settings);
  const error = errorOf(turn, run);
  return {
    ...view,
    ...(startedAt !== null && { run_started_at: time(startedAt) }),
    run_ended_at: time(turn.now),
    webhook_sent_at: time(turn.now),
    values: values ?? null,
    ...(error !== undefined && { error }),
  };
}

function errorOf(turn: Turn, run: AgentRun): object | undefined {
  const ending = turn.get(PLANS, run.run_id)?.ended?.ending;
  return ending && "error" in ending ? { error: ending.error, message: ending.message } : undefined;
}
