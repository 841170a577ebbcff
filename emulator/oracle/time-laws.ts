import { LIMITS, TIMINGS } from "../../contracts/spec/limits.ts";
import { parseDuration } from "../kernel/duration.ts";
import { type Instant, instantMs } from "../kernel/instant.ts";
import type { JournalEntry } from "../kernel/journal.ts";
import { addHours } from "../subjects/bulk-exports/partitions.ts";
import type { BulkExport, ExportRun } from "../subjects/bulk-exports/records.ts";
import type { Settings } from "../subjects/settings.ts";
import type { World } from "../subjects/turn.ts";
import { type Attempt, attemptsOf, type RunTimes } from "./attempts.ts";
import type { Findings } from "./findings.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** The history in which times are checked. */
export interface TimeContext {
  readonly settings: Settings;
  readonly now: Instant;
  readonly entries: readonly JournalEntry[];
  /** True when nothing happens later than it is due: the clock was frozen all the time. */
  readonly isExact: boolean;
}

/** The journal of a world, and whether its clock was frozen since its first turn. */
export function timeContextOf({ journal, clock, now, ports }: World): TimeContext {
  const entries = journal.since(0);
  const isWhole = entries[0]?.turn === 1 || entries.length === 0;
  const isExact = isWhole && clock.mode === "frozen" && entries.every((entry) => entry.clock === undefined);
  return { settings: ports.settings, now, entries, isExact };
}

/** The durations and counts that hold: those of §3.3, §8.2 and §8.3 unless they were configured. */
function boundsOf({ limits, timings }: Settings) {
  // Defined independently of the table of limits, which is under test here.
  const specified = (value: number, text: string, figure: number) =>
    value === parseDuration(text) ? figure : value;
  return {
    retries: limits.max_retries === LIMITS.max_retries.value ? 20 : limits.max_retries,
    retryDelayMs: specified(limits.retry_delay_ms, LIMITS.retry_delay.value, 30 * SECOND),
    runTimeoutMs: specified(limits.run_timeout_ms, LIMITS.run_timeout.value, 4 * HOUR),
    workflowTimeoutMs: specified(limits.workflow_timeout_ms, LIMITS.workflow_timeout.value, 72 * HOUR),
    graceMs: specified(timings.spawn_grace_ms, TIMINGS.spawn_grace.value, HOUR / 6),
  };
}

/** §7.3: failures after which a run is not tried again. */
const PERMANENT = new Set([
  "access_denied",
  "bucket_not_valid",
  "key_id_does_not_exist",
  "invalid_endpoint",
  "refused",
  "size_mismatch",
  "destination_deleted",
]);

/** Checks the times of an export and of its runs: retries, timeouts, and that nothing happens after its end. */
export function checkTimes(
  context: TimeContext,
  parent: BulkExport,
  runs: readonly ExportRun[],
  findings: Findings,
): void {
  const add = (key: string, detail: string) => findings.add("timing", key, detail);
  const { workflowTimeoutMs } = boundsOf(context.settings);
  const begunAt = runs[0]?.created_at;
  const endedAt = parent.finished_at ?? context.now;
  if (context.isExact && begunAt !== undefined && endedAt - begunAt > workflowTimeoutMs)
    add(parent.id, `works for ${seconds(endedAt - begunAt)}, longer than the workflow timeout (§8.2)`);
  const times = attemptsOf(context.entries, parent, runs);
  for (const run of runs) {
    if (parent.finished_at !== null && run.finished_at === null)
      add(run.id, `is ${run.status} although its export is ${parent.status}`);
    const runTimes = times.get(run.id);
    if (runTimes === undefined) continue;
    for (const problem of runTimes.problems) add(run.id, problem);
    for (const problem of attemptProblems(context, parent, run, runTimes)) add(run.id, problem);
  }
}

function attemptProblems(
  context: TimeContext,
  parent: BulkExport,
  run: ExportRun,
  { attempts }: RunTimes,
): readonly string[] {
  const { runTimeoutMs } = boundsOf(context.settings);
  return attempts.flatMap((attempt, at) => {
    const problem = retryProblem(context, parent, attempt, attempts[at + 1], at);
    const endedAt = attempt.failedAt ?? run.finished_at ?? context.now;
    const isLong = context.isExact && endedAt - attempt.startedAt > runTimeoutMs;
    const long = `attempt ${at} takes ${seconds(endedAt - attempt.startedAt)}, longer than the run timeout (§8.2)`;
    return [...(problem === undefined ? [] : [problem]), ...(isLong ? [long] : [])];
  });
}

/** §7.3, §8.3: whether and when the next attempt follows a failed one. */
function retryProblem(
  context: TimeContext,
  parent: BulkExport,
  attempt: Attempt,
  next: Attempt | undefined,
  at: number,
): string | undefined {
  const { failedAt, failure = "", endsExport = false } = attempt;
  if (failedAt === undefined) return next && `attempt ${at + 1} starts although attempt ${at} has not failed`;
  const { retries, retryDelayMs } = boundsOf(context.settings);
  const after = `after attempt ${at} failed (${failure})`;
  const isLast = isPermanent(context.settings, failure) || at >= retries;
  if (next && isLast) return `there is a retry ${after}, which the specification ends there (§7.3, §8.3)`;
  if (next) return delayProblem(context, next.startedAt - failedAt, after);
  if (isLast) return endsExport ? undefined : `the export does not end ${after} (§7.3)`;
  if (endsExport) return `the export ends ${after}, with ${retries - at} retries left (§8.3)`;
  const isLate = context.isExact && parent.finished_at === null && context.now - failedAt > retryDelayMs;
  return isLate ? `no retry follows within ${seconds(retryDelayMs)} ${after} (§8.3)` : undefined;
}

function delayProblem({ settings, isExact }: TimeContext, waitedMs: number, after: string) {
  const { retryDelayMs } = boundsOf(settings);
  if (isExact ? waitedMs === retryDelayMs : waitedMs >= retryDelayMs) return undefined;
  return `a retry starts ${seconds(waitedMs)} ${after} instead of ${seconds(retryDelayMs)} (§8.3)`;
}

/** §7.3: whether no retry repairs this failure. */
function isPermanent({ assumptions }: Settings, failure: string): boolean {
  const isOutageRetried = assumptions["export.store_outage"] === "infrastructure interruption";
  return PERMANENT.has(failure) || (failure === "unavailable" && !isOutageRetried);
}

/** §3.3: each window of a schedule is exported once, ten minutes after its end; `spawnedExports` is ordered by window. */
export function checkSpawnTimes(
  { settings, now, isExact }: Pick<TimeContext, "settings" | "now" | "isExact">,
  schedule: BulkExport,
  spawnedExports: readonly BulkExport[],
  findings: Findings,
): void {
  const { graceMs } = boundsOf(settings);
  const dueAt = (end: string) => Math.max(schedule.created_at, instantMs(end) + graceMs);
  for (const { id, end_time, created_at } of spawnedExports) {
    const lateMs = created_at - dueAt(end_time as string);
    if (lateMs < 0 || (isExact && lateMs > 0))
      findings.add("timing", id, `is created ${seconds(lateMs)} after it is due (§3.3)`);
  }
  const last = spawnedExports.at(-1)?.end_time ?? schedule.start_time;
  const next = addHours(last, schedule.interval_hours as number);
  if (isExact && schedule.finished_at === null && next !== undefined && dueAt(next) < now)
    findings.add("timing", schedule.id, `the export of the window from ${last} is missing (§3.3)`);
}

function seconds(ms: number): string {
  return `${ms / SECOND} s`;
}
