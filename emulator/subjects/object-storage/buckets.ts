import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { type S3Failure, s3Failure } from "./errors.ts";
import { forgetFinished } from "./finished-uploads.ts";
import { isBucketName } from "./names.ts";
import { type Bucket, buckets, objects, s3Parts, s3Uploads } from "./records.ts";

/** Creates a bucket, or returns the error. */
export function makeBucket(turn: Turn, name: string, region: string | null): S3Failure | Bucket {
  if (!isBucketName(name)) return s3Failure("InvalidBucketName", undefined, { BucketName: name });
  if (turn.get(buckets, name)) return s3Failure("BucketAlreadyOwnedByYou", undefined, { BucketName: name });
  const bucket: Bucket = { name, region, created_at: turn.now };
  turn.put(buckets, bucket);
  return bucket;
}

/** Creates a bucket that may exist: in the default region, S3 repeats its first reply. */
export function ensureBucket(turn: Turn, name: string, region: string | null): S3Failure | Bucket {
  const existing = turn.get(buckets, name);
  return existing?.region === null && region === null ? existing : makeBucket(turn, name, region);
}

/** Deletes a bucket with its objects, even while in use: users test the loss of a bucket during an export. */
export function deleteBucket(turn: Turn, name: string): boolean {
  if (!turn.get(buckets, name)) return false;
  const files: string[] = [];
  for (const { upload_id } of [...turn.list(s3Uploads, name)]) removeUpload(turn, upload_id);
  for (const object of [...turn.list(objects, name)]) {
    files.push(object.file);
    turn.remove(objects, objects.idOf(object));
  }
  forgetFinished(turn, name);
  turn.remove(buckets, name);
  turn.ports.bodies.dropBucket(name, files);
  return true;
}

/** Deletes a bucket without objects, with its unfinished uploads, or returns the error. */
export function deleteEmptyBucket(turn: Turn, name: string): S3Failure | undefined {
  if (turn.count(objects, name) > 0) return s3Failure("BucketNotEmpty", undefined, { BucketName: name });
  deleteBucket(turn, name);
  return undefined;
}

export function removeUpload(turn: Turn, uploadId: string): void {
  const parts = [...turn.list(s3Parts, uploadId)];
  turn.ports.bodies.drop(parts.map(({ file }) => file));
  for (const part of parts) turn.remove(s3Parts, s3Parts.idOf(part));
  turn.remove(s3Uploads, uploadId);
}

/** A bucket in the control API. */
export interface BucketView extends Omit<Bucket, "created_at"> {
  readonly created_at: string;
  readonly objects: number;
  readonly uploads: number;
}

/** A bucket with the numbers of its objects and unfinished uploads. */
export function viewBucket(reader: Reader, bucket: Bucket): BucketView {
  const { name, region, created_at } = bucket;
  return {
    name,
    region,
    created_at: formatInstant(created_at),
    objects: reader.count(objects, name),
    uploads: reader.count(s3Uploads, name),
  };
}

/** `GET /s3/buckets`, by name. */
export function listBuckets(reader: Reader): readonly BucketView[] {
  const all = [...reader.list(buckets)].map((bucket) => viewBucket(reader, bucket));
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `POST /s3/buckets` */
export function createBucket(turn: Turn, name: string): BucketView {
  const bucket = makeBucket(turn, name, null);
  if (!("error" in bucket)) return viewBucket(turn, bucket);
  if (bucket.error === "InvalidBucketName") {
    const hint = "Use 3 to 63 lower-case letters, digits, hyphens and dots.";
    throw new Refusal(
      422,
      "invalid_bucket_name",
      `${JSON.stringify(name)} is not a valid bucket name.`,
      hint,
    );
  }
  throw new Refusal(409, "bucket_exists", `Bucket ${name} already exists.`);
}

/** `DELETE /s3/buckets/{name}`, with its objects. */
export function dropBucket(turn: Turn, name: string): void {
  requireBucket(turn, name);
  deleteBucket(turn, name);
}

/** Throws a `Refusal` (404) if the bucket does not exist. */
export function requireBucket(reader: Reader, name: string): void {
  if (reader.get(buckets, name)) return;
  const names = listBuckets(reader).map((bucket) => bucket.name);
  const hint =
    names.length > 0
      ? `Existing buckets: ${names.slice(0, 20).join(", ")}.`
      : 'No buckets exist. Create one with POST /_emulator/v1/s3/buckets {"name":…}.';
  throw new Refusal(404, "no_such_bucket", `Bucket ${JSON.stringify(name)} does not exist.`, hint);
}
