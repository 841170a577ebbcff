import type { Reader } from "../turn.ts";
import { isFinal } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, type ExportRun, rowsExported } from "./records.ts";

/** How far an export is, for people: the day, attempt and error that failed it, or what is under way. */
export function progressText(reader: Reader, { id, status }: BulkExport): string {
  const runs = [...reader.list(EXPORT_RUNS, id)];
  const failed = runs.find((run) => run.status === "FAILED") ?? runs.find(hasErrors);
  const done = runs.filter(isFinal);
  const rows = runs.reduce((sum, run) => sum + rowsExported(run), 0);
  const parts = [
    `export ${id} is ${status}`,
    ...(failed && hasErrors(failed) ? [errorText(failed)] : []),
    ...(runs.length > 0 ? [`${done.length} of ${runs.length} days are done, with ${rows} rows`] : []),
    ...runs
      .filter((run) => !isFinal(run) && run.status === "RUNNING")
      .slice(0, 1)
      .map(({ start_time }) => `the run of ${dayOf(start_time)} is under way`),
  ];
  return parts.join("; ");
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
