import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { triggerStoreFaultAt } from "../faults/store-points.ts";
import { triggerFault, triggerS3Fault } from "../faults/trigger-fault.ts";
import { unhandled } from "../faults/unhandled.ts";
import { sizeOf, storeStaged } from "../object-storage/writer.ts";
import type { Effect, Event, Result, Turn } from "../turn.ts";
import type { AttemptFailure, Checkpoint, ImmediateFault, OfAttempt, WriteFile } from "./events.ts";
import { afterRun, endExport, scheduleRun } from "./export.ts";
import { failureOf } from "./failure.ts";
import { fileRequest, keyOfNextFile, sizeFailure } from "./file.ts";
import { isFinal, moveRun } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun } from "./records.ts";

// The steps of a run, in their order. At a fault point (`passes`) a run goes on at once, or with an event later.

/** `export_run.start`: the first attempt, or one more from the checkpoint on. */
export function onStart(turn: Turn, event: Event<"export_run.start">): void {
  const found = currentRun(turn, event);
  if (!found) return;
  const asOf = found.asOf ?? turn.ports.traces.mark();
  const run = begun(turn, { ...found, asOf, updated_at: turn.now });
  const { fault } = event.data;
  if (fault) return applyFault(turn, run, "export.running", fault);
  const { attempt } = run;
  const { run_timeout_ms } = turn.ports.settings.limits;
  turn.schedule({ kind: "export_run.deadline", ref: run.id, afterMs: run_timeout_ms, data: { attempt } });
  if (passes(turn, run, "run.started", { kind: "export_run.step", data: { attempt } })) takeStep(turn, run);
}

function begun(turn: Turn, run: ExportRun): ExportRun {
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
  if (run.exhausted || isEmpty(turn, run)) afterRun(turn, moveRun(turn, run, "complete"));
  else if (passes(turn, run, "rows.read", { kind: "export_run.write", data: { attempt } }))
    requestFile(turn, run);
}

/** `export_run.write`: goes on after a stall at `rows.read`. */
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

/** `export.write_file` has ended: the file is stored, no row was left, or it failed. */
export function onFileWritten(
  turn: Turn,
  effect: Effect<"export.write_file">,
  result: Result<"export.write_file">,
): void {
  // Also for an attempt that is stale by now: its file is in the bucket, and no checkpoint names it.
  const written = stored(turn, effect.data, result);
  const run = currentRun(turn, effect);
  if (!run) return;
  if ("failure" in written) return failRun(turn, run, written);
  const { rows, bytes, cursor, done } = written;
  const file = rows === 0 ? null : { key: effect.data.key, rows, bytes, cursor };
  const checkpoint: Checkpoint = { file, cursor, exhausted: done };
  const next = { kind: "export_run.checkpoint", data: { attempt: run.attempt, ...checkpoint } } as const;
  if (!file || passes(turn, run, "file.written", next)) saveCheckpoint(turn, run, checkpoint);
}

/** Stores a file for the embedded store and, where reading is permitted, checks its size (§2.4-9). */
function stored(
  turn: Turn,
  { key, destination }: WriteFile,
  written: Result<"export.write_file">,
): Result<"export.write_file"> {
  if ("failure" in written || !written.staged) return written;
  const { file, credentials } = written.staged;
  const writer = { bucket: destination.config.bucket_name, credentials, triggerFault: triggerS3Fault };
  const failed = storeStaged(turn, writer, key, file);
  return failed ?? sizeFailure(key, written.bytes, sizeOf(turn, writer, key)) ?? written;
}

/** `export_run.checkpoint`: goes on after a stall at `file.written`. */
export function onCheckpoint(turn: Turn, event: Event<"export_run.checkpoint">): void {
  const run = currentRun(turn, event);
  if (run) saveCheckpoint(turn, run, event.data);
}

/** What is written is never exported again (§8.3). */
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
  if (passes(turn, run, "checkpoint.saved", next, afterMs)) takeStep(turn, run);
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

/** Records what went wrong with this attempt, then tries again later or ends the export (§7.3, §8.3). */
function failRun(turn: Turn, run: ExportRun, problem: AttemptFailure): void {
  const { failure } = problem;
  const { text, retry } = failureOf(turn.ports.settings, problem);
  const { max_retries, retry_delay_ms } = turn.ports.settings.limits;
  const failed: ExportRun = {
    ...run,
    errors: { ...run.errors, [`retry_${run.attempt}`]: text },
    attempt: run.attempt + 1,
    updated_at: turn.now,
  };
  turn.note("export_run.failed", run.id, { failure, attempt: run.attempt, message: text });
  if (retry && run.attempt < max_retries) {
    turn.put(EXPORT_RUNS, failed);
    // The deadline of this attempt, above all.
    turn.unschedule(run.id);
    scheduleRun(turn, failed, retry_delay_ms);
    return;
  }
  moveRun(turn, failed, "fail");
  endExport(turn, turn.get(EXPORTS, run.bulk_export_id) as BulkExport, "run_failed");
}

type StepKind = "export_run.step" | "export_run.write" | "export_run.checkpoint";
type NextStep = { readonly [Kind in StepKind]: Pick<Event<Kind>, "kind" | "data"> }[StepKind];

/** Whether the run continues at once; if not, a fault was hit at this point, or `next` is due later. */
function passes(turn: Turn, run: ExportRun, at: FaultPoint, next: NextStep, afterMs = 0): boolean {
  triggerStoreFaultAt(turn, at, turn.get(EXPORTS, run.bulk_export_id) as BulkExport);
  const fault = triggerFault(turn, "worker", { at, run });
  if (fault && !("stallMs" in fault)) {
    applyFault(turn, run, at, fault);
    return false;
  }
  const waitMs = afterMs + (fault?.stallMs ?? 0);
  if (waitMs > 0) turn.schedule({ ...next, ref: run.id, afterMs: waitMs });
  return waitMs === 0;
}

function applyFault(turn: Turn, run: ExportRun, at: FaultPoint, fault: ImmediateFault): void {
  if ("error" in fault)
    return failRun(turn, run, { failure: fault.error, message: `A fault strikes at ${at}.` });
  if (!("crash" in fault)) return unhandled("worker", fault);
  if (at === "rows.read") return requestFile(turn, run, true);
  turn.requestEffect({
    kind: "export.end_thread",
    ref: run.id,
    lane: "local",
    data: { attempt: run.attempt },
  });
}

/** The attempt that an event or an effect belongs to; what an earlier attempt left behind is stale. */
function currentRun(
  turn: Turn,
  { ref, data }: { readonly ref: string; readonly data: OfAttempt },
): ExportRun | undefined {
  const run = turn.get(EXPORT_RUNS, ref);
  return run && !isFinal(run) && run.attempt === data.attempt ? run : undefined;
}

/**
 * Saves a run without rows the encoder. The store can say at once only what it holds now, which is what the
 * run sees as long as nothing was written since its mark.
 */
function isEmpty(turn: Turn, run: ExportRun): boolean {
  const { traces } = turn.ports;
  if (run.latest_cursor !== null || run.asOf !== traces.mark()) return false;
  const scope = { region: run.region, tenantId: run.tenant_id };
  return traces.days(scope, run.session_id, run.start_time, run.end_time).length === 0;
}
