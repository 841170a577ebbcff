import type { Instant } from "../../kernel/instant.ts";
import type { Workspace } from "../workspace.ts";

/** Input of `webhook.post`. */
export interface WebhookPost extends Workspace {
  readonly url: string;
  readonly payload: string;
  readonly attempt: number;
  readonly copy: number;
  readonly started_at: Instant;
}

/** Why an attempt has no final reply. */
export type PostFailure = "network" | "timeout" | "policy" | "redirects" | "interrupted";

/** The result of one attempt. */
export type Posted = { readonly redirects?: readonly string[]; readonly wall_ms?: number } & (
  | { readonly status: number; readonly reply: string }
  | { readonly failure: PostFailure; readonly message: string }
);

/** The effect of a fault of the webhook target on a delivery. */
export interface WebhookFault {
  /** The rule because of which the webhook is not sent. */
  readonly droppedBy?: string;
  /** Number of additional copies. */
  readonly duplicates: number;
  readonly delayMs: number;
  /** Result of the attempt without calling the receiver. */
  readonly simulatedResult: "refused" | { readonly status: number } | null;
}

export type WebhookEvents = {
  /** A retry is due, or an attempt delayed by a fault continues. */
  readonly "webhook.due": { readonly attempt: number; readonly fault?: WebhookFault };
};

export type WebhookEffects = {
  readonly "webhook.post": { readonly data: WebhookPost; readonly result: Posted };
};
