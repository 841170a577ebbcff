import type { FaultPoint, ThenOf } from "../../../contracts/spec/faults.ts";
import { parseDuration } from "../../kernel/duration.ts";
import type { BulkExport } from "../bulk-exports/records.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { deleteBucket } from "../object-storage/buckets.ts";
import type { S3ErrorCode } from "../object-storage/errors.ts";
import type { TriggerS3Fault } from "../object-storage/faults.ts";
import { s3Credentials } from "../object-storage/records.ts";
import type { Turn } from "../turn.ts";
import type { FaultContext } from "./match.ts";
import { FAULTS } from "./rules.ts";
import { trigger } from "./trigger.ts";

/** The fault, if any, that strikes this request to the embedded object store. */
export const triggerS3Fault: TriggerS3Fault = (turn, { op, bucket, key, access_key_id }) => {
  const rule = trigger(turn, "s3", { op, bucket, key, access_key_id });
  if (!rule) return undefined;
  const { s3_error, delay, reset, delete_bucket, delete_credential }: ThenOf<"s3"> = rule.then;
  if (s3_error) return { s3_error: s3_error as S3ErrorCode };
  if (delay) return { delayMs: parseDuration(delay) as number };
  if (reset) return { reset };
  if (delete_bucket) return { delete_bucket: delete_bucket === true ? bucket : delete_bucket };
  // The request goes on, and finds out by itself that its key is gone.
  if (delete_credential)
    turn.remove(s3Credentials, delete_credential === true ? access_key_id : delete_credential);
  return undefined;
};

/** Lets faults delete what an export to the embedded store stands on, at a point of its life. */
export function triggerStoreFaults(turn: Turn, at: FaultPoint, record: BulkExport): void {
  if (turn.count(FAULTS, "s3") === 0) return;
  const context = contextAt(turn, at, record);
  const rule = context && trigger(turn, "s3", context);
  if (!rule) return;
  const { delete_bucket, delete_credential }: ThenOf<"s3"> = rule.then;
  if (delete_bucket) deleteBucket(turn, delete_bucket === true ? record.bucket_name : delete_bucket);
  const accessKeyId = delete_credential === true ? context.access_key_id : delete_credential;
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
