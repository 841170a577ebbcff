import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { durationMs } from "../../kernel/duration.ts";
import type { ImmediateFault } from "../bulk-exports/events.ts";
import { type BulkExport, EXPORTS, type ExportRun } from "../bulk-exports/records.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { type Target, unhandled } from "./target.ts";

/** An export run at a fault point. */
export interface WorkerOccasion {
  readonly at: FaultPoint;
  readonly run: Pick<ExportRun, "id" | "bulk_export_id" | "attempt">;
}

/** What a fault of the worker target does to an export run. */
export type WorkerFault = ImmediateFault | { readonly stallMs: number };

/** A deletion is carried out here; the run continues. */
export const WORKER: Target<"worker", WorkerOccasion, WorkerFault> = {
  facts: ({ at, run }) => ({
    export_id: run.bulk_export_id,
    run: run.id,
    at,
    attempt: run.attempt,
  }),
  apply(turn, { then }, { run }) {
    if ("crash" in then) return { crash: true };
    if ("stall" in then) return { stallMs: durationMs(then.stall) };
    if ("error" in then) return { error: then.error };
    if (!("delete_destination" in then)) return unhandled("worker", then);
    const { bulk_export_destination_id } = turn.get(EXPORTS, run.bulk_export_id) as BulkExport;
    turn.remove(DESTINATIONS, bulk_export_destination_id);
    return undefined;
  },
};
