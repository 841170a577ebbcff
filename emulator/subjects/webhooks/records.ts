import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Workspace } from "../workspace.ts";

/** Every delivery begins as pending; each of the others is its end. */
export const DELIVERY_STATUSES = [
  "pending",
  "delivered",
  "failed",
  "refused",
  "dropped",
  "disabled",
] as const;

/**
 * `failed`: no attempt was accepted; `refused`: the policy did not let it out; `dropped`: a fault swallowed it;
 * `disabled`: webhooks are off.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One webhook of one run on its way, and what became of it. */
export interface Delivery extends Workspace {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly run_status: string;
  /** With its secret token (§5-4): never shown as it is. */
  readonly url: string;
  /** Exactly what is sent; null when it is too long to be kept after the end. */
  readonly payload: string | null;
  readonly payload_bytes: number;
  readonly status: DeliveryStatus;
  /** Why it ended as it did. */
  readonly reason: string | null;
  readonly redelivery_of: string | null;
  readonly created_at: Instant;
  readonly ended_at: Instant | null;
  /** The number of the attempt that is under way or due. */
  readonly current_attempt: number;
  readonly attempts: readonly Attempt[];
}

/** One attempt at a delivery, with what the receiver answered or what went wrong. */
export interface Attempt {
  readonly number: number;
  /** Above 0 for a further copy that a fault made. */
  readonly copy: number;
  readonly started_at: Instant;
  readonly ended_at: Instant;
  readonly status: number | null;
  /** What went wrong before there was an answer. */
  readonly failure: string | null;
  readonly message: string | null;
  /** The beginning of the answer's body. */
  readonly reply: string | null;
  readonly redirects: readonly string[];
  readonly wall_ms: number;
  /** True where a fault answered instead of the receiver. */
  readonly faked: boolean;
}

/** Pending ones apart from those that have ended: each kind has a bound of its own. */
export const DELIVERIES = collection<Delivery>(
  "webhook_deliveries",
  (delivery) => delivery.id,
  ({ status }) => (status === "pending" ? "pending" : "ended"),
);

/** A request that the built-in receiver took. */
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

/** Names of inboxes in the order of their first message: how many there are has a bound too. */
export const INBOX_NAMES = collection<{ readonly name: string }>("webhook_inbox_names", ({ name }) => name);
