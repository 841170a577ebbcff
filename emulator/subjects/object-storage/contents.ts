import { formatInstant } from "../../kernel/instant.ts";
import { nearest } from "../../kernel/nearest.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader } from "../turn.ts";
import { requireBucket } from "./buckets.ts";
import { type ListingRequest, listKeys } from "./listing.ts";
import { objectId, objects, type StoredObject } from "./records.ts";

/** A page of the objects of a bucket, by key in the order of UTF-8 bytes. */
export interface ObjectList {
  readonly objects: readonly ReturnType<typeof viewObject>[];
  /** Common prefixes up to the delimiter, if one was requested. */
  readonly prefixes: readonly string[];
  /** Whether more objects follow. */
  readonly truncated: boolean;
  /** The number of all keys below the prefix. */
  readonly total: number;
  /** The number of those that contain the text. */
  readonly matching: number;
}

/** `GET /s3/buckets/{name}/objects`; only keys that contain `text`, whatever the case. */
export function listObjects(
  reader: Reader,
  bucket: string,
  request: ListingRequest,
  text: string,
): ObjectList {
  requireBucket(reader, bucket);
  const below = [...keysOf(reader, bucket)].filter((key) => key.startsWith(request.prefix));
  const needle = text.toLowerCase();
  const matches = needle === "" ? below : below.filter((key) => key.toLowerCase().includes(needle));
  const { keys, common_prefixes, is_truncated } = listKeys(matches, request);
  return {
    objects: keys.map((key) => viewObject(objectAt(reader, bucket, key))),
    prefixes: common_prefixes,
    truncated: is_truncated,
    total: below.length,
    matching: matches.length,
  };
}

/** The object of a key. Throws a `Refusal` (404) if it does not exist. */
export function objectAt(reader: Reader, bucket: string, key: string): StoredObject {
  requireBucket(reader, bucket);
  const object = reader.get(objects, objectId(bucket, key));
  if (object) return object;
  const similarKey = nearest(key, keysOf(reader, bucket));
  const hint = similarKey
    ? `Did you mean ${similarKey}?`
    : `List the objects with GET /_emulator/v1/s3/buckets/${bucket}/objects.`;
  throw new Refusal(
    404,
    "no_such_object",
    `Object ${JSON.stringify(key)} does not exist in bucket ${bucket}.`,
    hint,
  );
}

function* keysOf(reader: Reader, bucket: string): Generator<string> {
  for (const { key } of reader.list(objects, bucket)) yield key;
}

/** An object in the control API. */
function viewObject({ key, size, etag, content_type, last_modified }: StoredObject) {
  return { key, size, etag, content_type, last_modified: formatInstant(last_modified) };
}
