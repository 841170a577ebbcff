import type { Reader, Turn } from "../turn.ts";
import { type FinishedUpload, type StoredObject, s3FinishedUploads } from "./records.ts";

/** Retained replies of completed uploads; the oldest are removed first. */
const MAX_FINISHED = 1000;

/** Retains the reply of a completed upload, so that a repeated request gets the same reply. */
export function saveFinished(turn: Turn, upload_id: string, object: StoredObject): void {
  const { bucket, key, etag, checksums, checksum_type } = object;
  turn.put(s3FinishedUploads, { upload_id, bucket, key, etag, checksums, checksum_type });
  if (turn.count(s3FinishedUploads) <= MAX_FINISHED) return;
  const [oldest] = turn.list(s3FinishedUploads);
  if (oldest) turn.remove(s3FinishedUploads, oldest.upload_id);
}

/** The reply of this upload of this key, if it was completed. */
export function findFinished(
  reader: Reader,
  { bucket, key }: Pick<StoredObject, "bucket" | "key">,
  uploadId: string,
): FinishedUpload | undefined {
  const upload = reader.get(s3FinishedUploads, uploadId);
  return upload?.bucket === bucket && upload.key === key ? upload : undefined;
}

/** Removes the retained replies of a deleted bucket. */
export function forgetFinished(turn: Turn, bucket: string): void {
  for (const upload of [...turn.list(s3FinishedUploads)]) {
    if (upload.bucket === bucket) turn.remove(s3FinishedUploads, upload.upload_id);
  }
}
