import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import type { EmulatorOptions } from "../../emulator/runtime/library/options.ts";
import { type ServingEmulator, serve } from "../../emulator/runtime/start.ts";
import { DESTINATION, HEADERS } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

const DAY = 86_400_000;
const PRESENT = Date.parse("2026-06-01T12:00:00Z");
const OWN_TIME = "2026-03-03T00:00:02.000000Z";

let folder: string;
let emulator: ServingEmulator | undefined;

beforeEach(() => {
  folder = workingFolder();
  vi.useFakeTimers({ toFake: ["Date"], now: PRESENT });
});

afterEach(async () => {
  await end();
  vi.useRealTimers();
});

async function end(): Promise<void> {
  const ending = emulator;
  emulator = undefined;
  await ending?.close();
}

/** Starts on the folder of the test; the emulator that was running ends before. */
async function restart(options: EmulatorOptions = {}): Promise<ServingEmulator> {
  await end();
  const resolution = await resolveConfiguration({
    cwd: folder,
    options: { port: 0, data: folder, ...options },
  });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  emulator = await serve(resolution.configuration);
  return emulator;
}

async function call<T>(method: string, path: string, body?: unknown, world = "main"): Promise<T> {
  const response = await fetch(`${emulator?.ready.url}${path}`, {
    method,
    headers: { ...HEADERS, "x-emulator-world": world },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const reply = await response.json();
  expect(response.ok, JSON.stringify(reply)).toBe(true);
  return reply as T;
}

const control = <T>(method: string, path: string, body?: unknown, world?: string) =>
  call<T>(method, `/_emulator/v1${path}`, body, world);

interface ClockView {
  readonly now: string;
  readonly mode: string;
  readonly rate: number;
  readonly follows_wall: boolean;
}

const clock = (world?: string) => control<ClockView>("GET", "/clock", undefined, world);

async function createDailySchedule(startTime: string): Promise<void> {
  const { id } = await call<{ id: string }>("POST", "/api/v1/sessions", { name: "shop" });
  const destination = await call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
  const schedule = { interval_hours: 24, start_time: startTime, session_id: id };
  await call("POST", "/api/v1/bulk-exports", { ...schedule, bulk_export_destination_id: destination.id });
}

/** Windows of the exports that the schedule has created. */
async function spawnedWindows(): Promise<string[]> {
  const exports = await call<{ interval_hours: number | null; end_time: string }[]>(
    "GET",
    "/api/v1/bulk-exports",
  );
  return exports
    .filter((one) => one.interval_hours === null)
    .map((one) => one.end_time.slice(0, 10))
    .sort();
}

describe("a world with a time of its own", () => {
  it.each([
    ["frozen", { mode: "frozen", rate: 1 }],
    ["flowing", { mode: "flowing", rate: 1 }],
  ] as const)("that is %s resumes where it stood, however long it was away", async (mode, expected) => {
    await restart({ now: "2026-03-01T00:00:00Z", clock: mode });
    await createDailySchedule("2026-03-01T00:00:00Z");
    await control("POST", "/clock/advance", { to: OWN_TIME });
    const spawnedExports = await spawnedWindows();
    expect(spawnedExports).toHaveLength(1);
    await end();
    vi.setSystemTime(PRESENT + 270 * DAY);
    const { resumption, clock: clockAtStart } = await restart();
    expect(resumption).toMatchObject({ at: Date.parse(OWN_TIME), awayMs: 0, due: 0, isExact: true });
    expect(clockAtStart).toEqual(expected);
    expect(await clock()).toMatchObject({ ...expected, now: OWN_TIME, follows_wall: false });
    expect(await spawnedWindows()).toEqual(spawnedExports);
  });

  it.each([
    ["advanced", "/clock/advance", { by: "PT1H" }],
    ["given a rate", "/clock/flow", { rate: 60 }],
    ["frozen", "/clock/freeze", {}],
  ])("is one that followed the wall clock until it was %s", async (_, path, body) => {
    await restart();
    expect((await clock()).follows_wall).toBe(true);
    await control("POST", path, body);
    const { now } = await clock();
    await end();
    vi.setSystemTime(PRESENT + 10 * DAY);
    await restart();
    expect(await clock()).toMatchObject({ now, follows_wall: false });
  });

  it("follows the wall clock from now on with --clock wall, which counts the events first", async () => {
    await restart({ now: "2026-05-28T00:00:00Z", clock: "frozen" });
    await createDailySchedule("2026-05-28T00:00:00Z");
    const { resumption } = await restart({ clock: "wall" });
    expect(resumption).toMatchObject({ at: PRESENT, awayMs: PRESENT - Date.parse("2026-05-28T00:00:00Z") });
    expect(resumption?.due).toBeGreaterThan(4);
    await expect.poll(spawnedWindows).toEqual(["2026-05-29", "2026-05-30", "2026-05-31", "2026-06-01"]);
    expect(await clock()).toMatchObject({ mode: "flowing", rate: 1, follows_wall: true });
  });

  it("moves to a later --now, and refuses an earlier one", async () => {
    await restart({ now: "2026-03-01T00:00:00Z", clock: "frozen" });
    await restart({ now: OWN_TIME });
    expect(await clock()).toMatchObject({ now: OWN_TIME, mode: "frozen" });
    await expect(restart({ now: "2026-03-02T00:00:00Z" })).rejects.toThrow(
      /is before the time of the stored data/,
    );
  });
});

describe("a world that has always followed the wall clock", () => {
  it("continues to follow it, and every event fires at its own instant", async () => {
    await restart();
    await createDailySchedule("2026-06-01T00:00:00Z");
    await end();
    vi.setSystemTime(PRESENT + 3 * DAY);
    const { resumption } = await restart();
    expect(resumption).toMatchObject({ at: PRESENT + 3 * DAY, awayMs: 3 * DAY, isExact: true });
    await expect.poll(spawnedWindows).toEqual(["2026-06-02", "2026-06-03", "2026-06-04"]);
    const exports = await call<{ interval_hours: number | null; created_at: string }[]>(
      "GET",
      "/api/v1/bulk-exports",
    );
    const instants = exports.flatMap((one) =>
      one.interval_hours === null ? [one.created_at.slice(0, 19)] : [],
    );
    expect(instants.sort()).toEqual(["2026-06-02T00:10:00", "2026-06-03T00:10:00", "2026-06-04T00:10:00"]);
    const journal = await (await fetch(`${emulator?.ready.url}/_emulator/v1/journal`)).text();
    const turns = journal
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { cause: { name: string; detail?: unknown } });
    const resumed = turns.find(({ cause }) => cause.name === "clock.resume");
    expect(resumed?.cause.detail).toMatchObject({
      from: PRESENT,
      to: PRESENT + 3 * DAY,
      due: resumption?.due,
    });
  });

  it("has the present time after a reset", async () => {
    await restart({ seed_data: { projects: ["more"] } });
    vi.setSystemTime(PRESENT + DAY);
    await control("POST", "/reset", {});
    expect(await clock()).toMatchObject({
      now: new Date(PRESENT + DAY).toISOString().replace("Z", "000Z"),
      follows_wall: true,
    });
  });

  it("stays at the time of a snapshot that it loads", async () => {
    await restart();
    await control("POST", "/snapshots", { name: "before" });
    vi.setSystemTime(PRESENT + DAY);
    await control("POST", "/snapshots/before/load", {});
    const before = await clock();
    expect(before).toMatchObject({ mode: "flowing", follows_wall: false });
    expect(Date.parse(before.now)).toBeLessThan(PRESENT + DAY / 2);
    vi.setSystemTime(PRESENT + 2 * DAY);
    await restart();
    expect(Date.parse((await clock()).now)).toBeLessThan(PRESENT + 1.5 * DAY);
  });
});

it("every other world of the folder resumes where it stood, whatever the options of the start are", async () => {
  await restart({ now: "2026-03-01T00:00:00Z", clock: "frozen" });
  const own = { id: "own", from: "seeded", now: "2026-01-01T00:00:00Z", clock: "frozen" };
  await control("POST", "/worlds", own);
  await control("POST", "/worlds", { id: "side", from: "main" });
  await control("POST", "/clock/advance", { by: "P2D" }, "own");
  await control("POST", "/clock/flow", { rate: 2 }, "side");
  await restart({ clock: "wall" });
  expect(await clock("own")).toMatchObject({ now: "2026-01-03T00:00:00.000000Z", mode: "frozen" });
  expect(await clock("side")).toMatchObject({ now: "2026-03-01T00:00:00.000000Z", mode: "flowing", rate: 2 });
});

it("a clock that follows the wall clock has no time or rate of its own", async () => {
  for (const option of [{ now: OWN_TIME }, { clock: { mode: "wall", rate: 2 } }] as const)
    await expect(restart({ clock: "wall", ...option })).rejects.toThrow(
      /cannot be set for a clock that follows/,
    );
});
