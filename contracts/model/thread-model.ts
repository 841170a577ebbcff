import { instantOf } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import {
  LIST_DEFAULTS,
  LISTED_STATUSES,
  RUN,
  RUN_MEMBERS,
  RUN_STATUSES,
  STRATEGIES,
} from "../facts/agent.ts";
import { Difference, expectSame, expectThat } from "./difference.ts";

/** The parameters of a list of runs (§4.1). */
export interface RunQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly status?: string | undefined;
  readonly select?: readonly string[] | undefined;
}

/** A run that the model has started. */
interface StartedRun {
  readonly assistantId: string;
  /** A text of its input. */
  readonly marker: string;
}

/** The runs of one thread. */
export interface ThreadModel {
  readonly id: string;
  /** Undefined for a thread that others use too. */
  readonly started: StartedRun[] | undefined;
  /** All runs by the newest complete list, undefined when a run may have been added since. */
  runs: readonly Members[] | undefined;
  /** By status filter: the run at each place of the list. */
  readonly places: Map<string, Map<number, unknown>>;
}

export function newThread(id: string, isOwn: boolean): ThreadModel {
  return { id, started: isOwn ? [] : undefined, runs: undefined, places: new Map() };
}

export function addRun(thread: ThreadModel, run: StartedRun): void {
  thread.started?.push(run);
  forgetRuns(thread);
}

/** The next list is not compared with the lists before. */
export function forgetRuns(thread: ThreadModel): void {
  thread.runs = undefined;
  thread.places.clear();
}

export function hasOpenRuns({ runs, started }: ThreadModel): boolean {
  if (!runs) return started?.length !== 0;
  return runs.some(({ status }) => status === "pending" || status === "running");
}

/** Why a query is refused with 422; undefined for a valid one (§2.1, §4.1). */
export function refusalOf({ status, select = [] }: RunQuery): "2.1-4" | "4.1-2" | undefined {
  if (status !== undefined && !LISTED_STATUSES.some((name) => name === status)) return "2.1-4";
  return select.every((name) => name in RUN) ? undefined : "4.1-2";
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const KINDS: Readonly<Record<(typeof RUN)[keyof typeof RUN], (value: unknown) => boolean>> = {
  uuid: (value) => UUID.test(String(value)),
  "date-time": (value) => !Number.isNaN(instantOf(value)),
  text: (value) => typeof value === "string",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** Checks a list with all runs of the thread, and remembers it. */
export function learnRuns(thread: ThreadModel, runs: readonly Members[]): void {
  for (const run of runs) checkRun(thread, run);
  const ids = new Set(runs.map(({ run_id }) => run_id));
  expectSame("4.1-1", "a list contains each run once", ids.size, runs.length);
  checkStarted(thread, runs);
  thread.runs = runs;
}

function checkRun({ id }: ThreadModel, run: Members): void {
  for (const name of RUN_MEMBERS)
    expectThat("2.1-1", KINDS[RUN[name]](run[name]), `${name} of a run has its type`, RUN[name], run[name]);
  expectSame("2.1-1", "a run names its thread", run.thread_id, id);
  const { status, multitask_strategy: strategy } = run;
  expectThat(
    "2.1-2",
    RUN_STATUSES.some((name) => name === status),
    "status of a run",
    RUN_STATUSES,
    status,
  );
  expectThat(
    "2.1-3",
    STRATEGIES.some((name) => name === strategy),
    "strategy",
    STRATEGIES,
    strategy,
  );
  const isLater = instantOf(run.updated_at) >= instantOf(run.created_at);
  expectThat("2.1-1", isLater, "updated_at is not before created_at", run.created_at, run.updated_at);
}

/** A thread of the model's own has the runs that were started, each with its assistant and its input (§2.1). */
function checkStarted({ started }: ThreadModel, runs: readonly Members[]): void {
  // A rollback removes the run that it ends.
  if (!started || runs.some(({ multitask_strategy }) => multitask_strategy === "rollback")) return;
  expectSame("4.1-1", "all pages of the list together have every run", runs.length, started.length);
  for (const { marker, assistantId } of started) {
    const run = runs.find(({ kwargs }) => JSON.stringify(kwargs).includes(marker));
    if (!run)
      throw new Difference(
        "2.1-1",
        "kwargs contains the input of its run",
        marker,
        runs.map(({ kwargs }) => kwargs),
      );
    if (UUID.test(assistantId))
      expectSame("2.1-1", "a run names its assistant", run.assistant_id, assistantId);
  }
}

/** Checks a page against the newest complete list. */
export function checkPage(thread: ThreadModel, query: RunQuery, page: readonly Members[]): void {
  const { limit = LIST_DEFAULTS.limit, offset = LIST_DEFAULTS.offset, status, select } = query;
  const requirement = status === undefined ? "4.1-1" : "2.1-4";
  const matchingRuns = (thread.runs ?? []).filter((run) => status === undefined || run.status === status);
  const length = Math.max(0, Math.min(limit, matchingRuns.length - offset));
  const text = `${matchingRuns.length} runs match; number of runs in the page`;
  expectSame(requirement, text, page.length, length);
  const members = [...new Set(select ?? RUN_MEMBERS)].sort().join();
  page.forEach((run, index) => {
    // Without select, further members are not refused.
    const names = Object.keys(run).filter((name) => select !== undefined || name in RUN);
    expectSame("4.1-2", "members of a run in the page", names.sort().join(), members);
    if (status !== undefined && "status" in run)
      expectSame("2.1-4", "status of a run in the page", run.status, status);
    if ("run_id" in run) checkPlace(thread, matchingRuns, run.run_id, status, offset + index);
  });
}

/** A run has one place in the list of its status: no page repeats or omits it. */
function checkPlace(
  { places }: ThreadModel,
  matchingRuns: readonly Members[],
  runId: unknown,
  status = "",
  place: number,
): void {
  const ids = matchingRuns.map(({ run_id }) => run_id);
  expectThat("4.1-1", ids.includes(runId), "a page has runs of the thread that match", ids, runId);
  const idsByPlace = places.get(status) ?? new Map<number, unknown>();
  places.set(status, idsByPlace);
  const other = [...idsByPlace].find(([at, id]) => (at === place) !== (id === runId));
  const at = other && `${other[1]} at place ${other[0]}`;
  expectSame(
    "4.1-1",
    "pages of an unchanged thread repeat or omit no run",
    `${runId} at place ${place}`,
    at ?? `${runId} at place ${place}`,
  );
  idsByPlace.set(place, runId);
}
