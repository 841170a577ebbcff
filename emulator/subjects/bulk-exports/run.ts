import type { Occurrence } from "../../kernel/world.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { triggerStoreFaults } from "../faults/s3.ts";
import { type FaultPoint, triggerWorkerFault, type WorkerFault } from "../faults/worker.ts";
import type { Turn } from "../turn.ts";
import { afterRun } from "./export.ts";
import { failRun } from "./failure.ts";
import { type FileWritten, fileRequest, keyOfNextFile, type WriteFile } from "./file.ts";
import { isFinal, moveRun } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportedFile, type ExportRun } from "./records.ts";

/** A file that is in the bucket while the checkpoint is still before it. */
interface Checkpoint {
  readonly file: ExportedFile | null;
  readonly cursor: string | null;
  readonly exhausted: boolean;
}

/** The attempt that an event or an effect belongs to; what an earlier attempt left behind is stale. */
function currentRun(turn: Turn, { ref, data }: Occurrence): ExportRun | undefined {
  const run = turn.get(EXPORT_RUNS, ref);
  return run && !isFinal(run) && run.attempt === data.attempt ? run : undefined;
}

/** `export_run.start`: the first attempt, or one more from the checkpoint on. */
export function onStart(turn: Turn, occurrence: Occurrence): void {
  const found = currentRun(turn, occurrence);
  if (!found) return;
  const begun = found.status === "CREATED" ? moveRun(turn, found, "start") : found;
  const run: ExportRun = { ...begun, asOf: begun.asOf ?? turn.ports.traces.mark(), updated_at: turn.now };
  turn.put(EXPORT_RUNS, run);
  const fault = occurrence.data.fault as ImmediateFault | undefined;
  if (fault) return applyFault(turn, run, "export.running", fault);
  const { run_timeout_ms } = turn.ports.settings.limits;
  schedule(turn, run, "export_run.deadline", run_timeout_ms);
  passFaultPoint(turn, run, "run.started", "export_run.step");
}

/** `export_run.file_written`: the file is stored, or it failed. */
export function onFileWritten(turn: Turn, occurrence: Occurrence): void {
  const run = currentRun(turn, occurrence);
  if (!run) return;
  const result = occurrence.result as unknown as FileWritten;
  if ("failure" in result) return failRun(turn, run, result.failure, result.message);
  const { rows, bytes, cursor } = result;
  const file = rows === 0 ? null : { key: String(occurrence.data.key), rows, bytes, cursor };
  const checkpoint: Checkpoint = { file, cursor, exhausted: result.done };
  if (file) passFaultPoint(turn, run, "file.written", "export_run.checkpoint", checkpoint);
  else saveCheckpoint(turn, run, checkpoint);
}

/** What a run does at one instant, until it waits for a file, for time to pass, or for the end of a stall. */
const STEPS = {
  "export_run.step": takeStep,
  "export_run.write": (turn: Turn, run: ExportRun) => requestFile(turn, run),
  "export_run.checkpoint": saveCheckpoint,
} as const;

type StepName = keyof typeof STEPS;

/** The events of a run that has waited, by the step that it goes on with. */
export const STEP_REACTIONS = Object.fromEntries(
  Object.entries(STEPS).map(([kind, runStep]) => [
    kind,
    (turn: Turn, occurrence: Occurrence) => {
      const run = currentRun(turn, occurrence);
      if (run) runStep(turn, run, occurrence.data as unknown as Checkpoint);
    },
  ]),
);

/** One more file, or the end. */
function takeStep(turn: Turn, run: ExportRun): void {
  if (run.exhausted || isEmpty(turn, run)) complete(turn, run);
  else passFaultPoint(turn, run, "rows.read", "export_run.write");
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
  passFaultPoint(turn, run, "checkpoint.saved", "export_run.step", undefined, file ? file_duration_ms : 0);
}

/** `export_run.deadline`: §8.2-3. */
export function onDeadline(turn: Turn, occurrence: Occurrence): void {
  const run = currentRun(turn, occurrence);
  if (run) failRun(turn, run, "run_timeout");
}

/** `export_run.crashed`: the thread of this run is gone (§7.3-1). */
export function onCrashed(turn: Turn, occurrence: Occurrence): void {
  const run = currentRun(turn, occurrence);
  if (run) failRun(turn, run, "worker_crash");
}

function complete(turn: Turn, run: ExportRun): void {
  afterRun(turn, moveRun(turn, run, "complete"));
}

/** Goes on with the next step, at once or later, unless a fault strikes at this point. */
function passFaultPoint(
  turn: Turn,
  run: ExportRun,
  at: FaultPoint,
  next: StepName,
  checkpoint?: Checkpoint,
  afterMs = 0,
): void {
  triggerStoreFaults(turn, at, turn.get(EXPORTS, run.bulk_export_id) as BulkExport);
  const fault = triggerWorkerFault(turn, at, run);
  if (fault && !("stallMs" in fault)) return applyFault(turn, run, at, fault);
  const waitMs = afterMs + (fault?.stallMs ?? 0);
  if (waitMs > 0) schedule(turn, run, next, waitMs, { ...checkpoint });
  else STEPS[next](turn, run, checkpoint as Checkpoint);
}

type ImmediateFault = Exclude<WorkerFault, { stallMs: number }>;

function applyFault(turn: Turn, run: ExportRun, at: FaultPoint, fault: ImmediateFault): void {
  if ("error" in fault) return failRun(turn, run, fault.error, `A fault strikes at ${at}.`);
  if (at === "rows.read") return requestFile(turn, run, true);
  turn.requestEffect({
    kind: "export.end_thread",
    ref: run.id,
    lane: "local",
    then: "export_run.crashed",
    data: { attempt: run.attempt },
  });
}

function schedule(
  turn: Turn,
  run: ExportRun,
  kind: string,
  afterMs: number,
  data: Readonly<Record<string, unknown>> = {},
): void {
  turn.schedule({ kind, ref: run.id, afterMs, data: { attempt: run.attempt, ...data } });
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
  const effectData: WriteFile = {
    key: keyOfNextFile(turn.ports.settings, run, parent, config),
    destination: { config, embedded, credentials },
    order: crash ? { ...request, crash } : request,
  };
  turn.requestEffect({
    kind: "export.write_file",
    ref: run.id,
    lane: embedded ? "local" : `destination:${destination.id}`,
    then: "export_run.file_written",
    data: { attempt: run.attempt, ...effectData },
  });
}
