import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import type { BulkExport } from "../bulk-exports/records.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { deleteBucket } from "../object-storage/buckets.ts";
import type { Turn } from "../turn.ts";
import { FAULTS } from "./records.ts";
import type { S3Point } from "./s3.ts";
import { triggerFault } from "./trigger-fault.ts";

/** Triggers s3 faults at a point of an export to the embedded store, such as the deletion of its bucket. */
export function triggerStoreFaultAt(turn: Turn, at: FaultPoint, record: BulkExport): void {
  if (turn.count(FAULTS, "s3") === 0) return;
  const point = pointOf(turn, at, record);
  const fault = point && triggerFault(turn, "s3", point);
  if (!fault) return;
  if (!("delete_bucket" in fault))
    throw new Error(`${JSON.stringify(fault)} answers a request, but ${at} has no request.`);
  deleteBucket(turn, fault.delete_bucket);
}

function pointOf(turn: Turn, at: FaultPoint, record: BulkExport): S3Point | undefined {
  const destination = turn.get(DESTINATIONS, record.bulk_export_destination_id);
  if (!destination?.embedded) return undefined;
  const point = { at, export_id: record.id, bucket: destination.config.bucket_name };
  if (destination.credentials === null) return point;
  const { access_key_id } = JSON.parse(turn.ports.secrets.open(destination.credentials)) as {
    access_key_id: string;
  };
  return { ...point, access_key_id };
}
