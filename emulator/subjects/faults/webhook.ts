import type { ThenOf } from "../../../contracts/spec/faults.ts";
import { parseDuration } from "../../kernel/duration.ts";
import type { Turn } from "../turn.ts";
import type { WebhookFault } from "../webhooks/events.ts";
import { maskedUrl } from "../webhooks/mask.ts";
import { trigger } from "./trigger.ts";

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
  const { drop, duplicate = 0, delay, refuse, status }: ThenOf<"webhook"> = rule.then;
  return {
    drop: drop === true,
    duplicates: duplicate,
    delayMs: delay === undefined ? 0 : (parseDuration(delay) as number),
    simulatedResult: refuse ? "refused" : status === undefined ? null : { status },
  };
}
