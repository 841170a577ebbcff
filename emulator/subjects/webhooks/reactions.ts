import type { Reaction } from "../turn.ts";
import { onDue, onPosted } from "./attempt.ts";

/** What deliveries wait for, by kind of event. */
export const WEBHOOK_REACTIONS: Readonly<Record<string, Reaction>> = {
  "webhook.due": onDue,
  "webhook.posted": onPosted,
};
