import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import type { S3Fault, TriggerS3Fault } from "../object-storage/faults.ts";
import type { Turn } from "../turn.ts";
import type { WebhookFault } from "../webhooks/events.ts";
import { HTTP, type HttpFault, type HttpOccasion } from "./http.ts";
import { S3, type S3Occasion } from "./s3.ts";
import type { Target } from "./target.ts";
import { trigger } from "./trigger.ts";
import { WEBHOOK, type WebhookOccasion } from "./webhook.ts";
import { WORKER, type WorkerFault, type WorkerOccasion } from "./worker.ts";

/** The occasions on which a fault of each target can trigger. */
interface Occasions {
  readonly worker: WorkerOccasion;
  readonly s3: S3Occasion;
  readonly http: HttpOccasion;
  readonly webhook: WebhookOccasion;
}

/** What the triggered fault does. */
interface Outcomes {
  readonly worker: WorkerFault;
  readonly s3: S3Fault;
  readonly http: HttpFault;
  readonly webhook: WebhookFault;
}

/** A target that nothing applies does not compile. */
const TARGETS: { readonly [Name in FaultTarget]: Target<Name, Occasions[Name], Outcomes[Name]> } = {
  worker: WORKER,
  s3: S3,
  http: HTTP,
  webhook: WEBHOOK,
};

/** The action of the triggered fault, if any, for the caller to carry out; counts the occasion (§7). */
export function triggerFault<Name extends FaultTarget>(
  turn: Turn,
  name: Name,
  occasion: Occasions[Name],
): Outcomes[Name] | undefined {
  const target: Target<Name, Occasions[Name], Outcomes[Name]> = TARGETS[name];
  const rule = trigger(turn, name, target.facts(occasion), target.journalFacts?.(occasion));
  return rule && target.apply(turn, rule, occasion);
}

/** Triggers faults of the s3 target; the object store receives this function. */
export const triggerS3Fault: TriggerS3Fault = (turn, request) => triggerFault(turn, "s3", request);
