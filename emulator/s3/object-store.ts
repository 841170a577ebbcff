import type { Cause } from "../kernel/commit.ts";
import type { ObjectFiles } from "../storage/objects/object-files.ts";
import { type AccessRequest, refOf } from "../subjects/object-storage/authorisation.ts";
import type { Delays } from "../subjects/object-storage/delays.ts";
import type { TriggerS3Fault } from "../subjects/object-storage/faults.ts";
import type { Runners, World } from "../subjects/turn.ts";

/** One world's object store, as its server and its client use it. */
export interface ObjectStore {
  readonly world: World;
  readonly files: ObjectFiles;
  readonly delays: Delays;
  readonly triggerFault: TriggerS3Fault;
}

/** What a deleted bucket has left on disk is removed after the turn that has deleted it. */
export function objectStorageEffects(files: ObjectFiles): Runners<"object_storage.remove_files"> {
  return {
    async "object_storage.remove_files"({ data: { bucket, upload_ids } }) {
      for (const uploadId of upload_ids) files.removeUpload(uploadId);
      await files.removeBucket(bucket);
      return { removed: true };
    },
  };
}

/** The cause under which a request's turns stand in the journal. */
export function causeOf(claim: AccessRequest): Cause {
  const { op, access_key_id } = claim;
  return { type: "object_storage", name: op, ref: refOf(claim), detail: { access_key_id } };
}
