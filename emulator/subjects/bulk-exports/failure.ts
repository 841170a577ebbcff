import { EXPORT_FAILURES, type ExportFailureKey } from "../../../contracts/spec/failures.ts";
import { shownFailure } from "../destinations/store-failure.ts";
import type { Settings } from "../settings.ts";
import type { AttemptFailure } from "./events.ts";

/** The row of §7.3 for each failure. */
const ROW_OF = {
  worker_crash: "infrastructure_interruption",
  damaged_rows: "infrastructure_interruption",
  interrupted: "infrastructure_interruption",
  unavailable: "infrastructure_interruption",
  run_timeout: "run_timeout",
  access_denied: "storage_error",
  bucket_not_valid: "storage_error",
  key_id_does_not_exist: "storage_error",
  invalid_endpoint: "storage_error",
  refused: "storage_error",
  size_mismatch: "storage_error",
  destination_deleted: "destination_deleted",
  serialization_error: "serialization_error",
  resource_exhausted: "resource_exhausted",
} as const satisfies Record<AttemptFailure["failure"], ExportFailureKey>;

/** The text of a failure in the run's errors, and whether the run is retried (§7.3). */
export function failureOf(
  { assumptions }: Settings,
  problem: AttemptFailure,
): { readonly text: string; readonly retry: boolean } {
  const isRetried = assumptions["export.store_outage"] === "infrastructure interruption";
  const row = problem.failure === "unavailable" && !isRetried ? "storage_error" : ROW_OF[problem.failure];
  const { text, retry } = EXPORT_FAILURES[row];
  const detail = "code" in problem ? shownFailure(problem) : problem.message;
  return { text: detail ? `${text}: ${detail}` : text, retry };
}
