import type { Instant } from "../../kernel/instant.ts";
import type { Workspace } from "../workspace.ts";

/** What `webhook.post` is told. */
export interface WebhookPost extends Workspace {
  readonly url: string;
  readonly payload: string;
  readonly attempt: number;
  readonly copy: number;
  readonly started_at: Instant;
}

/** What can go wrong before a receiver has answered. */
export type PostFailure = "network" | "timeout" | "policy" | "redirects" | "interrupted";

/** What came of one attempt. */
export type Posted = { readonly redirects?: readonly string[]; readonly wall_ms?: number } & (
  | { readonly status: number; readonly reply: string }
  | { readonly failure: PostFailure; readonly message: string }
);

/** What a fault of the webhook plane does to a delivery. */
export interface WebhookFault {
  /** Never sent, and nobody is told. */
  readonly drop: boolean;
  /** Further copies to send. */
  readonly duplicates: number;
  readonly delayMs: number;
  /** The receiver is not called; this is what comes of it instead. */
  readonly simulatedResult: "refused" | { readonly status: number } | null;
}

export type WebhookEvents = {
  /** An attempt is due, or the one that a fault has delayed goes on. */
  readonly "webhook.due": { readonly attempt: number; readonly fault?: WebhookFault };
};

export type WebhookEffects = {
  readonly "webhook.post": { readonly data: WebhookPost; readonly result: Posted };
};
