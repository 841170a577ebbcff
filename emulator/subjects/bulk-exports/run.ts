import type { FaultPoint } from "../../../contracts/spec/faults.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { hit } from "../faults/hit.ts";
import { hitStoreAt } from "../faults/store-points.ts";
import { unhandled } from "../faults/unhandled.ts";
import type { Effect, Event, Result, Turn } from "../turn.ts";
import type { Checkpoint, ImmediateFault, OfAttempt } from "./events.ts";
import { afterRun } from "./export.ts";
import { failRun } from "./failure.ts";
import { fileRequest, keyOfNextFile } from "./file.ts";
import { isFinal, moveRun } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun } from "./records.ts";

/** The attempt that an event or an effect belongs to; what an earlier attempt left behind is stale. */
function currentRun(
  turn: Turn,
  { ref, data }: { readonly ref: string; readonly data: OfAttempt },
): ExportRun | undefined {
  const run = turn.get(EXPORT_RUNS, ref);
  return run && !isFinal(run) && run.attempt === data.attempt ? run : undefined;
}

/** `export_run.start`: the first attempt, or one more from the checkpoint on. */
export function onStart(turn: Turn, event: Event<"export_run.start">): void {
  const found = currentRun(turn, event);
  if (!found) return;
  const begun = found.status === "CREATED" ? moveRun(turn, found, "start") : found;
  const run: ExportRun = { ...begun, asOf: begun.asOf ?? turn.ports.traces.mark(), updated_at: turn.now };
  turn.put(EXPORT_RUNS, run);
  const { fault } = event.data;
  if (fault) return applyFault(turn, run, "export.running", fault);
  const { run_timeout_ms } = turn.ports.settings.limits;
  const { attempt } = run;
  turn.schedule({ kind: "export_run.deadline", ref: run.id, afterMs: run_timeout_ms, data: { attempt } });
  passFaultPoint(turn, run, "run.started", { kind: "export_run.step", data: { attempt } });
}

/** `export.write_file` has ended: the file is stored, or it failed. */
export function onFileWritten(
  turn: Turn,
  effect: Effect<"export.write_file">,
  result: Result<"export.write_file">,
): void {
  const run = currentRun(turn, effect);
  if (!run) return;
  if ("failure" in result) return failRun(turn, run, result.failure, result.message);
  const { rows, bytes, cursor } = result;
  const file = rows === 0 ? null : { key: effect.data.key, rows, bytes, cursor };
  const checkpoint: Checkpoint = { file, cursor, exhausted: result.done };
  const data = { attempt: run.attempt, ...checkpoint };
  if (file) passFaultPoint(turn, run, "file.written", { kind: "export_run.checkpoint", data });
  else saveCheckpoint(turn, run, checkpoint);
}

/** What a run that has waited goes on with. */
type NextStep = {
  [Kind in "export_run.step" | "export_run.write" | "export_run.checkpoint"]: Pick<
    Event<Kind>,
    "kind" | "data"
  >;
}["export_run.step" | "export_run.write" | "export_run.checkpoint"];

/** `export_run.step`, `export_run.write`, `export_run.checkpoint`: the wait of a run is over. */
export function onNextStep(turn: Turn, event: NextStep & { readonly ref: string }): void {
  const run = currentRun(turn, event);
  if (run) runStep(turn, run, event);
}

function runStep(turn: Turn, run: ExportRun, next: NextStep): void {
  if (next.kind === "export_run.step") takeStep(turn, run);
  else if (next.kind === "export_run.write") requestFile(turn, run);
  else saveCheckpoint(turn, run, next.data);
}

/** One more file, or the end. */
function takeStep(turn: Turn, run: ExportRun): void {
  if (run.exhausted || isEmpty(turn, run)) complete(turn, run);
  else passFaultPoint(turn, run, "rows.read", { kind: "export_run.write", data: { attempt: run.attempt } });
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
  const { file_duration_ms } = turn.ports.settings.timings;
  const next = { kind: "export_run.step", data: { attempt: run.attempt } } as const;
  passFaultPoint(turn, run, "checkpoint.saved", next, file ? file_duration_ms : 0);
}

/** `export_run.deadline`: §8.2-3. */
export function onDeadline(turn: Turn, event: Event<"export_run.deadline">): void {
  const run = currentRun(turn, event);
  if (run) failRun(turn, run, "run_timeout");
}

/** `export.end_thread` has ended: the thread of this run is gone (§7.3-1). */
export function onCrashed(turn: Turn, effect: Effect<"export.end_thread">): void {
  const run = currentRun(turn, effect);
  if (run) failRun(turn, run, "worker_crash");
}

function complete(turn: Turn, run: ExportRun): void {
  afterRun(turn, moveRun(turn, run, "complete"));
}

/** Goes on with the next step, at once or later, unless a fault strikes at this point. */
function passFaultPoint(turn: Turn, run: ExportRun, at: FaultPoint, next: NextStep, afterMs = 0): void {
  hitStoreAt(turn, at, turn.get(EXPORTS, run.bulk_export_id) as BulkExport);
  const fault = hit(turn, "worker", { at, run });
  if (fault && !("stallMs" in fault)) return applyFault(turn, run, at, fault);
  const waitMs = afterMs + (fault?.stallMs ?? 0);
  if (waitMs > 0) turn.schedule({ ...next, ref: run.id, afterMs: waitMs });
  else runStep(turn, run, next);
}

function applyFault(turn: Turn, run: ExportRun, at: FaultPoint, fault: ImmediateFault): void {
  if ("error" in fault) return failRun(turn, run, fault.error, `A fault strikes at ${at}.`);
  if (!("crash" in fault)) return unhandled("worker", fault);
  if (at === "rows.read") return requestFile(turn, run, true);
  turn.requestEffect({
    kind: "export.end_thread",
    ref: run.id,
    lane: "local",
    data: { attempt: run.attempt },
  });
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

function requestFile(turn: Turn, run: ExportRun, crash = false): void {
  const parent = turn.get(EXPORTS, run.bulk_export_id) as BulkExport;
  const destination = turn.get(DESTINATIONS, parent.bulk_export_destination_id);
  if (!destination) return failRun(turn, run, "destination_deleted");
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
