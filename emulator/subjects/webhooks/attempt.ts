import { triggerFault } from "../faults/trigger-fault.ts";
import type { Effect, Event, Result, Turn } from "../turn.ts";
import type { Posted, WebhookFault, WebhookPost } from "./events.ts";
import { closeDelivery } from "./ledger.ts";
import { maskedUrl } from "./mask.ts";
import { type Attempt, DELIVERIES, type Delivery } from "./records.ts";

const REFUSED_CONNECTION = { failure: "network", message: "A fault refused the connection." } as const;

/** Starts the delivery's current attempt, or applies the fault that hits it. */
export function attemptDelivery(turn: Turn, delivery: Delivery): void {
  const fault = triggerFault(turn, "webhook", { url: delivery.url, run_id: delivery.run_id });
  if (!fault?.delayMs) return send(turn, delivery, fault);
  const data = { attempt: delivery.current_attempt, fault: { ...fault, delayMs: 0 } };
  turn.schedule({ kind: "webhook.due", ref: delivery.id, afterMs: fault.delayMs, data });
}

function send(turn: Turn, delivery: Delivery, fault: WebhookFault | undefined): void {
  if (fault?.droppedBy !== undefined) {
    const dropped = { ...delivery, dropped_by: fault.droppedBy };
    return closeDelivery(turn, dropped, "dropped", `The fault ${fault.droppedBy} dropped it.`);
  }
  const first = { number: delivery.current_attempt, copy: 0, started_at: turn.now, faked: true };
  if (fault?.simulatedResult === "refused") return recordAttempt(turn, delivery, first, REFUSED_CONNECTION);
  if (fault?.simulatedResult)
    return recordAttempt(turn, delivery, first, { status: fault.simulatedResult.status, reply: "" });
  for (let copy = 0; copy <= (fault?.duplicates ?? 0); copy += 1) post(turn, delivery, copy);
}

function post(turn: Turn, delivery: Delivery, copy: number): void {
  const { id, region, tenant_id, url, payload, current_attempt } = delivery;
  const order: WebhookPost = {
    region,
    tenant_id,
    url,
    payload: payload ?? "",
    attempt: current_attempt,
    copy,
    started_at: turn.now,
  };
  // One lane per webhook, so that a slow receiver does not delay the results of others.
  turn.requestEffect({
    kind: "webhook.post",
    ref: id,
    lane: `webhook/${id}/${copy}`,
    data: order,
  });
}

/** Handles `webhook.due`: a retry, or an attempt delayed by a fault; stale events are ignored. */
export function onDue(turn: Turn, { ref, data }: Event<"webhook.due">): void {
  const delivery = turn.get(DELIVERIES, ref);
  if (delivery?.status !== "pending" || delivery.current_attempt !== data.attempt) return;
  if (data.fault) send(turn, delivery, data.fault);
  else attemptDelivery(turn, delivery);
}

/** Handles the result of `webhook.post`; ignored when the delivery was removed meanwhile. */
export function onPosted(
  turn: Turn,
  { ref, data: { attempt, copy, started_at } }: Effect<"webhook.post">,
  result: Result<"webhook.post">,
): void {
  const delivery = turn.get(DELIVERIES, ref);
  if (delivery) recordAttempt(turn, delivery, { number: attempt, copy, started_at, faked: false }, result);
}

type AttemptHead = Pick<Attempt, "number" | "copy" | "started_at" | "faked">;

/** Records an attempt in the ledger; unless it is a copy, its result ends the delivery or schedules a retry. */
function recordAttempt(turn: Turn, before: Delivery, attemptHeader: AttemptHead, outcome: Posted): void {
  const delivery = { ...before, attempts: [...before.attempts, attemptOf(attemptHeader, turn.now, outcome)] };
  const decides =
    attemptHeader.copy === 0 &&
    before.status === "pending" &&
    before.current_attempt === attemptHeader.number;
  if (!decides) return turn.put(DELIVERIES, delivery);
  const { limits, timings } = turn.ports.settings;
  if (wasAccepted(outcome)) return closeDelivery(turn, delivery, "delivered", null);
  const why = "status" in outcome ? `The receiver answered ${outcome.status}.` : outcome.message;
  if ("failure" in outcome && outcome.failure === "policy")
    return closeDelivery(turn, delivery, "refused", why);
  if (!isTransient(outcome)) return closeDelivery(turn, delivery, "failed", why);
  if (attemptHeader.number >= limits.webhook_attempts)
    return closeDelivery(
      turn,
      delivery,
      "failed",
      `${attemptHeader.number} attempts failed; the last: ${why}`,
    );
  const attempt = attemptHeader.number + 1;
  turn.put(DELIVERIES, { ...delivery, current_attempt: attempt });
  const afterMs = timings.webhook_retry_delay_ms * 2 ** (attemptHeader.number - 1);
  turn.schedule({ kind: "webhook.due", ref: delivery.id, afterMs, data: { attempt } });
}

function wasAccepted(outcome: Posted): boolean {
  return "status" in outcome && outcome.status >= 200 && outcome.status < 300;
}

/** Whether a failure is transient and therefore retried (§6-3). */
function isTransient(outcome: Posted): boolean {
  if ("status" in outcome) return outcome.status === 429 || outcome.status >= 500;
  return outcome.failure !== "redirects";
}

function attemptOf(attemptHeader: AttemptHead, now: number, outcome: Posted): Attempt {
  return {
    ...attemptHeader,
    ended_at: now,
    status: "status" in outcome ? outcome.status : null,
    failure: "failure" in outcome ? outcome.failure : null,
    message: "failure" in outcome ? outcome.message : null,
    reply: "status" in outcome ? outcome.reply : null,
    redirects: (outcome.redirects ?? []).map((url) => maskedUrl(url)),
    wall_ms: outcome.wall_ms ?? 0,
  };
}
