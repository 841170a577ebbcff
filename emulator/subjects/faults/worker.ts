import type { FaultPoint, ThenOf } from "../../../contracts/spec/faults.ts";
import { parseDuration } from "../../kernel/duration.ts";
import { type BulkExport, EXPORTS, type ExportRun } from "../bulk-exports/records.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import type { Turn } from "../turn.ts";
import { trigger } from "./trigger.ts";

export type { FaultPoint } from "../../../contracts/spec/faults.ts";

/** What a fault of the worker plane does to an export run. */
export type WorkerFault =
  | { readonly crash: true }
  | { readonly stallMs: number }
  | { readonly error: "serialization_error" | "resource_exhausted" };

/** The fault, if any, that strikes this run at this point; a deletion is done here and the run goes on. */
export function triggerWorkerFault(
  turn: Turn,
  at: FaultPoint,
  run: Pick<ExportRun, "id" | "bulk_export_id" | "attempt">,
): WorkerFault | undefined {
  const context = { export_id: run.bulk_export_id, run: run.id, at, attempt: run.attempt };
  const rule = trigger(turn, "worker", context);
  if (!rule) return undefined;
  const { stall, error, delete_destination }: ThenOf<"worker"> = rule.then;
  if (delete_destination) {
    const { bulk_export_destination_id } = turn.get(EXPORTS, run.bulk_export_id) as BulkExport;
    turn.remove(DESTINATIONS, bulk_export_destination_id);
    return undefined;
  }
  if (stall) return { stallMs: parseDuration(stall) as number };
  return error ? { error } : { crash: true };
}
