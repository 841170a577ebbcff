import type { Cause } from "../kernel/commit.ts";
import type { Bodies } from "../storage/objects/bodies.ts";
import type { ObjectPlace } from "../storage/objects/exported-name.ts";
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

/** One world's object store, as its server and its client use it. */
export interface ObjectStore {
  readonly world: World;
  readonly files: Bodies;
  readonly delays: Delays;
  readonly triggerFault: TriggerS3Fault;
}

/** What a deleted bucket has left on disk is removed after the turn that has deleted it. */
export function objectStorageEffects(bodies: Bodies): Runners<"object_storage.remove_files"> {
  return {
    async "object_storage.remove_files"({ data: { bucket, files } }) {
      bodies.removeBucketCopy(bucket);
      bodies.drop(files);
      return { removed: true };
    },
  };
}

/** What a body is of: an object, or a part of an upload. */
export type BodyPlace = ObjectPlace | { readonly uploadId: string; readonly partNumber: number };

/** Keeps a body that is written, in one turn; the one whose place it takes goes. */
export function publishBody<R>(
  { world, files }: ObjectStore,
  stage: BodyStage,
  { claim, place }: { readonly claim: AccessRequest; readonly place: BodyPlace },
  act: (turn: Turn, body: BodyFile) => S3Failure | R,
): S3Failure | R {
  const isObject = "key" in place;
  const replaced = isObject
    ? world.reader.get(objects, objectId(place.bucket, place.key))
    : world.reader.get(s3Parts, partId(place.uploadId, place.partNumber));
  const value = files.publish(stage, isObject ? place : undefined, (body) =>
    world.turn(causeOf(claim), (turn) => act(turn, body)),
  );
  if (replaced && !isS3Failure(value)) files.drop([replaced.file]);
  return value;
}

/** Right behind the turn that removed the records. */
export function dropObjects({ files }: ObjectStore, removed: readonly StoredObject[]): void {
  for (const { file, bucket, key } of removed) files.drop([file], { bucket, key });
}

/** The cause under which a request's turns stand in the journal. */
export function causeOf(claim: AccessRequest): Cause {
  const { op, access_key_id } = claim;
  return { type: "object_storage", name: op, ref: refOf(claim), detail: { access_key_id } };
}
