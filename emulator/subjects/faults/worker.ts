import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { durationMs } from "../../kernel/duration.ts";
import type { ImmediateFault } from "../bulk-exports/events.ts";
import { type BulkExport, EXPORTS, type ExportRun } from "../bulk-exports/records.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import type { Turn } from "../turn.ts";
import { trigger } from "./trigger.ts";
import { unhandled } from "./unhandled.ts";

/** What a fault of the worker plane does to an export run. */
export type WorkerFault = ImmediateFault | { readonly stallMs: number };

/** The fault, if any, that strikes this run at this point; a deletion is done here and the run goes on. */
export function triggerWorkerFault(
  turn: Turn,
  at: FaultPoint,
  run: Pick<ExportRun, "id" | "bulk_export_id" | "attempt">,
): WorkerFault | undefined {
  const context = { export_id: run.bulk_export_id, run: run.id, at, attempt: run.attempt };
  const rule = trigger(turn, "worker", context);
  if (!rule) return undefined;
  const { then } = rule;
  if ("crash" in then) return { crash: true };
  if ("stall" in then) return { stallMs: durationMs(then.stall) };
  if ("error" in then) return { error: then.error };
  if ("delete_destination" in then) {
    const { bulk_export_destination_id } = turn.get(EXPORTS, run.bulk_export_id) as BulkExport;
    turn.remove(DESTINATIONS, bulk_export_destination_id);
    return undefined;
  }
  return unhandled("worker", then);
}
