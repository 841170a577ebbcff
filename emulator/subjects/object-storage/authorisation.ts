import type { Reader, Turn } from "../turn.ts";
import { deleteBucket } from "./buckets.ts";
import { type S3Failure, s3Failure } from "./errors.ts";
import type { S3Fault, TriggerS3Fault } from "./faults.ts";
import { OPERATION_PERMISSIONS, permits, type S3Operation } from "./permissions.ts";
import { buckets, type S3Permission, s3Credentials } from "./records.ts";

/** The caller, what they ask about, and a check of their signature. */
export interface Caller {
  /** Empty where the operation has none. */
  readonly bucket: string;
  readonly key: string;
  readonly access_key_id: string;
  readonly session_token: string | null;
  /** Whether the request was made with this secret. */
  isSignedWith(secret: string): boolean;
}

/** A caller and the operation that they ask for. */
export interface AccessRequest extends Caller {
  readonly op: S3Operation;
}

/** How to proceed with a request that is admitted or hit by a fault. */
export type Admission =
  | S3Failure
  | { readonly reset: true }
  | { readonly admitted: true; readonly delayMs: number };

/**
 * The check that every request and every internal write passes: identity, then faults, then permission. Faults apply in
 * between, so a bucket deleted by a fault is already missing for the request that triggered it.
 */
export function admit(turn: Turn, access: AccessRequest, triggerFault: TriggerS3Fault): Admission {
  const unknown = identify(turn, access);
  if (unknown) return unknown;
  const { op, bucket, key, access_key_id } = access;
  const fault = triggerFault(turn, { op, bucket, key, access_key_id });
  if (fault) turn.note("s3.fault", refOf(access), { ...fault });
  const faulted = fault ? applyFault(turn, fault) : { delayMs: 0 };
  if (!("delayMs" in faulted)) return faulted;
  const denied = permissionError(turn, access, OPERATION_PERMISSIONS[op]);
  if (denied) return noteRefusal(turn, access, denied);
  return { admitted: true, delayMs: faulted.delayMs };
}

/** The error of a caller who is not who they say they are, which the journal notes. */
export function identify(turn: Turn, access: Caller): S3Failure | undefined {
  const unknown = identityError(turn, access);
  return unknown && noteRefusal(turn, access, unknown);
}

/** A request that continues gets its delay; a kind of fault without a line of its own does not compile. */
function applyFault(
  turn: Turn,
  fault: S3Fault,
): S3Failure | { readonly reset: true } | { readonly delayMs: number } {
  if ("s3_error" in fault) return s3Failure(fault.s3_error);
  if (!("delete_bucket" in fault)) return fault;
  deleteBucket(turn, fault.delete_bucket);
  return { delayMs: 0 };
}

function noteRefusal(turn: Turn, access: Caller, error: S3Failure): S3Failure {
  turn.note("s3.refused", refOf(access), { code: error.error, access_key_id: access.access_key_id });
  return error;
}

/** For people: `bucket/key`, or the bucket alone, or nothing. */
export function refOf({ bucket, key }: Pick<AccessRequest, "bucket" | "key">): string {
  return key === "" ? bucket : `${bucket}/${key}`;
}

/** Whether the claim still holds: asked again in the turn that commits, since a body takes its time. */
export function authorise(turn: Turn, access: AccessRequest): S3Failure | undefined {
  return identityError(turn, access) ?? permissionError(turn, access, OPERATION_PERMISSIONS[access.op]);
}

function identityError(turn: Turn, access: Caller): S3Failure | undefined {
  const { access_key_id } = access;
  const credential = turn.get(s3Credentials, access_key_id);
  const unknown = s3Failure("InvalidAccessKeyId", undefined, { AWSAccessKeyId: access_key_id });
  if (!credential) return unknown;
  const { secrets } = turn.ports;
  const { sealed_session_token, expires_at } = credential;
  // The real service does not know a temporary key that comes without its token.
  if (sealed_session_token !== null && access.session_token === null) return unknown;
  const token = sealed_session_token === null ? null : secrets.open(sealed_session_token);
  if (token !== access.session_token) return s3Failure("InvalidToken");
  if (!access.isSignedWith(secrets.open(credential.sealed_secret))) {
    return s3Failure("SignatureDoesNotMatch", undefined, { AWSAccessKeyId: access_key_id });
  }
  if (expires_at !== null && expires_at <= turn.now) return s3Failure("ExpiredToken");
  return undefined;
}

/** A missing bucket is reported before a missing permission, as the real service does. */
export function permissionError(
  reader: Reader,
  { op, bucket, access_key_id }: Pick<AccessRequest, "op" | "bucket" | "access_key_id">,
  permission: S3Permission,
): S3Failure | undefined {
  if (bucket !== "" && op !== "CreateBucket" && !reader.get(buckets, bucket)) {
    return s3Failure("NoSuchBucket", undefined, { BucketName: bucket });
  }
  const credential = reader.get(s3Credentials, access_key_id);
  if (!credential) return s3Failure("InvalidAccessKeyId");
  return permits(credential, permission, bucket === "" ? null : bucket)
    ? undefined
    : s3Failure("AccessDenied");
}

/** A missing object is a secret to those who may not list the bucket. */
export function missingObject(reader: Reader, access: AccessRequest): S3Failure {
  const hidden = permissionError(reader, access, "list");
  return hidden ?? s3Failure("NoSuchKey", undefined, { Key: access.key });
}
