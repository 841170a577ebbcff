import type { Reader, Turn } from "../turn.ts";
import { authorise, type Claim } from "./admission.ts";
import { type S3Trouble, trouble } from "./errors.ts";
import { type ObjectHeaders, objectId, objects, type StoredBody, type StoredObject } from "./records.ts";

/** On what a write depends (`If-None-Match: *`, `If-Match`). */
export interface WriteCondition {
  readonly absent?: boolean;
  /** Without quotes. */
  readonly etag?: string;
}

/** The trouble with a write's condition as things stand. */
export function conditionTrouble(
  reader: Reader,
  { bucket, key }: Pick<Claim, "bucket" | "key">,
  condition: WriteCondition,
): S3Trouble | undefined {
  const present = reader.get(objects, objectId(bucket, key));
  if (condition.absent && present) {
    return trouble("PreconditionFailed", undefined, { Condition: "If-None-Match" });
  }
  if (condition.etag === undefined) return undefined;
  if (!present) return trouble("NoSuchKey", undefined, { Key: key });
  if (condition.etag === present.etag) return undefined;
  return trouble("PreconditionFailed", undefined, { Condition: "If-Match" });
}

/** What an object is made of: its headers and its body on disk. */
export interface NewObject extends ObjectHeaders, StoredBody {
  readonly checksum_type: StoredObject["checksum_type"];
}

/** Stores an object whose body is on disk, unless something has changed in the meantime. */
export function storeObject(
  turn: Turn,
  claim: Claim,
  made: NewObject,
  condition: WriteCondition = {},
): S3Trouble | StoredObject {
  const no = authorise(turn, claim) ?? conditionTrouble(turn, claim, condition);
  if (no) return no;
  return putObject(turn, claim, made);
}

/** Puts the record; the caller has asked whether it may. */
export function putObject(
  turn: Turn,
  { bucket, key }: Pick<Claim, "bucket" | "key">,
  made: NewObject,
): StoredObject {
  const object: StoredObject = { bucket, key, ...made, last_modified: turn.now };
  turn.put(objects, object);
  return object;
}

/** Removes objects that are there; hands out what they were, so that their files can go. */
export function removeObjects(
  turn: Turn,
  claim: Claim,
  keys: readonly string[],
): S3Trouble | readonly StoredObject[] {
  const no = authorise(turn, claim);
  if (no) return no;
  const removed: StoredObject[] = [];
  for (const key of keys) {
    const id = objectId(claim.bucket, key);
    const object = turn.get(objects, id);
    if (!object) continue;
    turn.remove(objects, id);
    removed.push(object);
  }
  return removed;
}
