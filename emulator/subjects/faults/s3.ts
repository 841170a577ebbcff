import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { durationMs } from "../../kernel/duration.ts";
import type { BulkExport } from "../bulk-exports/records.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { deleteBucket } from "../object-storage/buckets.ts";
import type { S3ErrorCode } from "../object-storage/errors.ts";
import type { TriggerS3Fault } from "../object-storage/faults.ts";
import { s3Credentials } from "../object-storage/records.ts";
import type { Turn } from "../turn.ts";
import type { FaultContext } from "./match.ts";
import { FAULTS } from "./records.ts";
import { trigger } from "./trigger.ts";
import { unhandled } from "./unhandled.ts";

/** The fault, if any, that strikes this request to the embedded object store. */
export const triggerS3Fault: TriggerS3Fault = (turn, { op, bucket, key, access_key_id }) => {
  const rule = trigger(turn, "s3", { op, bucket, key, access_key_id });
  if (!rule) return undefined;
  const { then } = rule;
  if ("s3_error" in then) return { s3_error: then.s3_error as S3ErrorCode };
  if ("delay" in then) return { delayMs: durationMs(then.delay) };
  if ("reset" in then) return { reset: true };
  if ("delete_bucket" in then)
    return { delete_bucket: then.delete_bucket === true ? bucket : then.delete_bucket };
  if (!("delete_credential" in then)) return unhandled("s3", then);
  // The request goes on, and finds out by itself that its key is gone.
  turn.remove(s3Credentials, then.delete_credential === true ? access_key_id : then.delete_credential);
  return undefined;
};

/** Lets faults delete what an export to the embedded store stands on, at a point of its life. */
export function triggerStoreFaults(turn: Turn, at: FaultPoint, record: BulkExport): void {
  if (turn.count(FAULTS, "s3") === 0) return;
  const context = contextAt(turn, at, record);
  const rule = context && trigger(turn, "s3", context);
  if (!rule) return;
  const { then } = rule;
  if ("delete_bucket" in then)
    return void deleteBucket(turn, then.delete_bucket === true ? record.bucket_name : then.delete_bucket);
  // What answers a request cannot be armed for a point.
  if (!("delete_credential" in then)) return unhandled("s3", then as never);
  const accessKeyId = then.delete_credential === true ? context.access_key_id : then.delete_credential;
  if (typeof accessKeyId === "string") turn.remove(s3Credentials, accessKeyId);
}

function contextAt(turn: Turn, at: FaultPoint, record: BulkExport): FaultContext | undefined {
  const destination = turn.get(DESTINATIONS, record.bulk_export_destination_id);
  if (!destination?.embedded) return undefined;
  const context = { at, export_id: record.id, bucket: destination.config.bucket_name };
  if (destination.credentials === null) return context;
  const { access_key_id } = JSON.parse(turn.ports.secrets.open(destination.credentials)) as {
    access_key_id: string;
  };
  return { ...context, access_key_id };
}
