import type { Reader, Turn } from "../turn.ts";
import { deleteBucket } from "./buckets.ts";
import { type S3Failure, s3Failure } from "./errors.ts";
import type { S3Fault, TriggerS3Fault } from "./faults.ts";
import { OPERATION_PERMISSIONS, permits, type S3Operation } from "./permissions.ts";
import { buckets, type S3Permission, s3Credentials } from "./records.ts";

/** The caller of a request, its bucket and key, and a check of its signature. */
export interface Caller {
  /** Empty where the operation has none. */
  readonly bucket: string;
  readonly key: string;
  readonly access_key_id: string;
  readonly session_token: string | null;
  /** A write of the emulator for a role, which has every permission. */
  readonly isRole?: true;
  /** Whether the request was signed with this secret. */
  isSignedWith(secret: string): boolean;
}

export interface AccessRequest extends Caller {
  readonly op: S3Operation;
}

/** The result of `admit`: an error, a fault, or permission to continue. */
export type Admission =
  | S3Failure
  | { readonly reset: true }
  | { readonly admitted: true; readonly delayMs: number };

/**
 * The check that every request and every internal write passes: identity, then faults, then permission. Faults apply in
 * between, so a bucket deleted by a fault is already missing for the request that triggered it.
 */
export function admit(turn: Turn, access: AccessRequest, triggerFault: TriggerS3Fault): Admission {
  const error = identify(turn, access);
  if (error) return error;
  const { op, bucket, key, access_key_id } = access;
  const fault = triggerFault(turn, { op, bucket, key, access_key_id });
  if (fault) turn.note("s3.fault", refOf(access), { ...fault });
  const outcome = fault ? applyFault(turn, fault) : { delayMs: 0 };
  if (!("delayMs" in outcome)) return outcome;
  const denial = permissionError(turn, access, OPERATION_PERMISSIONS[op]);
  if (denial) return noteRefusal(turn, access, denial);
  return { admitted: true, delayMs: outcome.delayMs };
}

/** The error of an unidentified caller, which is noted in the journal. */
export function identify(turn: Turn, access: Caller): S3Failure | undefined {
  const error = identityError(turn, access);
  return error && noteRefusal(turn, access, error);
}

/** A request that continues gets its delay. A new kind of fault does not compile until it is handled here. */
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

/** `bucket/key`, the bucket alone, or an empty text; for notes in the journal. */
export function refOf({ bucket, key }: Pick<AccessRequest, "bucket" | "key">): string {
  return key === "" ? bucket : `${bucket}/${key}`;
}

/** Checks the caller again in the turn that commits, because receiving a body takes time. */
export function authorise(turn: Turn, access: AccessRequest): S3Failure | undefined {
  return identityError(turn, access) ?? permissionError(turn, access, OPERATION_PERMISSIONS[access.op]);
}

function identityError(turn: Turn, access: Caller): S3Failure | undefined {
  const { access_key_id } = access;
  if (access.isRole) return undefined;
  const credential = turn.get(s3Credentials, access_key_id);
  const unknown = s3Failure("InvalidAccessKeyId", undefined, { AWSAccessKeyId: access_key_id });
  if (!credential) return unknown;
  const { secrets } = turn.ports;
  const { sealed_session_token, expires_at } = credential;
  // S3 treats a temporary key without its token as unknown.
  if (sealed_session_token !== null && access.session_token === null) return unknown;
  const token = sealed_session_token === null ? null : secrets.open(sealed_session_token);
  if (token !== access.session_token) return s3Failure("InvalidToken");
  if (!access.isSignedWith(secrets.open(credential.sealed_secret))) {
    return s3Failure("SignatureDoesNotMatch", undefined, { AWSAccessKeyId: access_key_id });
  }
  if (expires_at !== null && expires_at <= turn.now) return s3Failure("ExpiredToken");
  return undefined;
}

/** A missing bucket is reported before a missing permission, as in S3. */
export function permissionError(
  reader: Reader,
  { op, bucket, access_key_id, isRole }: Pick<AccessRequest, "op" | "bucket" | "access_key_id" | "isRole">,
  permission: S3Permission,
): S3Failure | undefined {
  if (bucket !== "" && op !== "CreateBucket" && !reader.get(buckets, bucket)) {
    return s3Failure("NoSuchBucket", undefined, { BucketName: bucket });
  }
  if (isRole) return undefined;
  const credential = reader.get(s3Credentials, access_key_id);
  if (!credential) return s3Failure("InvalidAccessKeyId");
  return permits(credential, permission, bucket === "" ? null : bucket)
    ? undefined
    : s3Failure(
        "AccessDenied",
        `Access Denied: the access key ${access_key_id} lacks the permission ${permission}. GET /_emulator/v1/s3/credentials lists the permissions of each key.`,
      );
}

/** Only callers that may list the bucket learn that an object is missing. */
export function missingObject(reader: Reader, access: AccessRequest): S3Failure {
  const hidden = permissionError(reader, access, "list");
  return hidden ?? s3Failure("NoSuchKey", undefined, { Key: access.key });
}
