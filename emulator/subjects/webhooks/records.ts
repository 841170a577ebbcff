import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Workspace } from "../workspace.ts";

/** A delivery starts as `pending`; all other statuses are final. */
export const DELIVERY_STATUSES = [
  "pending",
  "delivered",
  "failed",
  "refused",
  "dropped",
  "disabled",
] as const;

/**
 * `failed`: no attempt was accepted; `refused`: the policy refused the URL; `dropped`: a fault dropped it;
 * `disabled`: webhooks are off.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one run's webhook. */
export interface Delivery extends Workspace {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly run_status: string;
  /** Contains secrets (§5-4): mask before showing. */
  readonly url: string;
  /** The exact payload; null after the end when it was too long to keep. */
  readonly payload: string | null;
  readonly payload_bytes: number;
  readonly status: DeliveryStatus;
  /** The reason of a final status other than `delivered`. */
  readonly reason: string | null;
  /** The setting of ours without which §6.1 would have refused the URL; null if none was needed (6.1-11). */
  readonly passed_by: string | null;
  readonly redelivery_of: string | null;
  /** The fault that dropped it. */
  readonly dropped_by?: string;
  readonly created_at: Instant;
  readonly ended_at: Instant | null;
  /** The number of the pending or scheduled attempt. */
  readonly current_attempt: number;
  readonly attempts: readonly Attempt[];
}

/** One attempt of a delivery, with the receiver's reply or the failure. */
export interface Attempt {
  readonly number: number;
  /** Above 0 for an additional copy caused by a fault. */
  readonly copy: number;
  readonly started_at: Instant;
  readonly ended_at: Instant;
  readonly status: number | null;
  /** The failure of an attempt without a reply. */
  readonly failure: string | null;
  readonly message: string | null;
  /** The beginning of the reply's body. */
  readonly reply: string | null;
  readonly redirects: readonly string[];
  readonly wall_ms: number;
  /** True when a fault simulated the result. */
  readonly faked: boolean;
}

/** Grouped into pending and ended deliveries, which have separate limits. */
export const DELIVERIES = collection<Delivery>(
  "webhook_deliveries",
  (delivery) => delivery.id,
  ({ status }) => (status === "pending" ? "pending" : "ended"),
);

/** A request received by the built-in receiver. */
export interface InboxMessage {
  readonly id: string;
  readonly inbox: string;
  readonly received_at: Instant;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly body_cut: boolean;
}

/** Messages by inbox, oldest first. */
export const INBOX = collection<InboxMessage>(
  "webhook_inbox",
  (message) => message.id,
  (message) => message.inbox,
);

/** Names of inboxes in order of their first message; their number is limited. */
export const INBOX_NAMES = collection<{ readonly name: string }>("webhook_inbox_names", ({ name }) => name);
