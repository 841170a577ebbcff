import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { shortTime } from "../parts/time.tsx";

type Run = ExportDetail["runs"][number];

/** Why an export is still CREATED or RUNNING, in words; null when it has ended. */
export function whyNotDone(found: ExportDetail): string | null {
  if (found.finished_at !== null) return null;
  const [next] = found.due;
  if (found.interval_hours !== null)
    return next
      ? `A schedule of every ${found.interval_hours} h: the next export is created at ${shortTime(next.at)}.`
      : "A schedule that creates no more exports.";
  if (found.queue_position !== null)
    return `It waits for one of the workspace's places (§8.2), ${found.queue_position} before it.`;
  if (next) return `It starts at ${shortTime(next.at)}, when the clock reaches this time.`;
  return whyOfRuns(found.runs);
}

function whyOfRuns(runs: readonly Run[]): string {
  const open = runs.filter(({ finished_at }) => finished_at === null);
  const writing = open.filter(({ in_flight }) => in_flight.length > 0);
  if (writing.length > 0) return `${ofRuns(writing.length, "is", "are")} writing a file right now.`;
  const retried = open.filter(({ attempt, due }) => attempt > 0 && due.length > 0);
  const times = open.flatMap(({ due }) => due.map(({ at }) => at)).sort();
  const waiting = open.filter(({ queue_position }) => queue_position !== null).length;
  const parts = [
    `${ofRuns(open.length, "has", "have")} not ended.`,
    retried.length > 0 && `${retried.length} ${retried.length === 1 ? "is" : "are"} retried after a failure.`,
    waiting > 0 && `${waiting} ${waiting === 1 ? "waits" : "wait"} for a slot of the export (§8.2).`,
    times[0] ? `The next step is due at ${shortTime(times[0])}.` : "No step is due: a deadline ends them.",
  ];
  return parts.filter((part) => part !== false).join(" ");
}

function ofRuns(count: number, one: string, several: string): string {
  return `${count} of its runs ${count === 1 ? one : several}`;
}
