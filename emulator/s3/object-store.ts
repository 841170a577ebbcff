import type { Cause } from "../kernel/commit.ts";
import type { Bodies } from "../storage/objects/bodies.ts";
import { type AccessRequest, refOf } from "../subjects/object-storage/authorisation.ts";
import type { Delays } from "../subjects/object-storage/delays.ts";
import type { TriggerS3Fault } from "../subjects/object-storage/faults.ts";
import type { World } from "../subjects/turn.ts";

/** The object store of a world, for its server and its client. */
export interface ObjectStore {
  readonly world: World;
  readonly files: Bodies;
  readonly delays: Delays;
  readonly triggerFault: TriggerS3Fault;
}

/** The cause of a request's turns in the journal. */
export function causeOf(claim: AccessRequest): Cause {
  const { op, access_key_id } = claim;
  return { type: "object_storage", name: op, ref: refOf(claim), detail: { access_key_id } };
}
