import type { Turn } from "../turn.ts";
import type { S3ErrorCode } from "./errors.ts";

/** A request at the point where faults apply: authenticated, not yet authorised. */
export interface S3FaultContext {
  readonly op: string;
  readonly bucket: string;
  readonly key: string;
  readonly access_key_id: string;
}

/** What a fault on the s3 target does to a request. */
export type S3Fault =
  | { readonly s3_error: S3ErrorCode }
  | { readonly delete_bucket: string }
  | { readonly delayMs: number }
  | { readonly reset: true };

/** Decides, inside the request's turn, whether a fault is triggered, and counts it. */
export type TriggerS3Fault = (turn: Turn, occasion: S3FaultContext) => S3Fault | undefined;
