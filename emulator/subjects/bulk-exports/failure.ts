import { EXPORT_FAILURES, type ExportFailureKey } from "../../../contracts/spec/failures.ts";
import type { Turn } from "../turn.ts";
import type { RunFailure } from "./events.ts";
import { endExport, scheduleRun } from "./export.ts";
import { moveRun } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun } from "./records.ts";

/** Which row of §7.3 a failure belongs to. */
const ROW_OF = {
  worker_crash: "infrastructure_interruption",
  interrupted: "infrastructure_interruption",
  // The store's own trouble (SlowDown, 5xx) is no fault of the destination: it passes.
  unavailable: "infrastructure_interruption",
  run_timeout: "run_timeout",
  access_denied: "storage_error",
  bucket_not_valid: "storage_error",
  key_id_does_not_exist: "storage_error",
  invalid_endpoint: "storage_error",
  size_mismatch: "storage_error",
  destination_deleted: "destination_deleted",
  serialization_error: "serialization_error",
  resource_exhausted: "resource_exhausted",
} as const satisfies Record<RunFailure, ExportFailureKey>;

/** Records what went wrong with this attempt, then tries again later or ends the export (§7.3, §8.3). */
export function failRun(turn: Turn, run: ExportRun, failure: RunFailure, message?: string): void {
  const row = EXPORT_FAILURES[ROW_OF[failure]];
  const { max_retries, retry_delay_ms } = turn.ports.settings.limits;
  const text = message ? `${row.text}: ${message}` : row.text;
  const failed: ExportRun = {
    ...run,
    errors: { ...run.errors, [`retry_${run.attempt}`]: text },
    attempt: run.attempt + 1,
    updated_at: turn.now,
  };
  turn.note("export_run.failed", run.id, { failure, attempt: run.attempt, message: text });
  if (row.retry && run.attempt < max_retries) {
    turn.put(EXPORT_RUNS, failed);
    scheduleRun(turn, failed, retry_delay_ms);
    return;
  }
  moveRun(turn, failed, "fail");
  endExport(turn, turn.get(EXPORTS, run.bulk_export_id) as BulkExport, "run_failed");
}
