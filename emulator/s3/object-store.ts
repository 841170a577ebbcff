import type { Cause } from "../kernel/commit.ts";
import type { Bodies } from "../storage/objects/bodies.ts";
import type { ObjectPlace } from "../storage/objects/exported-files.ts";
import type { BodyStage } from "../storage/objects/stage.ts";
import { type AccessRequest, refOf } from "../subjects/object-storage/authorisation.ts";
import type { Delays } from "../subjects/object-storage/delays.ts";
import { isS3Failure, type S3Failure } from "../subjects/object-storage/errors.ts";
import type { TriggerS3Fault } from "../subjects/object-storage/faults.ts";
import {
  type BodyFile,
  objectId,
  objects,
  partId,
  type StoredObject,
  s3Parts,
} from "../subjects/object-storage/records.ts";
import type { Runners, Turn, World } from "../subjects/turn.ts";

/** The object store of a world, for its server and its client. */
export interface ObjectStore {
  readonly world: World;
  readonly files: Bodies;
  readonly delays: Delays;
  readonly triggerFault: TriggerS3Fault;
}

/** Removes the files of a deleted bucket after the turn that deleted it. */
export function objectStorageEffects(bodies: Bodies): Runners<"object_storage.remove_files"> {
  return {
    async "object_storage.remove_files"({ data: { bucket, files } }) {
      bodies.mirror.removeBucket(bucket);
      bodies.drop(files);
      return { removed: true };
    },
  };
}

/** The owner of a body: an object, or a part of an upload. */
export type BodyOwner = ObjectPlace | { readonly uploadId: string; readonly partNumber: number };

/** Names a written body in a record, in one turn, and removes the body that it replaces. */
export function publishBody<R>(
  { world, files }: ObjectStore,
  stage: BodyStage,
  { claim, owner }: { readonly claim: AccessRequest; readonly owner: BodyOwner },
  act: (turn: Turn, body: BodyFile) => S3Failure | R,
): S3Failure | R {
  const isObject = "key" in owner;
  const earlier = isObject
    ? world.reader.get(objects, objectId(owner.bucket, owner.key))
    : world.reader.get(s3Parts, partId(owner.uploadId, owner.partNumber));
  const value = files.publish(stage, isObject ? owner : undefined, (body) =>
    world.turn(causeOf(claim), (turn) => act(turn, body)),
  );
  if (earlier && !isS3Failure(value)) files.drop([earlier.file]);
  return value;
}

/** Removes the bodies of removed objects. Call it directly after the turn that removed the records. */
export function dropObjects({ files }: ObjectStore, objects: readonly StoredObject[]): void {
  for (const { file, bucket, key } of objects) files.drop([file], { bucket, key });
}

/** The cause of a request's turns in the journal. */
export function causeOf(claim: AccessRequest): Cause {
  const { op, access_key_id } = claim;
  return { type: "object_storage", name: op, ref: refOf(claim), detail: { access_key_id } };
}
