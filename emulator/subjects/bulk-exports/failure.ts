import { EXPORT_FAILURES, type ExportFailureKey } from "../../../contracts/spec/failures.ts";
import type { RunFailure } from "./events.ts";

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

/** What the run's errors say of a failure, and whether it is tried again (§7.3). */
export function failureOf(
  failure: RunFailure,
  message: string | undefined,
): { readonly text: string; readonly retry: boolean } {
  const { text, retry } = EXPORT_FAILURES[ROW_OF[failure]];
  return { text: message ? `${text}: ${message}` : text, retry };
}
