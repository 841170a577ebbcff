import type { Reader, Turn } from "../turn.ts";
import { deleteBucket } from "./buckets.ts";
import { type S3Trouble, trouble } from "./errors.ts";
import type { S3Fault, StrikeS3 } from "./faults.ts";
import { OPERATION_PERMISSIONS, permits, type S3Operation } from "./permissions.ts";
import { buckets, type S3Permission, s3Credentials } from "./records.ts";

/** Who asks for what, with the means to tell whether they are who they say. */
export interface Claim {
  readonly op: S3Operation;
  /** Empty where the operation has none. */
  readonly bucket: string;
  readonly key: string;
  readonly access_key_id: string;
  readonly session_token: string | null;
  /** Whether the request was made with this secret. */
  proves(secret: string): boolean;
}

/** What is to be done to a request that is let in or struck. */
export type Admission =
  | S3Trouble
  | { readonly reset: true }
  | { readonly admitted: true; readonly delayMs: number };

/**
 * The point that every request of both doors passes: identity, then faults, then permission. Faults strike in
 * between, so that a bucket that one of them deletes is missed by the request that it struck.
 */
export function admit(turn: Turn, claim: Claim, strike: StrikeS3): Admission {
  const unknown = identityTrouble(turn, claim);
  if (unknown) return refused(turn, claim, unknown);
  const { op, bucket, key, access_key_id } = claim;
  const fault = strike(turn, { op, bucket, key, access_key_id });
  if (fault) turn.note("s3.fault", refOf(claim), { ...fault });
  const struck = fault && applyFault(turn, fault);
  if (struck) return struck;
  const denied = permissionTrouble(turn, claim, OPERATION_PERMISSIONS[op]);
  if (denied) return refused(turn, claim, denied);
  return { admitted: true, delayMs: fault && "delayMs" in fault ? fault.delayMs : 0 };
}

function applyFault(turn: Turn, fault: S3Fault): Admission | undefined {
  if ("s3_error" in fault) return trouble(fault.s3_error);
  if ("reset" in fault) return { reset: true };
  if ("delete_bucket" in fault) deleteBucket(turn, fault.delete_bucket);
  return undefined;
}

function refused(turn: Turn, claim: Claim, why: S3Trouble): S3Trouble {
  turn.note("s3.refused", refOf(claim), { code: why.error, access_key_id: claim.access_key_id });
  return why;
}

/** For people: `bucket/key`, or the bucket alone, or nothing. */
export function refOf({ bucket, key }: Pick<Claim, "bucket" | "key">): string {
  return key === "" ? bucket : `${bucket}/${key}`;
}

/** Whether the claim still holds: asked again in the turn that commits, since a body takes its time. */
export function authorise(turn: Turn, claim: Claim): S3Trouble | undefined {
  return identityTrouble(turn, claim) ?? permissionTrouble(turn, claim, OPERATION_PERMISSIONS[claim.op]);
}

function identityTrouble(turn: Turn, claim: Claim): S3Trouble | undefined {
  const { access_key_id } = claim;
  const credential = turn.get(s3Credentials, access_key_id);
  const unknown = trouble("InvalidAccessKeyId", undefined, { AWSAccessKeyId: access_key_id });
  if (!credential) return unknown;
  const { secrets } = turn.ports;
  const { sealed_session_token, expires_at } = credential;
  // The real service does not know a temporary key that comes without its token.
  if (sealed_session_token !== null && claim.session_token === null) return unknown;
  const token = sealed_session_token === null ? null : secrets.open(sealed_session_token);
  if (token !== claim.session_token) return trouble("InvalidToken");
  if (!claim.proves(secrets.open(credential.sealed_secret))) {
    return trouble("SignatureDoesNotMatch", undefined, { AWSAccessKeyId: access_key_id });
  }
  if (expires_at !== null && expires_at <= turn.now) return trouble("ExpiredToken");
  return undefined;
}

/** A missing bucket is told before a missing permission, as the real service does. */
export function permissionTrouble(
  reader: Reader,
  { op, bucket, access_key_id }: Pick<Claim, "op" | "bucket" | "access_key_id">,
  permission: S3Permission,
): S3Trouble | undefined {
  if (bucket !== "" && op !== "CreateBucket" && !reader.get(buckets, bucket)) {
    return trouble("NoSuchBucket", undefined, { BucketName: bucket });
  }
  const credential = reader.get(s3Credentials, access_key_id);
  if (!credential) return trouble("InvalidAccessKeyId");
  return permits(credential, permission, bucket === "" ? null : bucket) ? undefined : trouble("AccessDenied");
}

/** A missing object is a secret to those who may not list the bucket. */
export function missingObject(reader: Reader, claim: Claim): S3Trouble {
  const hidden = permissionTrouble(reader, claim, "list");
  return hidden ?? trouble("NoSuchKey", undefined, { Key: claim.key });
}
