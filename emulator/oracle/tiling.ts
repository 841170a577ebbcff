import { cutIntoDays } from "../subjects/bulk-exports/partitions.ts";
import type { BulkExport, ExportRun } from "../subjects/bulk-exports/records.ts";
import type { Findings } from "./findings.ts";

/** §2.6: the windows of the runs are the UTC days of the export's window, each exactly once. */
export function checkTiling(parent: BulkExport, runs: readonly ExportRun[], findings: Findings): void {
  // An export that ended before it started has no runs.
  if (runs.length === 0 && parent.status !== "COMPLETED" && parent.status !== "RUNNING") return;
  const end = parent.end_time as string;
  const gap = findGap([...runs].sort(byStart), parent.start_time, end);
  if (gap) findings.add("tiling", parent.id, gap);
  else checkDays(parent, runs, findings);
}

function byStart(left: ExportRun, right: ExportRun): number {
  return left.start_time < right.start_time ? -1 : left.start_time > right.start_time ? 1 : 0;
}

/** The first gap or overlap of the windows. */
function findGap(runs: readonly ExportRun[], start: string, end: string): string | undefined {
  let covered = start;
  for (const { id, start_time, end_time } of runs) {
    if (start_time > covered) return `no run covers ${covered} to ${start_time}`;
    if (start_time < covered) return `run ${id} starts at ${start_time} instead of ${covered}`;
    covered = end_time;
  }
  if (covered < end) return `no run covers ${covered} to ${end}`;
  return covered > end ? `the runs continue to ${covered}, after the end of the export at ${end}` : undefined;
}

function checkDays(parent: BulkExport, runs: readonly ExportRun[], findings: Findings): void {
  const days = cutIntoDays(parent.start_time, parent.end_time as string);
  const windows = new Set(days.map(({ start, end }) => `${start} ${end}`));
  const unexpected = runs.find(({ start_time, end_time }) => !windows.has(`${start_time} ${end_time}`));
  if (unexpected)
    findings.add(
      "tiling",
      parent.id,
      `run ${unexpected.id} covers ${unexpected.start_time} to ${unexpected.end_time}, which is not a UTC day`,
    );
}
