import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { attemptDelivery } from "./attempt.ts";
import { deliveryById, openDelivery } from "./ledger.ts";
import { DELIVERIES, type Delivery } from "./records.ts";

/** Sends the payload of an ended delivery again, as a new delivery. Throws a `Refusal` (404, 409, 429). */
export function redeliver(turn: Turn, id: string): Delivery {
  const before = deliveryById(turn, id);
  const { webhooks, limits } = turn.ports.settings;
  if (webhooks.disabled)
    throw new Refusal(
      409,
      "webhooks_disabled",
      "Webhooks are switched off.",
      "Unset http.disable_webhooks.",
      "6.1-9",
    );
  if (before.status === "pending")
    throw new Refusal(
      409,
      "pending",
      `Delivery ${before.id} is still under way.`,
      "Advance the clock, or wait.",
    );
  if (before.payload === null)
    throw new Refusal(
      409,
      "payload_gone",
      `The payload of ${before.payload_bytes} bytes was too long to be retained.`,
      "limits.webhook_payload_bytes sets the maximum.",
    );
  if (turn.count(DELIVERIES, "pending") >= limits.webhook_pending)
    throw new Refusal(
      429,
      "too_many_deliveries",
      `${limits.webhook_pending} deliveries are under way, the maximum.`,
      "Advance the clock, or raise limits.webhook_pending.",
    );
  const { region, tenant_id, run_id, thread_id, run_status, url, payload } = before;
  const input = { region, tenant_id, run_id, thread_id, run_status, url, payload, redelivery_of: before.id };
  const delivery = openDelivery(turn, input);
  attemptDelivery(turn, delivery);
  return turn.get(DELIVERIES, delivery.id) ?? delivery;
}
