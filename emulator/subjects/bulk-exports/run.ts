import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { triggerStoreFaultAt } from "../faults/store-points.ts";
import { unhandled } from "../faults/target.ts";
import { triggerFault, triggerS3Fault } from "../faults/trigger-fault.ts";
import { sizeOf, storeStaged } from "../object-storage/writer.ts";
import type { Effect, Event, Result, Turn } from "../turn.ts";
import type { AttemptFailure, Checkpoint, ImmediateFault, OfAttempt, WriteFile } from "./events.ts";
import { continueExport, endExport, scheduleRun } from "./export.ts";
import { failureOf } from "./failure.ts";
import { fileRequest, keyOfNextFile, sizeFailure } from "./file.ts";
import { isFinal, moveRun } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun } from "./records.ts";
import { daysWithRows } from "./selection.ts";

// The steps of a run, in order. At each fault point (`passPoint`) a run continues at once, or later with an event.

/** `export_run.start`: the first attempt, or a retry from the checkpoint. */
export function onStart(turn: Turn, event: Event<"export_run.start">): void {
  const scheduledRun = currentRun(turn, event);
  if (!scheduledRun) return;
  const asOf = scheduledRun.asOf ?? turn.ports.traces.mark();
  const run = startAttempt(turn, { ...scheduledRun, asOf, updated_at: turn.now });
  const { fault } = event.data;
  if (fault) return applyFault(turn, run, "export.running", fault);
  const { attempt } = run;
  const { run_timeout_ms } = turn.ports.settings.limits;
  turn.schedule({ kind: "export_run.deadline", ref: run.id, afterMs: run_timeout_ms, data: { attempt } });
  const next = { kind: "export_run.step", data: { attempt } } as const;
  passPoint(turn, run, "run.started", next, () => takeStep(turn, run));
}

function startAttempt(turn: Turn, run: ExportRun): ExportRun {
  if (run.status === "CREATED") return moveRun(turn, run, "start");
  turn.put(EXPORT_RUNS, run);
  return run;
}

/** `export_run.step`: one more file, or the end. */
export function onStep(turn: Turn, event: Event<"export_run.step">): void {
  const run = currentRun(turn, event);
  if (run) takeStep(turn, run);
}

function takeStep(turn: Turn, run: ExportRun): void {
  const { attempt } = run;
  if (run.exhausted || isEmpty(turn, run)) return continueExport(turn, moveRun(turn, run, "complete"));
  const next = { kind: "export_run.write", data: { attempt } } as const;
  passPoint(turn, run, "rows.read", next, () => requestFile(turn, run));
}

/** `export_run.write`: continues after a stall at `rows.read`. */
export function onWrite(turn: Turn, event: Event<"export_run.write">): void {
  const run = currentRun(turn, event);
  if (run) requestFile(turn, run);
}

function requestFile(turn: Turn, run: ExportRun, crash = false): void {
  const parent = turn.get(EXPORTS, run.bulk_export_id) as BulkExport;
  const destination = turn.get(DESTINATIONS, parent.bulk_export_destination_id);
  if (!destination) return failRun(turn, run, { failure: "destination_deleted" });
  const { config, embedded, credentials } = destination;
  const request = fileRequest(turn.ports.settings, run, parent);
  turn.requestEffect({
    kind: "export.write_file",
    ref: run.id,
    lane: embedded ? "local" : `destination:${destination.id}`,
    data: {
      attempt: run.attempt,
      key: keyOfNextFile(turn.ports.settings, run, parent, config),
      destination: { config, embedded, credentials },
      order: crash ? { ...request, crash } : request,
    },
  });
}

/** `export.write_file` has ended: it stored a file, had no rows left to export, or failed. */
export function onFileWritten(
  turn: Turn,
  effect: Effect<"export.write_file">,
  result: Result<"export.write_file">,
): void {
  // Also for a stale attempt: its file is in the bucket, although no checkpoint names it.
  const outcome = storeFile(turn, effect.data, result);
  const run = currentRun(turn, effect);
  if (!run) return;
  if ("failure" in outcome) return failRun(turn, run, outcome);
  const { rows, bytes, cursor, done } = outcome;
  const file = rows === 0 ? null : { key: effect.data.key, rows, bytes, cursor };
  const checkpoint: Checkpoint = { file, cursor, exhausted: done };
  const next = { kind: "export_run.checkpoint", data: { attempt: run.attempt, ...checkpoint } } as const;
  if (!file) return saveCheckpoint(turn, run, checkpoint);
  passPoint(turn, run, "file.written", next, () => saveCheckpoint(turn, run, checkpoint));
}

/** Stores a staged file in the embedded store and checks its size if the credentials permit reading (§2.4-9). */
function storeFile(
  turn: Turn,
  { key, destination }: WriteFile,
  outcome: Result<"export.write_file">,
): Result<"export.write_file"> {
  if ("failure" in outcome || !outcome.staged) return outcome;
  const { file, credentials } = outcome.staged;
  const writer = { bucket: destination.config.bucket_name, credentials, triggerFault: triggerS3Fault };
  const failure = storeStaged(turn, writer, key, file);
  return failure ?? sizeFailure(key, outcome.bytes, sizeOf(turn, writer, key)) ?? outcome;
}

/** `export_run.checkpoint`: continues after a stall at `file.written`. */
export function onCheckpoint(turn: Turn, event: Event<"export_run.checkpoint">): void {
  const run = currentRun(turn, event);
  if (run) saveCheckpoint(turn, run, event.data);
}

/** Rows up to the checkpoint are never exported again (§8.3). */
function saveCheckpoint(turn: Turn, before: ExportRun, { file, cursor, exhausted }: Checkpoint): void {
  const run: ExportRun = {
    ...before,
    files: file ? [...before.files, file] : before.files,
    latest_cursor: cursor ?? before.latest_cursor,
    exhausted,
    updated_at: turn.now,
  };
  turn.put(EXPORT_RUNS, run);
  const next = { kind: "export_run.step", data: { attempt: run.attempt } } as const;
  const afterMs = file ? turn.ports.settings.timings.file_duration_ms : 0;
  passPoint(turn, run, "checkpoint.saved", next, () => takeStep(turn, run), afterMs);
}

/** `export_run.deadline`: §8.2-3. */
export function onDeadline(turn: Turn, event: Event<"export_run.deadline">): void {
  const run = currentRun(turn, event);
  if (run) failRun(turn, run, { failure: "run_timeout" });
}

/** `export.end_thread` has ended: the encoding thread of this run was stopped (§7.3-1). */
export function onCrashed(turn: Turn, effect: Effect<"export.end_thread">): void {
  const run = currentRun(turn, effect);
  if (run) failRun(turn, run, { failure: "worker_crash" });
}

/** Records the failure of this attempt, then schedules a retry or ends the export (§7.3, §8.3). */
function failRun(turn: Turn, run: ExportRun, problem: AttemptFailure): void {
  const { failure } = problem;
  const { text, retry } = failureOf(turn.ports.settings, problem);
  const { max_retries, retry_delay_ms } = turn.ports.settings.limits;
  const failedRun: ExportRun = {
    ...run,
    errors: { ...run.errors, [`retry_${run.attempt}`]: text },
    attempt: run.attempt + 1,
    updated_at: turn.now,
  };
  turn.note("export_run.failed", run.id, { failure, attempt: run.attempt, message: text });
  if (retry && run.attempt < max_retries) {
    turn.put(EXPORT_RUNS, failedRun);
    // Removes the deadline of this attempt.
    turn.unschedule(run.id);
    scheduleRun(turn, failedRun, retry_delay_ms);
    return;
  }
  moveRun(turn, failedRun, "fail");
  endExport(turn, turn.get(EXPORTS, run.bulk_export_id) as BulkExport, "run_failed");
}

type StepKind = "export_run.step" | "export_run.write" | "export_run.checkpoint";
type NextStep = { readonly [Kind in StepKind]: Pick<Event<Kind>, "kind" | "data"> }[StepKind];

/** Triggers the faults of a point, then continues with `proceed`, or with the event `next` after a delay. */
function passPoint(
  turn: Turn,
  run: ExportRun,
  at: FaultPoint,
  next: NextStep,
  proceed: () => void,
  afterMs = 0,
): void {
  triggerStoreFaultAt(turn, at, turn.get(EXPORTS, run.bulk_export_id) as BulkExport);
  const fault = triggerFault(turn, "worker", { at, run });
  if (fault && !("stallMs" in fault)) return applyFault(turn, run, at, fault);
  const waitMs = afterMs + (fault?.stallMs ?? 0);
  if (waitMs > 0) turn.schedule({ ...next, ref: run.id, afterMs: waitMs });
  else proceed();
}

function applyFault(turn: Turn, run: ExportRun, at: FaultPoint, fault: ImmediateFault): void {
  if ("error" in fault)
    return failRun(turn, run, { failure: fault.error, message: `A fault was triggered at ${at}.` });
  if (!("crash" in fault)) return unhandled("worker", fault);
  if (at === "rows.read") return requestFile(turn, run, true);
  turn.requestEffect({
    kind: "export.end_thread",
    ref: run.id,
    lane: "local",
    data: { attempt: run.attempt },
  });
}

/** The run of an event or an effect; undefined if it belongs to an earlier attempt. */
function currentRun(
  turn: Turn,
  { ref, data }: { readonly ref: string; readonly data: OfAttempt },
): ExportRun | undefined {
  const run = turn.get(EXPORT_RUNS, ref);
  return run && !isFinal(run) && run.attempt === data.attempt ? run : undefined;
}

/**
 * A run without rows needs no encoder. The store can list only its current days, which are the days of the run
 * as long as nothing was written since its mark.
 */
function isEmpty(turn: Turn, run: ExportRun): boolean {
  if (run.latest_cursor !== null || run.asOf !== turn.ports.traces.mark()) return false;
  return daysWithRows(turn, run)?.length === 0;
}
