import type { Reader } from "../turn.ts";
import { isFinal } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, type ExportRun, rowsExported } from "./records.ts";

/** The progress of an export as text: the day, attempt and error of a failure, or the current run. */
export function progressText(reader: Reader, { id, status }: BulkExport): string {
  const runs = [...reader.list(EXPORT_RUNS, id)];
  const failedRun = runs.find((run) => run.status === "FAILED") ?? runs.find(hasErrors);
  const rows = runs.reduce((sum, run) => sum + rowsExported(run), 0);
  const parts = [
    `export ${id} is ${status}`,
    ...(failedRun && hasErrors(failedRun) ? [errorText(failedRun)] : []),
    ...(runs.length > 0 ? [daysText(runs, rows)] : []),
    ...runs
      .filter((run) => !isFinal(run) && run.status === "RUNNING")
      .slice(0, 1)
      .map(({ start_time }) => `the run of ${dayOf(start_time)} is in progress`),
  ];
  return parts.join("; ");
}

/** `1 of 3 days has ended, 1 of them COMPLETED, with 20 rows`; failed days have ended too. */
function daysText(runs: readonly ExportRun[], rows: number): string {
  const endedCount = runs.filter(isFinal).length;
  const completed = runs.filter(({ status }) => status === "COMPLETED").length;
  const which = completed < endedCount ? `, ${completed} of them COMPLETED` : "";
  return `${endedCount} of ${runs.length} days ${endedCount === 1 ? "has" : "have"} ended${which}, with ${rows} rows`;
}

function hasErrors({ errors }: ExportRun): boolean {
  return Object.keys(errors).length > 0;
}

function errorText({ start_time, status, errors }: ExportRun): string {
  const [attempt = "", error = ""] = Object.entries(errors).at(-1) ?? [];
  return `the run of ${dayOf(start_time)} is ${status}, ${attempt}: ${error}`;
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
