/** §3.1: the statuses of exports and export runs, and the moves between them. */

/** A status of an export or of a run of it. */
interface ExportStatus {
  /** No move leads out of a final status. */
  readonly final: boolean;
}

export const EXPORT_STATUSES = {
  /** Created, not started. */
  CREATED: { final: false },
  RUNNING: { final: false },
  /** Every run has succeeded. */
  COMPLETED: { final: true },
  /** A run has used up its retries, or its failure is not retried. */
  FAILED: { final: true },
  /** Stopped by its caller. */
  CANCELLED: { final: true },
  /** Took longer than the workflow timeout. */
  TIMEDOUT: { final: true },
} as const satisfies Record<string, ExportStatus>;

export type ExportStatusName = keyof typeof EXPORT_STATUSES;

export const EXPORT_STATUS_NAMES = Object.keys(EXPORT_STATUSES) as readonly ExportStatusName[];

/** A way from one status to another; whatever is not in a table of moves is a defect. */
export interface Move {
  readonly from: ExportStatusName;
  readonly trigger: string;
  readonly to: ExportStatusName;
  readonly requirement: string;
}

/** The moves of an export; a scheduled one moves by `spawn`. */
export const EXPORT_MOVES = [
  { from: "CREATED", trigger: "start", to: "RUNNING", requirement: "3.1-8" },
  { from: "CREATED", trigger: "spawn", to: "RUNNING", requirement: "3.3-7" },
  { from: "CREATED", trigger: "cancel", to: "CANCELLED", requirement: "3.1-2" },
  { from: "RUNNING", trigger: "cancel", to: "CANCELLED", requirement: "3.1-2" },
  { from: "RUNNING", trigger: "run_failed", to: "FAILED", requirement: "3.1-5" },
  { from: "RUNNING", trigger: "all_runs_completed", to: "COMPLETED", requirement: "3.1-6" },
  { from: "RUNNING", trigger: "workflow_timeout", to: "TIMEDOUT", requirement: "3.1-7" },
  { from: "CREATED", trigger: "destination_deleted", to: "FAILED", requirement: "7.3-5" },
] as const satisfies readonly Move[];

export type ExportTrigger = (typeof EXPORT_MOVES)[number]["trigger"];

/** The moves of a single run: not shown, so all of them are assumptions (3.1-8, 3.1-9). */
export const EXPORT_RUN_MOVES = [
  { from: "CREATED", trigger: "start", to: "RUNNING", requirement: "3.1-8" },
  { from: "RUNNING", trigger: "complete", to: "COMPLETED", requirement: "3.1-8" },
  { from: "RUNNING", trigger: "fail", to: "FAILED", requirement: "3.1-8" },
  { from: "CREATED", trigger: "export_failed", to: "FAILED", requirement: "3.1-9" },
  { from: "RUNNING", trigger: "export_failed", to: "FAILED", requirement: "3.1-9" },
  { from: "CREATED", trigger: "export_cancelled", to: "CANCELLED", requirement: "3.1-9" },
  { from: "RUNNING", trigger: "export_cancelled", to: "CANCELLED", requirement: "3.1-9" },
  { from: "CREATED", trigger: "export_timed_out", to: "TIMEDOUT", requirement: "3.1-9" },
  { from: "RUNNING", trigger: "export_timed_out", to: "TIMEDOUT", requirement: "3.1-9" },
] as const satisfies readonly Move[];

export type ExportRunTrigger = (typeof EXPORT_RUN_MOVES)[number]["trigger"];

/** Spellings of the public service, by ours. */
export const OBSERVED_SPELLINGS = {
  CREATED: "Created",
  RUNNING: "Running",
  COMPLETED: "Completed",
  FAILED: "Failed",
  CANCELLED: "Cancelled",
  TIMEDOUT: "TimedOut",
} as const satisfies Record<ExportStatusName, string>;
