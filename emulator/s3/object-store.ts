import type { Cause } from "../kernel/commit.ts";
import type { EffectRunner } from "../kernel/world.ts";
import type { ObjectFiles } from "../storage/objects/object-files.ts";
import { type AccessRequest, refOf } from "../subjects/object-storage/authorisation.ts";
import { FILES_REMOVED, REMOVE_FILES } from "../subjects/object-storage/buckets.ts";
import { DELAY_OVER, type Delays } from "../subjects/object-storage/delays.ts";
import type { TriggerS3Fault } from "../subjects/object-storage/faults.ts";
import type { Reaction, World } from "../subjects/turn.ts";

/** One world's object store, as its server and its client use it. */
export interface ObjectStore {
  readonly world: World;
  readonly files: ObjectFiles;
  readonly delays: Delays;
  readonly triggerFault: TriggerS3Fault;
}

/** What a world needs to hold an object store. */
export function objectStorageParts(
  files: ObjectFiles,
  delays: Delays,
): {
  readonly reactions: Readonly<Record<string, Reaction>>;
  readonly effects: Readonly<Record<string, EffectRunner>>;
} {
  return {
    reactions: { [DELAY_OVER]: delays.onDelayOver, [FILES_REMOVED]: () => undefined },
    effects: {
      async [REMOVE_FILES]({ data }) {
        for (const uploadId of data.upload_ids as string[]) files.removeUpload(uploadId);
        await files.removeBucket(String(data.bucket));
        return { removed: true };
      },
    },
  };
}

/** The cause under which a request's turns stand in the journal. */
export function causeOf(claim: AccessRequest): Cause {
  const { op, access_key_id } = claim;
  return { type: "object_storage", name: op, ref: refOf(claim), detail: { access_key_id } };
}
