import { EXPORT_FAILURES } from "../../../contracts/spec/failures.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { triggerStoreFaultAt } from "../faults/store-points.ts";
import { triggerFault } from "../faults/trigger-fault.ts";
import type { Event, Turn } from "../turn.ts";
import { workspaceKey } from "../workspace.ts";
import { acquireSlot, closePool, releaseSlot } from "./capacity.ts";
import type { ImmediateFault } from "./events.ts";
import { isFinal, moveExport, moveRun } from "./lifecycle.ts";
import { cutIntoDays, type DayWindow } from "./partitions.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun } from "./records.ts";
import { noteEmptySelection, sessionsOf } from "./selection.ts";

/** How an export can end, and the trigger that ends its open runs (§3.1-9). */
const ENDS = {
  all_runs_completed: undefined,
  run_failed: "export_failed",
  workflow_timeout: "export_timed_out",
  cancel: "export_cancelled",
} as const;

export type ExportEnd = keyof typeof ENDS;

/** Schedules the start of an export, which may have to wait for one of the workspace's slots (§8.2-2). */
export function scheduleStart(turn: Turn, id: string, afterMs: number): void {
  turn.schedule({ kind: "export.due", ref: id, afterMs, data: {} });
}

/** `export.due`: starts the export. */
export function onDue(turn: Turn, { ref }: Event<"export.due">): void {
  const record = turn.get(EXPORTS, ref);
  if (record && !isFinal(record)) startExport(turn, record);
}

/** Starts the export when the workspace has a free slot. */
export function startExport(turn: Turn, bulkExport: BulkExport): void {
  const { max_concurrent_exports_per_workspace } = turn.ports.settings.limits;
  const pool = exportPool(bulkExport);
  if (acquireSlot(turn, pool, bulkExport.id, max_concurrent_exports_per_workspace))
    startAdmitted(turn, pool, [bulkExport.id]);
}

/** Starts the exports that acquired a slot; an export that cannot start releases its slot to the next in the queue. */
function startAdmitted(turn: Turn, pool: string, admitted: readonly string[]): void {
  const { max_concurrent_exports_per_workspace } = turn.ports.settings.limits;
  const waiting = [...admitted];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    if (beginExport(turn, turn.get(EXPORTS, id) as BulkExport)) continue;
    waiting.push(...releaseSlot(turn, pool, id, max_concurrent_exports_per_workspace));
  }
}

/** CREATED → RUNNING: cuts the window into days and starts as many runs as have a slot (§8.2-1). False if it has ended. */
function beginExport(turn: Turn, bulkExport: BulkExport): boolean {
  const { limits } = turn.ports.settings;
  if (!turn.get(DESTINATIONS, bulkExport.bulk_export_destination_id)) {
    // 7.3-5: it has no run yet whose errors could hold the message.
    turn.note("export.failure", bulkExport.id, { message: EXPORT_FAILURES.destination_deleted.text });
    moveExport(turn, bulkExport, "destination_deleted");
    return false;
  }
  const sessions = sessionsOf(turn, bulkExport);
  const windows = cutIntoDays(bulkExport.start_time, bulkExport.end_time as string);
  const runsLeft = windows.length * sessions.length;
  const running = moveExport(turn, { ...bulkExport, runsLeft }, "start");
  if (runsLeft === 0 || (sessions.length > 1 && runsLeft > limits.export_days)) {
    const message = `Its window has ${runsLeft} days of ${sessions.length} experiments; at most ${limits.export_days} are exported (limits.export_days).`;
    if (runsLeft > 0) turn.note("export.failure", running.id, { message });
    moveExport(turn, running, runsLeft > 0 ? "run_failed" : "all_runs_completed");
    return false;
  }
  turn.schedule({ kind: "export.deadline", ref: running.id, afterMs: limits.workflow_timeout_ms, data: {} });
  triggerStoreFaultAt(turn, "export.running", running);
  const runs = windows.flatMap((window) => sessions.map((id) => createRun(turn, running, window, id)));
  for (const run of runs) {
    if (acquireSlot(turn, runPool(running.id), run.id, limits.max_concurrent_runs_per_export))
      beginRun(turn, run);
  }
  return true;
}

/** Schedules the first attempt, which a fault at `export.running` delays or fails at its start. */
function beginRun(turn: Turn, run: ExportRun): void {
  const fault = triggerFault(turn, "worker", { at: "export.running", run });
  if (fault && "stallMs" in fault) scheduleRun(turn, run, fault.stallMs);
  else scheduleRun(turn, run, 0, fault && { fault });
}

function createRun(turn: Turn, parent: BulkExport, window: DayWindow, session_id: string): ExportRun {
  const run: ExportRun = {
    id: turn.nextId("bulk_export_run"),
    region: parent.region,
    tenant_id: parent.tenant_id,
    bulk_export_id: parent.id,
    session_id,
    status: "CREATED",
    created_at: turn.now,
    updated_at: turn.now,
    finished_at: null,
    start_time: window.start,
    end_time: window.end,
    errors: {},
    latest_cursor: null,
    files: [],
    exhausted: false,
    asOf: null,
    attempt: 0,
  };
  turn.put(EXPORT_RUNS, run);
  return run;
}

/** Schedules an attempt at a run. Events of earlier attempts are ignored, because they name another attempt. */
export function scheduleRun(
  turn: Turn,
  run: ExportRun,
  afterMs: number,
  injected?: { readonly fault: ImmediateFault },
): void {
  turn.schedule({
    kind: "export_run.start",
    ref: run.id,
    afterMs,
    data: { attempt: run.attempt, ...injected },
  });
}

/** After a completed run: starts the next waiting run, or ends the export. */
export function continueExport(turn: Turn, run: ExportRun): void {
  const parent = turn.get(EXPORTS, run.bulk_export_id) as BulkExport;
  const runsLeft = parent.runsLeft - 1;
  if (runsLeft === 0) {
    endExport(turn, parent, "all_runs_completed");
    noteEmptySelection(turn, parent);
  } else turn.put(EXPORTS, { ...parent, runsLeft });
  const { max_concurrent_runs_per_export } = turn.ports.settings.limits;
  for (const id of releaseSlot(turn, runPool(parent.id), run.id, max_concurrent_runs_per_export))
    scheduleRun(turn, turn.get(EXPORT_RUNS, id) as ExportRun, 0);
}

/** Ends an export and its open runs; files already written stay (§3.1-9). */
export function endExport(turn: Turn, before: BulkExport, end: ExportEnd): BulkExport {
  const after = moveExport(turn, { ...before, runsLeft: 0 }, end);
  const runEnd = ENDS[end];
  if (runEnd) {
    const openRuns = [...turn.list(EXPORT_RUNS, before.id)].filter((run) => !isFinal(run));
    for (const run of openRuns) moveRun(turn, run, runEnd);
    closePool(turn, runPool(before.id));
  }
  const { max_concurrent_exports_per_workspace } = turn.ports.settings.limits;
  const pool = exportPool(before);
  startAdmitted(turn, pool, releaseSlot(turn, pool, before.id, max_concurrent_exports_per_workspace));
  return after;
}

/** §4.7: cancels an export that has not ended; the spawned exports of a cancelled schedule continue (§3.1-4). */
export function cancelExport(turn: Turn, record: BulkExport): BulkExport {
  const isRepeatable = isFinal(record) && turn.ports.settings.assumptions["export.cancel_final"] === 200;
  if (isRepeatable) return record;
  if (isFinal(record))
    throw new Refusal(
      409,
      "already_final",
      `Export ${record.id} is ${record.status}. Only an export that has not ended can be cancelled.`,
      "Create a new export instead.",
      "3.1-2",
    );
  return endExport(turn, record, "cancel");
}

/** `export.deadline`: §8.2-4. */
export function onDeadline(turn: Turn, { ref }: Event<"export.deadline">): void {
  const record = turn.get(EXPORTS, ref);
  if (!record || isFinal(record)) return;
  turn.note("export.failure", ref, { message: EXPORT_FAILURES.workflow_timeout.text });
  endExport(turn, record, "workflow_timeout");
}

function exportPool(record: BulkExport): string {
  return `exports:${workspaceKey(record)}`;
}

function runPool(exportId: string): string {
  return `runs:${exportId}`;
}
