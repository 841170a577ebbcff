import type { Reader, Turn } from "../turn.ts";
import { type AccessRequest, authorise } from "./authorisation.ts";
import { type S3Failure, s3Failure } from "./errors.ts";
import { type ObjectHeaders, objectId, objects, type StoredBody, type StoredObject } from "./records.ts";

/** On what a write depends (`If-None-Match: *`, `If-Match`). */
export interface WriteCondition {
  readonly absent?: boolean;
  /** Without quotes. */
  readonly etag?: string;
}

/** The trouble with a write's condition as things stand. */
export function conditionError(
  reader: Reader,
  { bucket, key }: Pick<AccessRequest, "bucket" | "key">,
  condition: WriteCondition,
): S3Failure | undefined {
  const present = reader.get(objects, objectId(bucket, key));
  if (condition.absent && present) {
    return s3Failure("PreconditionFailed", undefined, { Condition: "If-None-Match" });
  }
  if (condition.etag === undefined) return undefined;
  if (!present) return s3Failure("NoSuchKey", undefined, { Key: key });
  if (condition.etag === present.etag) return undefined;
  return s3Failure("PreconditionFailed", undefined, { Condition: "If-Match" });
}

/** What an object is made of: its headers and its body on disk. */
export interface NewObject extends ObjectHeaders, StoredBody {
  readonly checksum_type: StoredObject["checksum_type"];
}

/** Stores an object whose body is on disk, unless something has changed in the meantime. */
export function storeObject(
  turn: Turn,
  access: AccessRequest,
  body: NewObject,
  condition: WriteCondition = {},
): S3Failure | StoredObject {
  const error = authorise(turn, access) ?? conditionError(turn, access, condition);
  if (error) return error;
  return putObject(turn, access, body);
}

/** Puts the record; the caller has asked whether it may. */
export function putObject(
  turn: Turn,
  { bucket, key }: Pick<AccessRequest, "bucket" | "key">,
  body: NewObject,
): StoredObject {
  const object: StoredObject = { bucket, key, ...body, last_modified: turn.now };
  turn.put(objects, object);
  return object;
}

/** Removes existing objects; returns their records, so that their files can be removed. */
export function removeObjects(
  turn: Turn,
  access: AccessRequest,
  keys: readonly string[],
): S3Failure | readonly StoredObject[] {
  const error = authorise(turn, access);
  if (error) return error;
  const removed: StoredObject[] = [];
  for (const key of keys) {
    const id = objectId(access.bucket, key);
    const object = turn.get(objects, id);
    if (!object) continue;
    turn.remove(objects, id);
    removed.push(object);
  }
  return removed;
}
