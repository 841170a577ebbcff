import type { FaultPlane } from "../../../contracts/spec/faults.ts";
import type { S3Fault, TriggerS3Fault } from "../object-storage/faults.ts";
import type { Turn } from "../turn.ts";
import type { WebhookFault } from "../webhooks/events.ts";
import { HTTP, type HttpFault, type HttpOccasion } from "./http.ts";
import type { Plane } from "./plane.ts";
import { S3, type S3Occasion } from "./s3.ts";
import { trigger } from "./trigger.ts";
import { WEBHOOK, type WebhookOccasion } from "./webhook.ts";
import { WORKER, type WorkerFault, type WorkerOccasion } from "./worker.ts";

/** What a fault of each plane can hit. */
interface Occasions {
  readonly worker: WorkerOccasion;
  readonly s3: S3Occasion;
  readonly http: HttpOccasion;
  readonly webhook: WebhookOccasion;
}

/** What it then does. */
interface Outcomes {
  readonly worker: WorkerFault;
  readonly s3: S3Fault;
  readonly http: HttpFault;
  readonly webhook: WebhookFault;
}

/** A plane that nothing applies does not compile. */
const PLANES: { readonly [Name in FaultPlane]: Plane<Name, Occasions[Name], Outcomes[Name]> } = {
  worker: WORKER,
  s3: S3,
  http: HTTP,
  webhook: WEBHOOK,
};

/** The action of the triggered fault, if any, for the caller to carry out; counts the occasion (§7). */
export function hit<Name extends FaultPlane>(
  turn: Turn,
  name: Name,
  occasion: Occasions[Name],
): Outcomes[Name] | undefined {
  const plane: Plane<Name, Occasions[Name], Outcomes[Name]> = PLANES[name];
  const rule = trigger(turn, name, plane.facts(occasion), plane.shown?.(occasion));
  return rule && plane.apply(turn, rule, occasion);
}

/** The s3 plane, as the object store is given it. */
export const triggerS3Fault: TriggerS3Fault = (turn, request) => hit(turn, "s3", request);
