import { durationMs } from "../../kernel/duration.ts";
import type { Turn } from "../turn.ts";
import type { WebhookFault } from "../webhooks/events.ts";
import { maskedUrl } from "../webhooks/mask.ts";
import { trigger } from "./trigger.ts";
import { unhandled } from "./unhandled.ts";

/** A webhook that is about to be sent. */
export interface WebhookFaultContext {
  readonly url: string;
  readonly run_id: string;
}

/** The fault, if any, that strikes this delivery. */
export function triggerWebhookFault(
  turn: Turn,
  { url, run_id }: WebhookFaultContext,
): WebhookFault | undefined {
  // What follows the path may be the receiver's secret token (§5-4).
  const shown = { url: maskedUrl(url).replace(/\?.*$/s, ""), run_id };
  const rule = trigger(turn, "webhook", { url, run_id }, shown);
  if (!rule) return undefined;
  const { then } = rule;
  const sent = { drop: false, duplicates: 0, delayMs: 0, simulatedResult: null };
  if ("drop" in then) return { ...sent, drop: true };
  const delayed = { ...sent, delayMs: then.delay === undefined ? 0 : durationMs(then.delay) };
  if ("duplicate" in then) return { ...delayed, duplicates: then.duplicate };
  if ("refuse" in then) return { ...delayed, simulatedResult: "refused" };
  if ("status" in then) return { ...delayed, simulatedResult: { status: then.status } };
  return "delay" in then ? delayed : unhandled("webhook", then);
}
