import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { count } from "../model/count.ts";
import { shortTime } from "../parts/time.tsx";

type Run = ExportDetail["runs"][number];

/** The reason why an export is still CREATED or RUNNING; null if it has ended. */
export function whyNotDone(detail: ExportDetail): string | null {
  if (detail.finished_at !== null) return null;
  const [next] = detail.due;
  if (detail.interval_hours !== null)
    return next
      ? `A schedule of every ${detail.interval_hours} h: the next export is created at ${shortTime(next.at)}.`
      : "A schedule that creates no more exports.";
  if (detail.queue_position !== null)
    return `It waits for a slot of the workspace (§8.2). ${count(detail.queue_position, "export")} before it.`;
  if (next) return `It starts at ${shortTime(next.at)}, when the clock reaches this time.`;
  return whyOfRuns(detail.runs);
}

function whyOfRuns(runs: readonly Run[]): string {
  const openRuns = runs.filter(({ finished_at }) => finished_at === null);
  const writingRuns = openRuns.filter(({ in_flight }) => in_flight.length > 0);
  if (writingRuns.length > 0) return `${ofRuns(writingRuns.length, "is", "are")} writing a file right now.`;
  const retriedRuns = openRuns.filter(({ attempt, due }) => attempt > 0 && due.length > 0);
  const times = openRuns.flatMap(({ due }) => due.map(({ at }) => at)).sort();
  const waitingCount = openRuns.filter(({ queue_position }) => queue_position !== null).length;
  const parts = [
    `${ofRuns(openRuns.length, "has", "have")} not ended.`,
    retriedRuns.length > 0 &&
      `${retriedRuns.length} ${retriedRuns.length === 1 ? "is" : "are"} retried after a failure.`,
    waitingCount > 0 &&
      `${waitingCount} ${waitingCount === 1 ? "waits" : "wait"} for a slot of the export (§8.2).`,
    times[0] ? `The next step is due at ${shortTime(times[0])}.` : "No step is due: a deadline ends them.",
  ];
  return parts.filter((part) => part !== false).join(" ");
}

function ofRuns(count: number, singular: string, plural: string): string {
  return `${count} of its runs ${count === 1 ? singular : plural}`;
}
