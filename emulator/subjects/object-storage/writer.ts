import type { ObjectStoreCredentials, ObjectStoreFailure } from "../destinations/object-store-client.ts";
import { noStoreFailure, storeFailure } from "../destinations/store-failure.ts";
import type { Turn } from "../turn.ts";
import { type AccessRequest, admit, missingObject, refOf } from "./authorisation.ts";
import { isS3Failure, messageOf, S3_ERRORS, type S3Failure } from "./errors.ts";
import type { TriggerS3Fault } from "./faults.ts";
import { keyError } from "./names.ts";
import { removeObjects, storeObject } from "./objects.ts";
import type { S3Operation } from "./permissions.ts";
import { objectId, objects, type StoredBody, type StoredObject } from "./records.ts";
import type { StagedFile } from "./staged.ts";
import { abortUpload, finishUpload, type RequestedPart, startUpload, storePart } from "./uploads.ts";

/** Writes to a bucket of the embedded store inside a turn, with the same checks and faults as S3 requests. */
export interface Writer {
  readonly bucket: string;
  readonly credentials: ObjectStoreCredentials;
  readonly triggerFault: TriggerS3Fault;
}

/** Type and headers of exported objects. */
const PLAIN = { content_type: "application/octet-stream", headers: {}, metadata: {} } as const;

/** Stores a staged file under the key, as one object or as a multipart upload of its parts; drops it on failure. */
export function storeStaged(
  turn: Turn,
  writer: Writer,
  key: string,
  file: StagedFile,
): ObjectStoreFailure | undefined {
  return file.parts.length > 0
    ? storeInParts(turn, writer, key, file)
    : storeWhole(turn, writer, key, file.whole);
}

/** Bytes of an object (needs the get permission). */
export function sizeOf(
  turn: Turn,
  writer: Writer,
  key: string,
): ObjectStoreFailure | { readonly size: number } {
  const access = requestAccess(turn, writer, "HeadObject", key);
  if ("failure" in access) return access;
  const object = turn.get(objects, objectId(writer.bucket, key));
  return object ? { size: object.size } : failureOf(missingObject(turn, access));
}

/** Removes an object, if it exists. */
export function removeStored(
  turn: Turn,
  writer: Writer,
  key: string,
): ObjectStoreFailure | { readonly deleted: true } {
  const access = requestAccess(turn, writer, "DeleteObject", key);
  if ("failure" in access) return access;
  const removal = removeObjects(turn, access, [{ key }]);
  return isS3Failure(removal) ? failureOf(removal) : { deleted: true };
}

function storeWhole(
  turn: Turn,
  writer: Writer,
  key: string,
  body: StoredBody,
): ObjectStoreFailure | undefined {
  const access = requestAccess(turn, writer, "PutObject", key);
  const object =
    "failure" in access
      ? access
      : asStoreResult(storeObject(turn, access, { ...PLAIN, ...body, checksum_type: "FULL_OBJECT" }));
  if ("failure" in object) {
    turn.ports.bodies.drop([body.file]);
    return object;
  }
  noteStored(turn, writer, "PutObject", object);
  return undefined;
}

function storeInParts(
  turn: Turn,
  writer: Writer,
  key: string,
  file: StagedFile,
): ObjectStoreFailure | undefined {
  const access = requestAccess(turn, writer, "CreateMultipartUpload", key);
  const plan = { ...PLAIN, checksum_algorithm: null, checksum_type: "FULL_OBJECT" } as const;
  const upload = "failure" in access ? access : asStoreResult(startUpload(turn, access, plan));
  if ("failure" in upload) {
    turn.ports.bodies.drop([file.whole.file, ...file.parts.map((part) => part.file)]);
    return upload;
  }
  const { upload_id } = upload;
  const failure =
    storeParts(turn, writer, key, file, upload_id) ?? complete(turn, writer, key, file, upload_id);
  if (failure) abandonUpload(turn, writer, key, file, upload_id);
  return failure;
}

/** Drops the parts that cannot be stored. Those that are stored belong to the upload. */
function storeParts(
  turn: Turn,
  writer: Writer,
  key: string,
  { parts }: StagedFile,
  uploadId: string,
): ObjectStoreFailure | undefined {
  for (const [index, body] of parts.entries()) {
    const access = requestAccess(turn, writer, "UploadPart", key);
    const error = "failure" in access ? access : storePart(turn, access, uploadId, index + 1, body);
    if (!error) continue;
    turn.ports.bodies.drop(parts.slice(index).map(({ file }) => file));
    return "failure" in error ? error : failureOf(error);
  }
  return undefined;
}

function complete(
  turn: Turn,
  writer: Writer,
  key: string,
  { whole, parts }: StagedFile,
  uploadId: string,
): ObjectStoreFailure | undefined {
  const access = requestAccess(turn, writer, "CompleteMultipartUpload", key);
  if ("failure" in access) return access;
  const list = parts.map(
    ({ etag }, index): RequestedPart => ({ part_number: index + 1, etag, checksums: {} }),
  );
  const object = asStoreResult(finishUpload(turn, access, uploadId, list, whole));
  if ("failure" in object) return object;
  noteStored(turn, writer, access.op, object);
  return undefined;
}

/** Aborts a failed upload if that is permitted; otherwise its parts stay. */
function abandonUpload(
  turn: Turn,
  writer: Writer,
  key: string,
  { whole }: StagedFile,
  uploadId: string,
): void {
  const access = requestAccess(turn, writer, "AbortMultipartUpload", key);
  if (!("failure" in access)) abortUpload(turn, access, uploadId);
  turn.ports.bodies.drop([whole.file]);
}

function noteStored(turn: Turn, { credentials }: Writer, op: S3Operation, object: StoredObject): void {
  turn.note("s3.stored", refOf(object), { op, access_key_id: credentials.accessKeyId });
}

/** The same checks as for requests of S3 clients: identity, faults, permission. */
function requestAccess(
  turn: Turn,
  { bucket, credentials, triggerFault }: Writer,
  op: S3Operation,
  key: string,
): ObjectStoreFailure | AccessRequest {
  const error = keyError(key);
  if (error) return failureOf(error);
  const access: AccessRequest = {
    op,
    bucket,
    key,
    access_key_id: credentials.accessKeyId,
    session_token: credentials.sessionToken,
    ...(credentials.isRole && { isRole: true }),
    isSignedWith: (secret) => secret === credentials.secretAccessKey,
  };
  const admission = admit(turn, access, triggerFault);
  if ("error" in admission) return failureOf(admission);
  if ("reset" in admission) return noStoreFailure("ConnectionFailed", "the connection was reset");
  // A turn takes no virtual time, so a delay has an effect only if it exceeds the timeout.
  const { object_store_timeout_ms } = turn.ports.settings.timings;
  if (admission.delayMs <= object_store_timeout_ms) return access;
  return noStoreFailure("NoAnswerInTime", `no reply within ${object_store_timeout_ms} ms`);
}

function failureOf(failure: S3Failure): ObjectStoreFailure {
  const code = failure.error;
  return storeFailure({ code, status: S3_ERRORS[code].status, message: `${code}: ${messageOf(failure)}` });
}

function asStoreResult<T extends object>(result: S3Failure | T): ObjectStoreFailure | T {
  return isS3Failure(result) ? failureOf(result) : result;
}
