import { durationMs } from "../../kernel/duration.ts";
import type { WebhookFault } from "../webhooks/events.ts";
import { maskedUrl } from "../webhooks/mask.ts";
import { type Target, unhandled } from "./target.ts";

/** A webhook that is about to be sent. */
export interface WebhookOccasion {
  readonly url: string;
  readonly run_id: string;
}

export const WEBHOOK: Target<"webhook", WebhookOccasion, WebhookFault> = {
  facts: ({ url, run_id }) => ({ url, run_id }),
  // The query may contain the receiver's secret token (§5-4).
  journalFacts: ({ url, run_id }) => ({ url: maskedUrl(url).replace(/\?.*$/s, ""), run_id }),
  apply(_turn, { id, then }) {
    const unchanged = { duplicates: 0, delayMs: 0, simulatedResult: null };
    if ("drop" in then) return { ...unchanged, droppedBy: id };
    const delayed = { ...unchanged, delayMs: then.delay === undefined ? 0 : durationMs(then.delay) };
    if ("duplicate" in then) return { ...delayed, duplicates: then.duplicate };
    if ("refuse" in then) return { ...delayed, simulatedResult: "refused" };
    if ("status" in then) return { ...delayed, simulatedResult: { status: then.status } };
    return "delay" in then ? delayed : unhandled("webhook", then);
  },
};
