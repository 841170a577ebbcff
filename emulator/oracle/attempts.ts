import { type Instant, instantMs } from "../kernel/instant.ts";
import type { JournalEntry } from "../kernel/journal.ts";
import type { BulkExport, ExportRun } from "../subjects/bulk-exports/records.ts";

/** An attempt at a run, from the journal. */
export interface Attempt {
  readonly startedAt: Instant;
  failedAt?: Instant;
  failure?: string;
  /** True when its failure ended the export. */
  endsExport?: boolean;
}

/** The attempts at a run, and what happened to it outside of them. */
export interface RunTimes {
  readonly attempts: Attempt[];
  readonly problems: string[];
  /** For each file that was requested: its attempt. Results have the order of the requests. */
  readonly requests: number[];
  results: number;
}

/** The attempts at those runs of an export whose creation the journal still has. */
export function attemptsOf(
  entries: readonly JournalEntry[],
  parent: BulkExport,
  runs: readonly ExportRun[],
): ReadonlyMap<string, RunTimes> {
  const runById = new Map(runs.map((run) => [run.id, run]));
  const times = new Map<string, RunTimes>();
  for (const entry of entries) {
    const changedKeys = new Set(entry.put);
    for (const id of runIds(entry)) {
      const run = runById.get(id);
      if (run === undefined) continue;
      const isChanged = changedKeys.has(`bulk_export_runs/${id}`);
      const runTimes = times.get(id);
      if (runTimes) follow(entry, parent, run, runTimes, isChanged);
      else if (isChanged && entry.cause.ref !== id && instantMs(entry.now) === run.created_at)
        times.set(id, { attempts: [], problems: [], requests: [], results: 0 });
    }
  }
  return times;
}

const RUN_RECORD = "bulk_export_runs/";

function runIds({ put = [], cause, effects = [] }: JournalEntry): ReadonlySet<string> {
  const runKeys = put.filter((name) => name.startsWith(RUN_RECORD));
  return new Set([
    ...runKeys.map((name) => name.slice(RUN_RECORD.length)),
    ...(cause.ref === undefined ? [] : [cause.ref]),
    ...effects.map(({ ref }) => ref),
  ]);
}

/** One turn that concerns a run. */
function follow(
  entry: JournalEntry,
  parent: BulkExport,
  run: ExportRun,
  times: RunTimes,
  isChanged: boolean,
): void {
  const { now, cause, put = [], notes = [], effects = [] } = entry;
  const { attempts, problems, requests } = times;
  const at = instantMs(now);
  const isRequest = effects.some(({ kind, ref }) => kind === "export.write_file" && ref === run.id);
  const endedAt = Math.min(run.finished_at ?? at, parent.finished_at ?? at);
  if (at > endedAt && (isChanged || isRequest))
    problems.push(`continues at ${now}, after its end (${isRequest ? "requests a file" : cause.name}; §3.1)`);
  if (cause.ref === run.id) followCause(entry, times, isChanged);
  const failure = notes.find(({ kind, ref }) => kind === "export_run.failed" && ref === run.id);
  const attempt = attempts.at(-1);
  if (failure && attempt) {
    attempt.failedAt = at;
    attempt.failure = String(failure.detail?.failure);
    attempt.endsExport = put.includes(`bulk_exports/${parent.id}`);
  }
  if (isRequest) requests.push(attempts.length);
}

/** A turn of the run itself: the start of an attempt, or the result of a file. */
function followCause({ now, cause }: JournalEntry, times: RunTimes, isChanged: boolean): void {
  const { attempts, problems, requests } = times;
  if (cause.name === "export_run.start" && isChanged) attempts.push({ startedAt: instantMs(now) });
  if (cause.type !== "effect" || cause.name !== "export.write_file") return;
  const isStale = requests[times.results] !== attempts.length || attempts.at(-1)?.failedAt !== undefined;
  times.results += 1;
  if (isStale && isChanged) problems.push(`uses the result of an earlier attempt at ${now} (§7.3)`);
}
