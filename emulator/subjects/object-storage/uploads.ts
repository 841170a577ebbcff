import type { Reader, Turn } from "../turn.ts";
import { type AccessRequest, authorise } from "./authorisation.ts";
import { removeUpload } from "./buckets.ts";
import { type S3Failure, s3Failure } from "./errors.ts";
import { conditionError, type NewObject, putObject, type WriteCondition } from "./objects.ts";
import {
  type Checksums,
  type MultipartUpload,
  type ObjectHeaders,
  partId,
  type StoredBody,
  type StoredObject,
  s3Parts,
  s3Uploads,
  type UploadedPart,
} from "./records.ts";

/** Limits of S3. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
/** Larger files of exports are stored in parts of this size. */
export const PART_BYTES = 8 * 1024 * 1024;
export const MAX_PART_NUMBER = 10_000;
export const MAX_BODY_BYTES = 5 * 1024 * 1024 * 1024;

/** Properties of the later object, which are set when its upload starts. */
export type UploadPlan = Pick<MultipartUpload, keyof ObjectHeaders | "checksum_algorithm" | "checksum_type">;

/** Starts a multipart upload. */
export function startUpload(
  turn: Turn,
  access: AccessRequest,
  plan: UploadPlan,
): S3Failure | MultipartUpload {
  const error = authorise(turn, access);
  if (error) return error;
  const { bucket, key, access_key_id: initiator } = access;
  const upload_id = turn.nextId("s3_upload");
  const upload: MultipartUpload = { upload_id, bucket, key, ...plan, initiator, initiated: turn.now };
  turn.put(s3Uploads, upload);
  return upload;
}

/** The upload with this id, if it belongs to this key. */
export function findUpload(
  reader: Reader,
  { bucket, key }: Pick<AccessRequest, "bucket" | "key">,
  uploadId: string,
): S3Failure | MultipartUpload {
  const upload = reader.get(s3Uploads, uploadId);
  if (upload?.bucket === bucket && upload.key === key) return upload;
  return s3Failure("NoSuchUpload", undefined, { UploadId: uploadId });
}

/** Stores a part whose body is on disk, and drops the body that it replaces. */
export function storePart(
  turn: Turn,
  access: AccessRequest,
  uploadId: string,
  partNumber: number,
  body: StoredBody,
): S3Failure | undefined {
  const error = authorise(turn, access);
  if (error) return error;
  const upload = findUpload(turn, access, uploadId);
  if ("error" in upload) return upload;
  const mismatch = checksumMismatch(upload, body.checksums);
  if (mismatch) return mismatch;
  const earlier = turn.get(s3Parts, partId(uploadId, partNumber));
  turn.put(s3Parts, { upload_id: uploadId, part_number: partNumber, ...body, last_modified: turn.now });
  turn.ports.bodies.keep(body.file);
  if (earlier) turn.ports.bodies.drop([earlier.file]);
  return undefined;
}

/** A part has the checksum of its upload. Only the checksum of the whole object can be computed without those of the parts. */
function checksumMismatch(upload: MultipartUpload, checksums: Checksums): S3Failure | undefined {
  const expected = upload.checksum_algorithm;
  const [actual = null] = Object.keys(checksums);
  const isOptional = actual === null && upload.checksum_type === "FULL_OBJECT";
  if (expected === null || expected === actual || isOptional) return undefined;
  const message = `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${actual}`;
  return s3Failure("InvalidRequest", message);
}

/** A part in a request to complete an upload. */
export interface RequestedPart {
  readonly part_number: number;
  /** Without quotes. */
  readonly etag: string;
  readonly checksums: Checksums;
}

/** The requested parts, in order, or the error of the list. */
export function findParts(
  reader: Reader,
  { upload_id: uploadId, checksum_algorithm, checksum_type }: MultipartUpload,
  requestedParts: readonly RequestedPart[],
): S3Failure | readonly UploadedPart[] {
  if (requestedParts.length === 0)
    return s3Failure("MalformedXML", "The list of parts is empty. Send at least one part.");
  const isComposite = checksum_algorithm !== null && checksum_type === "COMPOSITE";
  const unchecked = requestedParts.find(({ checksums }) => isComposite && !(checksum_algorithm in checksums));
  if (unchecked) {
    const message =
      `The upload was created using a ${checksum_algorithm} checksum. The complete request must include the ` +
      `checksum for each part. It was missing for part ${unchecked.part_number} in the request.`;
    return s3Failure("InvalidRequest", message);
  }
  const parts: UploadedPart[] = [];
  for (const { part_number, etag, checksums } of requestedParts) {
    if (part_number <= (parts.at(-1)?.part_number ?? 0)) return s3Failure("InvalidPartOrder");
    const part = reader.get(s3Parts, partId(uploadId, part_number));
    const detail = { UploadId: uploadId, PartNumber: String(part_number), ETag: etag };
    if (part?.etag !== etag) return s3Failure("InvalidPart", undefined, detail);
    const differs = Object.entries(checksums).some(
      ([algorithm, value]) => part.checksums[algorithm as keyof Checksums] !== value,
    );
    if (differs) return s3Failure("InvalidPart", undefined, detail);
    parts.push(part);
  }
  const small = parts.slice(0, -1).find((part) => part.size < MIN_PART_BYTES);
  if (!small) return parts;
  return s3Failure("EntityTooSmall", undefined, {
    ProposedSize: String(small.size),
    MinSizeAllowed: String(MIN_PART_BYTES),
    PartNumber: String(small.part_number),
    ETag: small.etag,
  });
}

/** Creates the object of an upload from its joined parts, if the caller and the condition are still valid. */
export function finishUpload(
  turn: Turn,
  access: AccessRequest,
  uploadId: string,
  requestedParts: readonly RequestedPart[],
  body: StoredBody,
  condition: WriteCondition = {},
): S3Failure | StoredObject {
  const error = authorise(turn, access) ?? conditionError(turn, access, condition);
  if (error) return error;
  const upload = findUpload(turn, access, uploadId);
  if ("error" in upload) return upload;
  const parts = findParts(turn, upload, requestedParts);
  if ("error" in parts) return parts;
  const { content_type, headers, metadata, storage_class, checksum_type } = upload;
  const planned = { content_type, headers, metadata, checksum_type, ...(storage_class && { storage_class }) };
  const sizes = parts.map(({ size, checksums }) => ({ size, checksums }));
  const object: NewObject = { ...planned, ...body, parts: sizes };
  removeUpload(turn, uploadId);
  return putObject(turn, access, object);
}

export function abortUpload(turn: Turn, access: AccessRequest, uploadId: string): S3Failure | undefined {
  const error = authorise(turn, access);
  if (error) return error;
  const upload = findUpload(turn, access, uploadId);
  if ("error" in upload) return upload;
  removeUpload(turn, uploadId);
  return undefined;
}
