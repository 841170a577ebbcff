import { formatInstant } from "../../kernel/instant.ts";
import { nearest } from "../../kernel/nearest.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader } from "../turn.ts";
import { requireBucket } from "./buckets.ts";
import { type ListingRequest, listKeys } from "./listing.ts";
import { objectId, objects, type StoredObject } from "./records.ts";

/** An object as the control API shows it. */
interface ObjectView extends Pick<StoredObject, "key" | "size" | "etag" | "content_type"> {
  readonly last_modified: string;
}

/** A page of the objects of a bucket, by key in the order of UTF-8 bytes. */
export interface ObjectList {
  readonly objects: readonly ObjectView[];
  /** Up to the next delimiter, where one is asked for. */
  readonly prefixes: readonly string[];
  /** Whether more follow the last one. */
  readonly truncated: boolean;
}

/** `GET /s3/buckets/{name}/objects`. */
export function listObjects(reader: Reader, bucket: string, request: ListingRequest): ObjectList {
  requireBucket(reader, bucket);
  const { keys, common_prefixes, is_truncated } = listKeys(keysOf(reader, bucket), request);
  return {
    objects: keys.map((key) => viewObject(objectAt(reader, bucket, key))),
    prefixes: common_prefixes,
    truncated: is_truncated,
  };
}

/** The object of a key. Throws a `Refusal` (404) when there is none. */
export function objectAt(reader: Reader, bucket: string, key: string): StoredObject {
  requireBucket(reader, bucket);
  const found = reader.get(objects, objectId(bucket, key));
  if (found) return found;
  const meant = nearest(key, keysOf(reader, bucket));
  const hint = meant
    ? `Did you mean ${meant}?`
    : `GET /_emulator/v1/s3/buckets/${bucket}/objects lists them.`;
  throw new Refusal(
    404,
    "no_such_object",
    `The bucket ${bucket} has no object ${JSON.stringify(key)}.`,
    hint,
  );
}

function* keysOf(reader: Reader, bucket: string): Generator<string> {
  for (const { key } of reader.list(objects, bucket)) yield key;
}

function viewObject({ key, size, etag, content_type, last_modified }: StoredObject): ObjectView {
  return { key, size, etag, content_type, last_modified: formatInstant(last_modified) };
}
