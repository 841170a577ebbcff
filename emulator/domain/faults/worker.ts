import type { Turn } from "../turn.ts";

/** The points in the life of an export run at which a fault may strike. */
export type FaultPoint = "export.running" | "run.started" | "rows.read" | "file.written" | "checkpoint.saved";

/** What a fault of the worker plane does to an export run. */
export type WorkerFault =
  | { readonly crash: true }
  | { readonly stallMs: number }
  | { readonly error: "serialization_error" | "resource_exhausted" };

/** The fault, if any, that strikes this run at this point. */
export function strikeWorker(
  _turn: Turn,
  _at: FaultPoint,
  _run: { readonly id: string; readonly bulk_export_id: string },
): WorkerFault | undefined {
  return undefined;
}
