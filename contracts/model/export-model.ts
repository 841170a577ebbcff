import { HOUR, instantOf, MINUTE } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import {
  EXPORT_STATUS_NAMES,
  EXPORT_STATUSES,
  EXPORTS_AT_ONCE,
  type ExportStatus,
  INTERVAL_HOURS,
  RETRY_KEY,
  RUNS_AT_ONCE,
  SPAWN_DELAY_MINUTES,
} from "../facts/bulk-exports.ts";
import { COLUMNS } from "../facts/columns.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { expectSame, expectThat } from "./difference.ts";

/** An export that the model has created. */
export interface ExportModel {
  readonly id: string;
  readonly order: Members;
  /** The UTC days of its window, for a one-off export. */
  readonly days: number;
  /** The newest status that was seen. */
  status: ExportStatus;
}

/** An export as the model reads it from a reply. */
export interface SeenExport {
  readonly id: unknown;
  readonly status: unknown;
  readonly start_time: unknown;
  readonly end_time: unknown;
  readonly source_bulk_export_id?: unknown;
}

/** The requirement that a request for an export breaks; undefined for a valid one (§2.5). */
export function brokenBy(order: Members): RequirementId | undefined {
  const { interval_hours: hours, end_time, export_fields: fields } = order;
  const required = ["bulk_export_destination_id", "session_id", "start_time"];
  if (required.some((name) => order[name] === undefined)) return "2.5-1";
  if ((hours === undefined) === (end_time === undefined)) return "2.5-2";
  const { least, most } = INTERVAL_HOURS;
  const isInterval = Number.isInteger(hours) && Number(hours) >= least && Number(hours) <= most;
  if (hours !== undefined && !isInterval) return "2.5-3";
  const isColumn = (name: unknown) => String(name) in COLUMNS;
  return Array.isArray(fields) && !fields.every(isColumn) ? "2.5-5" : undefined;
}

/** Final statuses that an export keeps after a PATCH. For COMPLETED and FAILED this is not shown (3.1-8). */
const ENDED_BY: Readonly<Partial<Record<ExportStatus, RequirementId>>> = {
  CANCELLED: "3.1-3",
  TIMEDOUT: "3.1-7",
};

/** Checks the status in a reply, and remembers it (§3.1). */
export function learnStatus(exportModel: ExportModel, { status }: SeenExport): void {
  const next = statusOf(status);
  const requirement = ENDED_BY[exportModel.status];
  if (requirement)
    expectSame(
      requirement,
      `an export that is ${exportModel.status} keeps its status`,
      next,
      exportModel.status,
    );
  const isBack = exportModel.status === "RUNNING" && next === "CREATED";
  expectThat("3.1-1", !isBack, "an export that is RUNNING is not CREATED again", "RUNNING", next);
  exportModel.status = next;
}

export const isFinal = (status: ExportStatus) => EXPORT_STATUSES[status].final;

function statusOf(status: unknown): ExportStatus {
  const match = EXPORT_STATUS_NAMES.find((name) => name === String(status).toUpperCase());
  expectThat("3.1-1", match !== undefined, "status of an export or run", EXPORT_STATUS_NAMES, status);
  return match as ExportStatus;
}

/** Checks the list of exports (§4.6): it has each one once, and no more are RUNNING than may be (§8.2). */
export function checkExports(
  exports: readonly ExportModel[],
  seenExports: readonly SeenExport[],
  now?: number,
): void {
  for (const exportModel of exports) {
    const matches = seenExports.filter(({ id }) => id === exportModel.id);
    expectSame("4.6-1", `number of times that the list has the export ${exportModel.id}`, matches.length, 1);
    for (const match of matches) learnStatus(exportModel, match);
    if (exportModel.order.interval_hours !== undefined) checkSpawned(exportModel, seenExports, now);
  }
  checkRunning(
    "8.2-2",
    seenExports.filter((seenExport) => !isSchedule(exports, seenExport)),
    EXPORTS_AT_ONCE,
  );
}

const isSchedule = (exports: readonly ExportModel[], { id }: SeenExport) =>
  exports.some((exportModel) => exportModel.id === id && exportModel.order.interval_hours !== undefined);

function checkRunning(
  requirement: RequirementId,
  all: readonly { readonly status: unknown }[],
  most: number,
): void {
  const running = all.filter(({ status }) => statusOf(status) === "RUNNING").length;
  expectThat(
    requirement,
    running <= most,
    "number that is RUNNING at the same time",
    `at most ${most}`,
    running,
  );
}

/** The windows of a schedule follow each other without gaps or repetition (§3.3). */
function checkSpawned(
  schedule: ExportModel,
  seenExports: readonly SeenExport[],
  now: number | undefined,
): void {
  const start = instantOf(schedule.order.start_time);
  const length = Number(schedule.order.interval_hours) * HOUR;
  const spawnedExports = seenExports.filter((seenExport) => seenExport.source_bulk_export_id === schedule.id);
  // Members of other names than ours cannot be read.
  if (
    spawnedExports.some((seenExport) =>
      Number.isNaN(instantOf(seenExport.start_time) + instantOf(seenExport.end_time)),
    )
  )
    return;
  const starts = spawnedExports.map((seenExport) => instantOf(seenExport.start_time)).sort((a, b) => a - b);
  const expected = starts.map((_, index) => start + index * length);
  expectSame("3.3-2", "starts of the windows of a schedule", starts.join(), expected.join());
  for (const seenExport of spawnedExports)
    expectSame(
      "3.3-1",
      "length of a window in milliseconds",
      instantOf(seenExport.end_time) - instantOf(seenExport.start_time),
      length,
    );
  if (now === undefined || isFinal(schedule.status)) return;
  // When an export is created is not shown, only when it runs.
  const dueAt = (time: number) => Math.floor((time - SPAWN_DELAY_MINUTES * MINUTE - start) / length);
  const begun = spawnedExports.filter(({ status }) => statusOf(status) !== "CREATED").length;
  const most = Math.max(0, dueAt(now));
  expectThat("3.3-3", begun <= most, "number of exports of a schedule that have begun", most, begun);
  const least = dueAt(now - MINUTE / 2);
  const count = spawnedExports.length;
  expectThat("3.3-3", count >= least, "number of exports that a schedule has spawned", least, count);
}

/** A run of an export as the model reads it from a reply. */
export interface SeenExportRun {
  readonly status: unknown;
  readonly errors?: unknown;
}

/** Checks the runs of an export (§2.6, §8.2). */
export function checkExportRuns(exportModel: ExportModel, runs: readonly SeenExportRun[]): void {
  checkRunning("8.2-1", runs, RUNS_AT_ONCE);
  for (const { errors } of runs)
    for (const name of Object.keys(errors ?? {}))
      expectThat("7.3-7", RETRY_KEY.test(name), "name of an error of a run", "retry_<n>", name);
  if (exportModel.status !== "COMPLETED") return;
  expectSame("2.6-1", "number of runs, one for each UTC day of the window", runs.length, exportModel.days);
  for (const { status } of runs)
    expectSame("3.1-6", "status of a run of a COMPLETED export", statusOf(status), "COMPLETED");
}
