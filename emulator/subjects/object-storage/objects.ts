import type { Reader, Turn } from "../turn.ts";
import { type AccessRequest, authorise } from "./authorisation.ts";
import { type S3Failure, s3Failure } from "./errors.ts";
import { type ObjectHeaders, objectId, objects, type StoredBody, type StoredObject } from "./records.ts";

/** The condition of a write (`If-None-Match: *`, `If-Match`). */
export interface WriteCondition {
  readonly absent?: boolean;
  /** Without quotes; `*` for any. */
  readonly etag?: string;
}

/** The condition of a deletion; a missing object meets every condition. */
export interface DeleteCondition extends Pick<WriteCondition, "etag"> {
  readonly size?: number;
  /** In whole seconds, as in headers. */
  readonly lastModifiedSeconds?: number;
}

/** The error of a write whose condition does not hold now. */
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
  if (matchesEtag(condition.etag, present)) return undefined;
  return s3Failure("PreconditionFailed", undefined, { Condition: "If-Match" });
}

function matchesEtag(expected: string | undefined, { etag }: StoredObject): boolean {
  return expected === undefined || expected === "*" || expected === etag;
}

/** The headers of a new object and its body on disk. */
export interface NewObject extends ObjectHeaders, StoredBody {
  readonly checksum_type: StoredObject["checksum_type"];
  readonly parts?: StoredObject["parts"];
}

/** Stores an object whose body is on disk, if the caller and the condition are still valid. */
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

/** Stores the record and drops the body that it replaces; the caller has checked the permission. */
export function putObject(
  turn: Turn,
  { bucket, key }: Pick<AccessRequest, "bucket" | "key">,
  body: NewObject,
): StoredObject {
  const earlier = turn.get(objects, objectId(bucket, key));
  const object: StoredObject = {
    bucket,
    key,
    ...body,
    headers: oneIfEmpty(body.headers),
    metadata: oneIfEmpty(body.metadata),
    checksums: oneIfEmpty(body.checksums),
    last_modified: turn.now,
  };
  turn.put(objects, object);
  turn.ports.bodies.keep(body.file, { bucket, key });
  if (earlier) turn.ports.bodies.drop([earlier.file]);
  return object;
}

const EMPTY = Object.freeze({});

/** Most objects have no headers, metadata and checksums: empty records of its own would take 150 bytes of each. */
function oneIfEmpty<T extends object>(record: T): T {
  return Object.keys(record).length === 0 ? (EMPTY as T) : record;
}

export interface Deletion {
  readonly key: string;
  readonly condition?: DeleteCondition;
}

/** Removes the objects whose conditions hold, and ignores keys without an object. Returns the deletions whose condition failed. */
export function removeObjects(
  turn: Turn,
  access: AccessRequest,
  deletions: readonly Deletion[],
): S3Failure | ReadonlyMap<Deletion, S3Failure> {
  const error = authorise(turn, access);
  if (error) return error;
  const failures = new Map<Deletion, S3Failure>();
  for (const deletion of deletions) {
    const id = objectId(access.bucket, deletion.key);
    const object = turn.get(objects, id);
    const failure = object && deletionError(object, deletion.condition ?? {});
    if (failure) failures.set(deletion, failure);
    else if (object) {
      turn.remove(objects, id);
      turn.ports.bodies.drop([object.file], { bucket: access.bucket, key: deletion.key });
    }
  }
  return failures;
}

function deletionError(
  object: StoredObject,
  { etag, size, lastModifiedSeconds }: DeleteCondition,
): S3Failure | undefined {
  const failure = (Condition: string) => s3Failure("PreconditionFailed", undefined, { Condition });
  if (!matchesEtag(etag, object)) return failure("If-Match");
  if (size !== undefined && size !== object.size) return failure("x-amz-if-match-size");
  const seconds = Math.floor(object.last_modified / 1000);
  if (lastModifiedSeconds === undefined || lastModifiedSeconds === seconds) return undefined;
  return failure("x-amz-if-match-last-modified-time");
}
