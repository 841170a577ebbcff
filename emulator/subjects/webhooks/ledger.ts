import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { passedBy, policyOf } from "./policy.ts";
import { DELIVERIES, type Delivery, type DeliveryStatus } from "./records.ts";

type DeliveryInput = Pick<
  Delivery,
  "region" | "tenant_id" | "run_id" | "thread_id" | "run_status" | "url" | "redelivery_of"
> & { readonly payload: string };

/** Adds a delivery to the ledger, before its first attempt. */
export function openDelivery(turn: Turn, input: DeliveryInput): Delivery {
  const passed_by = passedBy(policyOf(turn.ports.settings), input.url);
  const delivery: Delivery = {
    id: turn.nextId("webhook_delivery"),
    ...input,
    passed_by,
    payload_bytes: new TextEncoder().encode(input.payload).length,
    status: "pending",
    reason: null,
    created_at: turn.now,
    ended_at: null,
    current_attempt: 1,
    attempts: [],
  };
  turn.put(DELIVERIES, delivery);
  if (passed_by) turn.note("webhook.test_receiver", input.run_id, { delivery: delivery.id, passed_by });
  return delivery;
}

/**
 * Records the end of a delivery. Drops its payload above `limits.webhook_payload_bytes` and the oldest deliveries
 * above `limits.webhook_ledger`.
 */
export function closeDelivery(
  turn: Turn,
  delivery: Delivery,
  status: Exclude<DeliveryStatus, "pending">,
  reason: string | null,
): void {
  const { webhook_ledger, webhook_payload_bytes } = turn.ports.settings.limits;
  const payload = delivery.payload_bytes > webhook_payload_bytes ? null : delivery.payload;
  turn.put(DELIVERIES, { ...delivery, payload, status, reason, ended_at: turn.now });
  turn.note(`webhook.${status}`, delivery.run_id, {
    delivery: delivery.id,
    ...(reason !== null && { reason }),
  });
  const excess = turn.count(DELIVERIES, "ended") - webhook_ledger;
  if (excess <= 0) return;
  for (const { id } of [...turn.list(DELIVERIES, "ended")].slice(0, excess)) turn.remove(DELIVERIES, id);
}

/** The delivery with this id. Throws a `Refusal` (404). */
export function deliveryById(reader: Reader, id: string): Delivery {
  const delivery = reader.get(DELIVERIES, id.toLowerCase());
  if (delivery) return delivery;
  throw new Refusal(
    404,
    "no_such_delivery",
    `No delivery has the id ${id}.`,
    "GET /_emulator/v1/webhooks/deliveries lists them; limits.webhook_ledger sets how many are retained.",
  );
}

/** Deliveries in order of creation, of one run if given. */
export function listDeliveries(reader: Reader, runId?: string): readonly Delivery[] {
  return [...reader.list(DELIVERIES)].filter(
    ({ run_id }) => runId === undefined || run_id === runId.toLowerCase(),
  );
}
