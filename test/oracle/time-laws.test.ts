import { expect, it } from "vitest";
import { formatInstant } from "../../emulator/kernel/instant.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import { createFindings } from "../../emulator/oracle/findings.ts";
import { checkSpawnTimes, checkTimes } from "../../emulator/oracle/time-laws.ts";
import { EXPORT_RUNS, EXPORTS } from "../../emulator/subjects/bulk-exports/records.ts";
import { type ExportWorld, type ExportWorldOptions, NOW, openExportWorld } from "../support/export-world.ts";
import { DEFAULTS } from "../support/world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A world that works wrong, because its limits are others than those with which it is checked. */
async function problemsOf(
  limits: ExportWorldOptions["limits"],
  fault: unknown,
  act: (world: ExportWorld) => unknown = () => undefined,
  change: (entries: readonly JournalEntry[]) => readonly JournalEntry[] = (same) => same,
): Promise<readonly string[]> {
  const world = openExportWorld({ limits: limits ?? {} });
  const entries: JournalEntry[] = [];
  world.follow((entry) => entries.push(entry));
  world.ingest("00000000-0000-4000-8000-000000000001", formatInstant(NOW - 2 * HOUR), "kept");
  if (fault !== undefined) world.arm(fault);
  const window = { start_time: formatInstant(NOW - 2 * DAY), end_time: formatInstant(NOW) };
  world.create({ bulk_export_destination_id: world.addDestination(), ...window });
  await act(world);
  await world.advance(12 * HOUR);
  const findings = createFindings();
  const context = { settings: DEFAULTS, now: world.world.now, entries: change(entries), isExact: true };
  for (const parent of world.reader.list(EXPORTS)) {
    if (parent.interval_hours !== null) checkSpawnTimes(context, parent, world.spawned(parent.id), findings);
    else checkTimes(context, parent, [...world.reader.list(EXPORT_RUNS, parent.id)], findings);
  }
  return findings.problems().map(({ detail }) => detail);
}

const CRASH = { target: "worker", match: { at: "rows.read" }, then: { crash: true } };
const STALL = { target: "worker", match: { at: "rows.read" }, then: { stall: "PT5H" }, times: 2 };

const createSchedule = (world: ExportWorld) =>
  world.create({
    bulk_export_destination_id: world.addDestination(),
    start_time: formatInstant(NOW - HOUR),
    interval_hours: 1,
  });

it.each([
  ["nothing", {}, CRASH, undefined, undefined],
  [
    "a retry after 40 minutes",
    { retry_delay_ms: 2_400_000 },
    CRASH,
    undefined,
    "a retry starts 2400 s after",
  ],
  ["one retry", { max_retries: 1 }, { ...CRASH, times: 9 }, undefined, "with 19 retries left (§8.3)"],
  [
    "30 retries",
    { max_retries: 30 },
    { ...CRASH, times: 25 },
    undefined,
    "there is a retry after attempt 20",
  ],
  ["no timeout", { run_timeout_ms: DAY }, STALL, undefined, "attempt 0 takes 18001 s, longer than"],
  ["a schedule", {}, undefined, createSchedule, undefined],
] as const)("finds in the journal: %s", async (_, limits, fault, act, problem) => {
  const problems = await problemsOf(limits, fault, act);
  expect(problems).toEqual(
    problem === undefined ? [] : expect.arrayContaining([expect.stringContaining(problem)]),
  );
});

it("finds a retry of a failure that §7.3 does not retry", async () => {
  const denials = (entries: readonly JournalEntry[]) =>
    JSON.parse(JSON.stringify(entries).replaceAll('"failure":"worker_crash"', '"failure":"access_denied"'));
  expect(await problemsOf({}, CRASH, undefined, denials)).toEqual([
    expect.stringContaining("there is a retry after attempt 0 failed (access_denied)"),
  ]);
});

it("finds a run that continues after its export was cancelled", async () => {
  const cancel = async (world: ExportWorld) => {
    await world.advance("PT10M");
    for (const { id } of [...world.reader.list(EXPORTS)]) world.cancel(id);
  };
  const continued = (entries: readonly JournalEntry[]) =>
    entries.flatMap((entry) => {
      const ref = entry.put?.find((name) => name.startsWith("bulk_export_runs/"))?.split("/")[1];
      if (!ref || !entry.notes?.some(({ detail }) => detail?.to === "CANCELLED")) return [entry];
      const later = {
        turn: entry.turn,
        now: formatInstant(NOW + HOUR),
        cause: { type: "event", name: "x", ref },
      };
      return [entry, { ...later, effects: [{ kind: "export.write_file", ref }] } as JournalEntry];
    });
  const fault = { ...STALL, match: { at: "run.started" } };
  expect(await problemsOf({}, fault, cancel)).toEqual([]);
  const problems = await problemsOf({}, fault, cancel, continued);
  expect(problems).toEqual([expect.stringContaining("after its end (requests a file; §3.1)")]);
});

it("finds windows of a schedule that are exported early or not at all", async () => {
  const world = openExportWorld({});
  const schedule = createSchedule(world);
  await world.advance(5 * HOUR);
  const spawnedExports = world.spawned(schedule.id);
  const context = { settings: DEFAULTS, now: world.world.now, isExact: true };
  const findings = createFindings();
  checkSpawnTimes(context, schedule, [{ ...spawnedExports[0], created_at: NOW } as never], findings);
  expect(findings.problems().map(({ detail }) => detail)).toEqual([
    "is created -600 s after it is due (§3.3)",
    expect.stringMatching(/^the export of the window from .* is missing \(§3\.3\)$/),
  ]);
});
