import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { durationMs } from "../../kernel/duration.ts";
import type { S3ErrorCode } from "../object-storage/errors.ts";
import type { S3Fault, S3FaultContext } from "../object-storage/faults.ts";
import { s3Credentials } from "../object-storage/records.ts";
import { type Target, unhandled } from "./target.ts";

/** A point of an export that writes to the embedded object store. */
export interface S3Point {
  readonly at: FaultPoint;
  readonly export_id: string;
  readonly bucket: string;
  /** Absent if the credentials come from the environment. */
  readonly access_key_id?: string;
}

/** A request to the embedded object store, or a point of an export. */
export type S3Occasion = S3FaultContext | S3Point;

/** A credential is deleted here: the request continues and fails because its key no longer exists. */
export const S3: Target<"s3", S3Occasion, S3Fault> = {
  facts: (occasion) => ({ ...occasion }),
  apply(turn, { then }, { bucket, access_key_id }) {
    if ("s3_error" in then) return { s3_error: then.s3_error as S3ErrorCode };
    if ("delay" in then) return { delayMs: durationMs(then.delay) };
    if ("reset" in then) return { reset: true };
    if ("delete_bucket" in then)
      return { delete_bucket: then.delete_bucket === true ? bucket : then.delete_bucket };
    if (!("delete_credential" in then)) return unhandled("s3", then);
    const accessKeyId = then.delete_credential === true ? access_key_id : then.delete_credential;
    if (accessKeyId !== undefined) turn.remove(s3Credentials, accessKeyId);
    return undefined;
  },
};
