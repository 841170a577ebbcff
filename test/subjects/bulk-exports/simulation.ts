import { FAULT_POINT_NAMES } from "../../../contracts/spec/faults.ts";
import { formatInstant, parseInstant } from "../../../emulator/kernel/instant.ts";
import type { JournalEntry } from "../../../emulator/kernel/journal.ts";
import { Refusal } from "../../../emulator/kernel/refusal.ts";
import { createFindings } from "../../../emulator/oracle/findings.ts";
import { checkSpawnTimes, checkTimes } from "../../../emulator/oracle/time-laws.ts";
import { HELD_SLOTS, SLOT_QUEUE } from "../../../emulator/subjects/bulk-exports/capacity.ts";
import { isFinal } from "../../../emulator/subjects/bulk-exports/lifecycle.ts";
import {
  type BulkExport,
  EXPORT_RUNS,
  EXPORTS,
  type ExportRun,
} from "../../../emulator/subjects/bulk-exports/records.ts";
import { removeFaults } from "../../../emulator/subjects/faults/rules.ts";
import { createBucket } from "../../../emulator/subjects/object-storage/buckets.ts";
import { buckets } from "../../../emulator/subjects/object-storage/records.ts";
import {
  BUCKET,
  type ExportWorld,
  NOW,
  OTHER_WORKSPACE,
  openExportWorld,
  type TestWorkspace,
} from "../../support/export-world.ts";
import { WORKSPACE } from "../../support/world.ts";

/** The result of one seed: the first violated rule, if any, and how often each event occurred. */
export interface Simulated {
  readonly broken: string | undefined;
  readonly happened: ReadonlyMap<string, number>;
}

/** Looks at the world after each step; throws for a broken promise. */
type Check = (exportWorld: ExportWorld) => void;

const STEPS = 45;
const ALL_STEPS = Array.from({ length: STEPS }, (_, step) => step);
const HOUR = 3_600_000;

/**
 * Runs one random story, or some of its steps; the same seed is always the same story. What a step does is drawn for it
 * alone, so that another one that is left out changes nothing of it.
 */
export async function simulate(
  seed: number,
  steps: readonly number[] = ALL_STEPS,
  check: Check = () => undefined,
): Promise<Simulated> {
  const random = randomOf(seed);
  const limits = limitsOf(random);
  const exportWorld = openExportWorld({ seed, limits });
  const monitor = monitorWorld(exportWorld, limits);
  const destinations = [exportWorld.addDestination(), exportWorld.addDestination(OTHER_WORKSPACE)];
  const simulation = { exportWorld, monitor, destinations };
  try {
    for (const step of steps) {
      const ofStep = randomOf(seed * STEPS + step);
      const [name, act] = ofStep.pick(ACTIONS);
      monitor.happen(name);
      await act({ ...simulation, random: ofStep });
      monitor.check(exportWorld);
      check(exportWorld);
    }
    await drain({ ...simulation, random });
    monitor.checkTimes(exportWorld);
  } catch (error) {
    return { broken: (error as Error).message.split("\n")[0], happened: monitor.happened };
  }
  return { broken: undefined, happened: monitor.happened };
}

/** The fewest steps with which a seed fails as it does with all of them; undefined when it does not fail. */
export async function shrunk(seed: number, check?: Check): Promise<readonly number[] | undefined> {
  const { broken } = await simulate(seed, ALL_STEPS, check);
  if (broken === undefined) return undefined;
  const fails = async (steps: readonly number[]) =>
    comparable((await simulate(seed, steps, check)).broken) === comparable(broken);
  let entries: readonly number[] = ALL_STEPS;
  for (let size = STEPS >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < entries.length; ) {
      const fewer = [...entries.slice(0, at), ...entries.slice(at + size)];
      if (await fails(fewer)) entries = fewer;
      else at += size;
    }
  return entries;
}

/** Ids and counts are those of a story. */
function comparable(broken: string | undefined): string | undefined {
  return broken?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d[\d:.TZ-]*/g, "#").replace(/#(,#)+/g, "#");
}

interface Simulation {
  readonly exportWorld: ExportWorld;
  readonly random: Random;
  readonly monitor: Monitor;
  readonly destinations: string[];
}

type Limits = ReturnType<typeof limitsOf>;

function limitsOf({ pick }: Random) {
  return {
    rows_per_file: pick([1, 2, 3, 5]),
    max_concurrent_runs_per_export: pick([1, 2, 5, 45]),
    max_concurrent_exports_per_workspace: pick([1, 2, 3, 15]),
    max_retries: pick([0, 2, 20, 20]),
    retry_delay_ms: 30_000,
    run_timeout_ms: 4 * HOUR,
    workflow_timeout_ms: pick([48, 72]) * HOUR,
  };
}

const ACTIONS: readonly (readonly [string, (simulation: Simulation) => unknown])[] = [
  ["rows", ingestRows],
  ["rows", ingestRows],
  ["rows", ingestRows],
  ["one-off", createOneOff],
  ["one-off", createOneOff],
  ["schedule", createSchedule],
  ["cancel", cancelRandom],
  ["advance", advanceClock],
  ["advance", advanceClock],
  ["advance", advanceClock],
  ["crash", crashNow],
  ["crash", crashWithWorkInFlight],
  ["fault", armRandomFault],
  ["fault", armRandomFault],
  ["destinations", changeDestinations],
  ["refusal", sendInvalidRequest],
];

function ingestRows({ exportWorld, random, monitor }: Simulation): void {
  for (let count = random.below(8); count > 0; count -= 1) {
    const number = random.below(60);
    const id = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000001`;
    // Mostly of the last days, so that exports under way are hit by what comes late, changes or moves.
    const at = exportWorld.world.now - random.below(random.pick([2, 30, 120])) * HOUR - random.below(HOUR);
    const workspace = random.pick([WORKSPACE, WORKSPACE, OTHER_WORKSPACE]);
    monitor.rowComes(id, workspace, at);
    exportWorld.ingest(id, formatInstant(at), random.pick(["kept", "dropped"]), workspace);
  }
}

function tryCreateExport(
  { exportWorld, random, destinations }: Simulation,
  body: Record<string, unknown>,
): BulkExport | undefined {
  const workspace = random.pick([WORKSPACE, WORKSPACE, WORKSPACE, OTHER_WORKSPACE]);
  const filter = random.pick([null, null, 'eq(name, "kept")', 'eq(name, "nothing")']);
  const names = workspace === WORKSPACE ? destinations.filter((_, at) => at !== 1) : destinations.slice(1, 2);
  try {
    return exportWorld.create({ bulk_export_destination_id: random.pick(names), filter, ...body }, workspace);
  } catch (error) {
    // The destination may be gone: that is an answer.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function createOneOff(simulation: Simulation): void {
  const { exportWorld, random } = simulation;
  const days = random.pick([1, 1, 2, 3, 3, 50]);
  const end = exportWorld.world.now + (random.below(48) - 24) * HOUR - random.below(HOUR);
  tryCreateExport(simulation, {
    start_time: formatInstant(end - days * 24 * HOUR + random.below(20 * HOUR)),
    end_time: formatInstant(end),
  });
}

function createSchedule(simulation: Simulation): void {
  const { exportWorld, random, monitor } = simulation;
  const interval_hours = random.pick([1, 6, 24, 168]);
  const start =
    exportWorld.world.now - random.pick([-30, 0, 1, 3 * interval_hours]) * HOUR + random.below(HOUR);
  const resource = tryCreateExport(simulation, { start_time: formatInstant(start), interval_hours });
  if (resource) monitor.scheduled.push({ id: resource.id, at: exportWorld.world.now });
}

function cancelRandom({ exportWorld, random }: Simulation): void {
  const open = exportsIn(exportWorld).filter((one) => !isFinal(one));
  if (open.length > 0) exportWorld.cancel(random.pick(open).id);
}

async function advanceClock({ exportWorld, random }: Simulation): Promise<void> {
  await advanceBy(exportWorld, random.pick([1, 1000, 31_000, 600_000, HOUR, 5 * HOUR, 26 * HOUR, 75 * HOUR]));
}

async function advanceBy(exportWorld: ExportWorld, ms: number): Promise<void> {
  const { stopped, firedTotal } = await exportWorld.advance(ms);
  if (stopped === "runaway") throw new Error(`${firedTotal} events in ${ms} ms: something never ends`);
}

function crashNow({ exportWorld }: Simulation): void {
  exportWorld.crash(() => true);
}

async function crashWithWorkInFlight({ exportWorld, random, monitor }: Simulation): Promise<void> {
  exportWorld.hold();
  await advanceBy(exportWorld, random.pick([1000, HOUR, 7 * HOUR]));
  if (exportWorld.world.inFlight().length > 0) monitor.happen("crash with files under way");
  exportWorld.crash(() => random.below(2) === 0);
}

function armRandomFault({ exportWorld, random }: Simulation): void {
  const nth = 1 + random.below(4);
  const times = random.pick([1, 2, 5, 25]);
  const at = random.pick(FAULT_POINT_NAMES);
  exportWorld.arm({
    ...random.pick([
      { target: "worker", match: { at, nth }, then: { crash: true } },
      { target: "worker", match: { at, nth }, then: { error: "serialization_error" } },
      { target: "worker", match: { at, nth }, then: { error: "resource_exhausted" } },
      { target: "worker", match: { at, nth }, then: { stall: random.pick(["PT1M", "PT4H1S", "P4D"]) } },
      { target: "worker", match: { at, nth: 9 }, then: { delete_destination: true } },
      {
        target: "s3",
        match: { op: "PutObject", nth },
        then: { s3_error: random.pick(["SlowDown", "AccessDenied"]) },
      },
      { target: "s3", match: { at, nth: 9 }, then: { delete_bucket: true } },
      { preset: "workflow_timeout", match: { nth } },
    ]),
    times,
    ttl: "PT30H",
  });
}

function changeDestinations({ exportWorld, random, destinations, monitor }: Simulation): void {
  exportWorld.turn((turn) => turn.get(buckets, BUCKET) ?? createBucket(turn, BUCKET));
  if (destinations.length > 3 && random.below(3) === 0) {
    monitor.happen("destination removed");
    exportWorld.removeDestination(destinations[0] as string);
    destinations[0] = exportWorld.addDestination();
  } else destinations.push(exportWorld.addDestination());
}

/** A 4xx leaves the world unchanged. */
function sendInvalidRequest({ exportWorld, random, monitor, destinations }: Simulation): void {
  const before = snapshotOf(exportWorld);
  const body = {
    bulk_export_destination_id: destinations.at(-1) as string,
    start_time: "2026-01-01T00:00:00Z",
    end_time: "2026-01-02T00:00:00Z",
  };
  const ended = exportsIn(exportWorld).find((one) => isFinal(one));
  const wrong: readonly (() => unknown)[] = [
    () => exportWorld.create({ ...body, end_time: "2026-01-01T00:00:00Z" }),
    () => exportWorld.create({ ...body, filter: "eq(nothing" }),
    () => exportWorld.create({ ...body, interval_hours: 3 }),
    () => exportWorld.create({ ...body, bulk_export_destination_id: BUCKET }),
    () => exportWorld.create({ ...body, session_id: BUCKET }),
    () =>
      exportWorld.create({
        ...body,
        start_time: "1000-01-01T00:00:00Z",
        end_time: undefined,
        interval_hours: 1,
      }),
    () => exportWorld.arm({ target: "worker", match: {}, then: { explode: true } }),
    ...(ended ? [() => exportWorld.cancel(ended.id)] : []),
  ];
  try {
    random.pick(wrong)();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    monitor.happen("refused");
    if (snapshotOf(exportWorld) !== before)
      throw new Error(`a refused request changed the world: ${error.message}`);
    return;
  }
  throw new Error("nonsense was accepted");
}

/** Turns are counted, refused ones too. */
function snapshotOf({ world }: ExportWorld): string {
  return JSON.stringify({ ...world.state(), turn: 0 });
}

/** Without schedules and faults everything ends, and all places are free again. */
async function drain({ exportWorld, monitor }: Simulation): Promise<void> {
  exportWorld.turn((turn) => removeFaults(turn));
  for (const one of exportsIn(exportWorld))
    if (one.interval_hours !== null && !isFinal(one)) exportWorld.cancel(one.id);
  for (let weeks = 0; exportsIn(exportWorld).some((one) => !isFinal(one)); weeks += 1) {
    if (weeks > 20) throw new Error("exports never end");
    await advanceBy(exportWorld, 7 * 24 * HOUR);
    monitor.check(exportWorld);
  }
  for (const kind of [HELD_SLOTS, SLOT_QUEUE])
    for (const { id, pool } of exportWorld.world.reader.list(kind))
      throw new Error(`${id} is left in ${pool}`);
}

export function exportsIn({ world }: ExportWorld): readonly BulkExport[] {
  return [...world.reader.list(EXPORTS)];
}

type Monitor = ReturnType<typeof monitorWorld>;

/** Looks at every turn and every record for a broken promise. */
function monitorWorld(exportWorld: ExportWorld, limits: Limits) {
  const happened = new Map<string, number>();
  const finals = new Map<string, string>();
  const verified = new Set<string>();
  const atWork = new Map<string, number>();
  const starts = new Map<string, Set<string>>();
  const retryDueAt = new Map<string, number>();
  const rows = new Map<string, string>();
  const scheduled: { readonly id: string; readonly at: number }[] = [];
  const entries: JournalEntry[] = [];
  let broken: Error | undefined;

  function countEvent(what: string): void {
    happened.set(what, (happened.get(what) ?? 0) + 1);
  }

  function count(pool: string, change: number, limit: number): void {
    const now = (atWork.get(pool) ?? 0) + change;
    atWork.set(pool, now);
    if (now > limit) throw new Error(`${now} at once in ${pool}, where ${limit} may be`);
  }

  function follow({ cause, put = [], notes = [] }: JournalEntry): void {
    const { reader } = exportWorld.world;
    for (const name of put) checkRetryDelay(name, cause.name);
    if (cause.name === "export_run.start")
      begin(cause.ref as string, reader.get(EXPORT_RUNS, cause.ref as string));
    for (const { kind, ref, detail = {} } of notes) {
      if (kind === "waiting_for_capacity")
        countEvent(String(detail.pool).startsWith("runs") ? "waiting run" : "waiting export");
      if (kind === "export_run.failed")
        checkFailure(reader.get(EXPORT_RUNS, ref) as ExportRun, String(detail.failure));
      if (kind === "export.spawned") countEvent("spawned");
      if (!kind.endsWith(".moved")) continue;
      const isRun = kind === "export_run.moved";
      const record = isRun ? reader.get(EXPORT_RUNS, ref) : reader.get(EXPORTS, ref);
      if (!record) throw new Error(`${ref} moved and is not there`);
      if ("interval_hours" in record && record.interval_hours !== null) continue;
      const pool =
        "bulk_export_id" in record ? `runs of ${record.bulk_export_id}` : `exports of ${record.tenant_id}`;
      const limit = isRun
        ? limits.max_concurrent_runs_per_export
        : limits.max_concurrent_exports_per_workspace;
      if (detail.to === "RUNNING") count(pool, 1, limit);
      if (detail.from === "RUNNING") count(pool, -1, limit);
    }
  }

  /** Only what passes by itself is tried again, as long as attempts are left, and after the delay. */
  function checkFailure(run: ExportRun, failure: string): void {
    const isTriedAgain = !PERMANENT_FAILURES.has(failure) && run.attempt <= limits.max_retries;
    if (isTriedAgain === isFinal(run)) throw new Error(`run ${run.id} is ${run.status} after ${failure}`);
    if (!isTriedAgain) return;
    countEvent("retry");
    retryDueAt.set(run.id, exportWorld.world.now + limits.retry_delay_ms);
  }

  /** Between two attempts nothing happens to a run, unless its export ends. */
  function checkRetryDelay(name: string, cause: string): void {
    const id = name.slice("bulk_export_runs/".length);
    const until = retryDueAt.get(id);
    if (until === undefined || !name.startsWith("bulk_export_runs/")) return;
    retryDueAt.delete(id);
    const run = exportWorld.world.reader.get(EXPORT_RUNS, id);
    const isRetry = cause === "export_run.start" && exportWorld.world.now === until;
    if (!isRetry && run && !isFinal(run))
      throw new Error(`run ${id} does not wait for its next attempt (${cause})`);
  }

  function begin(id: string, run: ExportRun | undefined): void {
    if (!run || isFinal(run)) return;
    const attempts = (starts.get(id) ?? new Set<string>()).add(String(run.attempt));
    starts.set(id, attempts);
    if (attempts.size > limits.max_retries + 1) throw new Error(`${attempts.size} attempts at run ${id}`);
  }

  exportWorld.follow((entry) => {
    entries.push(entry);
    // A listener that throws would be blamed on the turn.
    try {
      follow(entry);
    } catch (error) {
      broken ??= error as Error;
    }
  });

  return {
    happened,
    happen: countEvent,
    scheduled,
    /** The laws of time, which the oracle finds in the journal alone. */
    checkTimes: (now: ExportWorld) => checkLaws(now, entries),
    rowComes(id: string, workspace: TestWorkspace, at: number): void {
      const key = `${id} ${workspace.tenant_id}`;
      const day = formatInstant(at).slice(0, 10);
      const before = rows.get(key);
      if (before !== undefined) countEvent(before === day ? "changed row" : "moved row");
      if (at < exportWorld.world.now - HOUR) countEvent("late row");
      rows.set(key, day);
    },
    check(now: ExportWorld): void {
      if (broken) throw broken;
      if (now.world.defect) throw now.world.defect;
      for (const one of exportsIn(now)) checkExport(now, one);
      for (const one of scheduled) checkSchedule(now, one);
    },
  };

  function checkExport(now: ExportWorld, one: BulkExport): void {
    const runs = now.runs(one.id);
    keepFinal(one.id, one.status, isFinal(one));
    for (const run of runs) {
      keepFinal(run.id, run.status, isFinal(run));
      if (run.attempt > limits.max_retries + 1) throw new Error(`run ${run.id} is at attempt ${run.attempt}`);
      if (Object.keys(run.errors).length !== run.attempt) throw new Error(`run ${run.id} lacks an error`);
      if (run.status === "FAILED" && run.attempt === limits.max_retries + 1) countEvent("retries used up");
      if (isFinal(one) && !isFinal(run)) throw new Error(`run ${run.id} outlives its export`);
    }
    if (one.status !== "COMPLETED" || one.interval_hours !== null || verified.has(one.id)) return;
    verified.add(one.id);
    for (const run of runs) checkRows(now, one, run);
  }

  function keepFinal(id: string, status: string, final: boolean): void {
    const before = finals.get(id);
    if (before !== undefined && before !== status) throw new Error(`${id} left ${before} for ${status}`);
    if (!final || before !== undefined) return;
    finals.set(id, status);
    countEvent(status);
  }

  function checkRows(now: ExportWorld, one: BulkExport, run: ExportRun): void {
    if (run.status !== "COMPLETED") throw new Error(`run ${run.id} of a COMPLETED export is ${run.status}`);
    if (run.files.length > 1) countEvent("several files in a run");
    const results = now.rowsIn(run);
    const expected = now.selected(one, run);
    if (results.join() !== expected.join())
      throw new Error(`run ${run.id} holds ${results.join()} instead of ${expected.join()}`);
    const counted = run.files.reduce((sum, { rows }) => sum + rows, 0);
    if (counted !== results.length)
      throw new Error(`run ${run.id} counts ${counted} rows and has ${results.length}`);
  }

  function checkSchedule(now: ExportWorld, { id, at }: { readonly id: string; readonly at: number }): void {
    const schedule = now.export(id);
    let start = parseInstant(schedule.start_time) as number;
    for (const one of now.spawned(id)) {
      const end = start + (schedule.interval_hours as number) * HOUR;
      const due = Math.max(at, end + 600_000);
      const report = [one.start_time, one.end_time, one.created_at, one.source_bulk_export_id].join();
      const expected = [formatInstant(start), formatInstant(end), due, id].join();
      if (report !== expected) throw new Error(`schedule ${id} spawned ${report} instead of ${expected}`);
      start = end;
    }
    const isOverdue = start + (schedule.interval_hours as number) * HOUR + 600_000 < now.world.now;
    if (isOverdue && !isFinal(schedule))
      throw new Error(`schedule ${id} has stopped at ${formatInstant(start)}`);
  }
}

function checkLaws({ world, spawned, settings }: ExportWorld, entries: readonly JournalEntry[]): void {
  const findings = createFindings();
  const context = { settings, now: world.now, entries, isExact: true };
  for (const parent of world.reader.list(EXPORTS)) {
    if (parent.interval_hours !== null) checkSpawnTimes(context, parent, spawned(parent.id), findings);
    else checkTimes(context, parent, [...world.reader.list(EXPORT_RUNS, parent.id)], findings);
  }
  const [problem] = findings.problems();
  if (problem) throw new Error(`${problem.key} ${problem.detail}`);
}

/** Failures that no retry can repair (§7.3). */
const PERMANENT_FAILURES = new Set([
  "access_denied",
  "bucket_not_valid",
  "key_id_does_not_exist",
  "destination_deleted",
]);

interface Random {
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

/** A small generator of numbers that are the same everywhere. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + NOW, 0x9e3779b1) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (from) => from[below(from.length)] as never };
}
