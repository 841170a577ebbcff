import { describe, expect, it } from "vitest";
import { formatInstant } from "../../../emulator/kernel/instant.ts";
import { THREADS } from "../../../emulator/subjects/agent/records.ts";
import { deleteThread } from "../../../emulator/subjects/agent/run-lifecycle.ts";
import { requireThread } from "../../../emulator/subjects/agent/threads.ts";
import { removeCron } from "../../../emulator/subjects/crons/fire.ts";
import { CRONS } from "../../../emulator/subjects/crons/records.ts";
import { openCronWorld } from "../../support/agent-world.ts";
import { BEGIN, WORKSPACE } from "../../support/world.ts";

const HOUR = 3_600_000;

describe("a cron", () => {
  it("starts a run on a new thread at each of its times", async () => {
    const world = await openCronWorld();
    const cron = world.create({ on_run_completed: "keep" });
    await world.advance(3 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T01:00:00Z", "2026-03-01T02:00:00Z", "2026-03-01T03:00:00Z"]);
    expect(new Set(world.started.map(({ thread }) => thread)).size).toBe(3);
    expect(world.started.map(({ metadata }) => metadata)).toEqual(
      Array(3).fill(expect.objectContaining({ cron_id: cron.cron_id })),
    );
    expect([...world.reader.list(THREADS)]).toHaveLength(3);
  });

  it("removes the threads of its runs unless on_run_completed is keep", async () => {
    const world = await openCronWorld();
    world.create();
    await world.advance(3 * HOUR + 60_000);
    expect(world.started).toHaveLength(3);
    expect([...world.reader.list(THREADS)]).toEqual([]);
  });

  it("of a thread starts its runs on it", async () => {
    const world = await openCronWorld();
    const thread = world.thread();
    const cron = world.create({ on_run_completed: "delete" }, thread);
    expect(cron.on_run_completed).toBeNull();
    await world.advance(2 * HOUR);
    expect(world.started.map((run) => run.thread)).toEqual([thread, thread]);
  });

  it("removes its next event when it is deleted", async () => {
    const world = await openCronWorld();
    const otherCron = world.create();
    for (let nth = 0; nth < 20; nth += 1) {
      const cron = world.create();
      world.turn((turn) => removeCron(turn, cron));
    }
    expect(world.world.state().queue.map(({ ref }) => ref)).toEqual([otherCron.cron_id]);
    await world.advance(2 * HOUR);
    expect(world.started).toHaveLength(2);
  });

  it("is removed with its thread", async () => {
    const world = await openCronWorld();
    const thread = world.thread();
    world.create({}, thread);
    world.turn((turn) => deleteThread(turn, requireThread(turn, WORKSPACE, thread)));
    await world.advance(2 * HOUR);
    expect(world.started).toEqual([]);
    expect([...world.reader.list(CRONS)]).toEqual([]);
  });

  it("delivers the webhook of each of its runs", async () => {
    const world = await openCronWorld();
    world.create({ webhook: "https://hooks.example/cron" });
    await world.advance(2 * HOUR + 60_000);
    expect(world.sent.map(({ url }) => url)).toEqual([
      "https://hooks.example/cron",
      "https://hooks.example/cron",
    ]);
    expect(JSON.parse(world.sent[0]?.payload ?? "")).toMatchObject({ status: "success" });
  });

  it("shows its next time as next_run_date", async () => {
    const world = await openCronWorld();
    const { cron_id, next_run_date } = world.create();
    expect(formatInstant(next_run_date ?? 0)).toBe("2026-03-01T01:00:00.000000Z");
    await world.advance(HOUR);
    expect(world.reader.get(CRONS, cron_id)?.next_run_date).toBe(BEGIN + 2 * HOUR);
  });

  it("fires up to its end_time, the instant included", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create({ end_time: "2026-03-01T02:00:00Z" });
    await world.advance(24 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T01:00:00Z", "2026-03-01T02:00:00Z"]);
    expect(world.reader.get(CRONS, cron_id)).toMatchObject({ next_run_date: null });
  });

  it("keeps to its time zone over both changes of daylight saving", async () => {
    const world = await openCronWorld();
    world.create({ schedule: "30 2 * * *", timezone: "Europe/Berlin" });
    await world.advance(250 * 24 * HOUR);
    const times = world.times();
    expect(times.filter((at) => /-03-(28|29|30)|-10-(24|25|26)/.test(at))).toEqual([
      "2026-03-28T01:30:00Z",
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:30:00Z",
      "2026-10-24T00:30:00Z",
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:30:00Z",
    ]);
    expect(times).toHaveLength(250);
  });

  it("skips a time at which its run is refused, and continues with the next", async () => {
    const world = await openCronWorld();
    const thread = world.thread();
    world.create({ assistant_id: "slow", schedule: "* * * * * */6", multitask_strategy: "reject" }, thread);
    await world.advance("PT19S");
    expect(world.times()).toEqual(["2026-03-01T00:00:06Z", "2026-03-01T00:00:18Z"]);
    const notes = world.world.journal.since(0).flatMap((entry) => entry.notes ?? []);
    expect(notes.filter(({ kind }) => kind === "cron.refused")).toMatchObject([{ detail: { status: 409 } }]);
  });

  it("fires once for the times that passed while the emulator was stopped", async () => {
    const before = await openCronWorld();
    before.create();
    const state = { ...before.world.state(), now: BEGIN + 10 * HOUR };
    const world = await openCronWorld({}, undefined, state);
    await world.advance(HOUR);
    expect(world.times()).toEqual(["2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"]);
  });
});

describe("a change", () => {
  it("of the schedule applies from now; the old time does not fire", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create();
    await world.advance(HOUR / 2);
    world.change(cron_id, { schedule: "45 * * * *" });
    await world.advance(HOUR);
    expect(world.times()).toEqual(["2026-03-01T00:45:00Z"]);
  });

  it("of enabled stops it, and schedules it when it is enabled again", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create();
    expect(world.change(cron_id, { enabled: false }).next_run_date).toBeNull();
    await world.advance(2.5 * HOUR);
    expect(world.times()).toEqual([]);
    world.change(cron_id, { enabled: true });
    await world.advance(HOUR);
    expect(world.times()).toEqual(["2026-03-01T03:00:00Z"]);
  });

  it("made twice at one instant plans one event", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create();
    world.change(cron_id, { metadata: { a: 1 } });
    world.change(cron_id, { metadata: { b: 2 } });
    await world.advance(HOUR);
    expect(world.times()).toEqual(["2026-03-01T01:00:00Z"]);
    expect(world.reader.get(CRONS, cron_id)?.metadata).toEqual({ a: 1, b: 2 });
  });

  it("of input and webhook applies to later runs", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create({ input: { n: 1 } });
    world.change(cron_id, { input: { n: 2 }, webhook: "https://hooks.example/new" });
    await world.advance(HOUR + 60_000);
    expect(JSON.parse(world.sent[0]?.payload ?? "")).toMatchObject({ kwargs: { input: { n: 2 } } });
  });

  it("without end_time keeps the end", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create({ end_time: "2026-03-01T02:00:00Z" });
    world.change(cron_id, { metadata: { a: 1 } });
    await world.advance(24 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T01:00:00Z", "2026-03-01T02:00:00Z"]);
  });

  it("of end_time to null removes the end", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create({ end_time: "2026-03-01T00:30:00Z" });
    expect(world.reader.get(CRONS, cron_id)?.next_run_date).toBeNull();
    expect(world.change(cron_id, { end_time: null }).next_run_date).not.toBeNull();
  });

  it("without a field is refused with 400", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create();
    expect(() => world.change(cron_id, {})).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe("refused requests", () => {
  it.each([
    [{ schedule: "61 * * * *" }, 422, "body.schedule: Invalid schedule: '61 * * * *'."],
    [{ schedule: "0 0 30 2 *" }, 422, "body.schedule: Invalid schedule"],
    [{ timezone: "Mars/Base" }, 422, "timezone: Invalid timezone: 'Mars/Base'."],
    [{ webhook: "ftp://a.example/" }, 422, "Webhook must be an http or https URL"],
    [{ assistant_id: "nobody" }, 404, "assistant"],
    [{ command: { resume: 1 } }, 422, "body.command.resume"],
    [{ context: { a: 1 }, config: { configurable: { a: 1 } } }, 422, "body.context"],
  ])("%j is refused, and nothing is written", async (body, status, message) => {
    const world = await openCronWorld();
    expect(() => world.create(body)).toThrow(
      expect.objectContaining({ status, message: expect.stringContaining(message) }),
    );
    expect([...world.reader.list(CRONS)]).toEqual([]);
    expect(world.world.queue()).toEqual([]);
  });

  it("kwargs larger than limits.agent_kwargs_bytes are refused with 413, on create and on change", async () => {
    const world = await openCronWorld({ limits: { agent_kwargs_bytes: 1024 } });
    const input = { text: "x".repeat(1024) };
    expect(() => world.create({ input })).toThrow(expect.objectContaining({ status: 413 }));
    const { cron_id } = world.create({ input: { text: "x".repeat(900) } });
    expect(() => world.change(cron_id, { config: { x: "y".repeat(100) } })).toThrow(
      expect.objectContaining({ status: 413 }),
    );
    expect(world.change(cron_id, { enabled: false }).payload).toEqual({
      assistant_id: "echo",
      input: { text: "x".repeat(900) },
    });
  });

  it("an unknown thread is refused with 404", async () => {
    const world = await openCronWorld();
    expect(() => world.create({}, "00000000-0000-4000-8000-0000000000ee")).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });

  it("more than limits.crons_per_workspace crons are refused", async () => {
    const world = await openCronWorld({ limits: { crons_per_workspace: 1 } });
    world.create();
    expect(() => world.create()).toThrow("The workspace has 1 crons, the maximum.");
  });
});
