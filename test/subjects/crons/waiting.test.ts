import { describe, expect, it } from "vitest";
import { formatInstant } from "../../../emulator/kernel/instant.ts";
import { CRONS } from "../../../emulator/subjects/crons/records.ts";
import { openCronWorld } from "../../support/agent-world.ts";

const HOUR = 3_600_000;
const FULL = expect.objectContaining({
  status: 409,
  hint: expect.stringContaining("limits.agent_waiting_events"),
});
const opened = (most = 1000) => openCronWorld({ limits: { agent_waiting_events: most } });

describe("a cron that is changed again and again", () => {
  it("leaves one event in the queue", async () => {
    const world = await opened();
    const { cron_id } = world.create();
    for (let n = 0; n < 50; n += 1) {
      world.change(cron_id, { enabled: false });
      world.change(cron_id, { enabled: true, metadata: { n } });
      world.change(cron_id, { schedule: `${n} 5 * * *` });
      world.change(cron_id, { schedule: "0 * * * *" });
    }
    expect(world.world.queue().map(({ at }) => formatInstant(at))).toEqual(["2026-03-01T01:00:00.000000Z"]);
  });

  it("fires by its newest schedule: later, earlier, or not at all", async () => {
    const world = await opened();
    const [later, earlier, never] = [
      world.create({ schedule: "0 1 * * *" }),
      world.create({ schedule: "0 5 * * *" }),
      world.create({ schedule: "0 2 * * *" }),
    ];
    world.change(later.cron_id, { schedule: "30 3 * * *" });
    world.change(earlier.cron_id, { schedule: "0 4 * * *" });
    world.change(never.cron_id, { enabled: false });
    await world.advance(24 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T03:30:00Z", "2026-03-01T04:00:00Z"]);
    world.change(never.cron_id, { enabled: true });
    await world.advance(2 * HOUR);
    expect(world.times().slice(2)).toEqual(["2026-03-02T02:00:00Z"]);
  });

  it("fires once where an event of an older plan is due at the same instant", async () => {
    const world = await opened();
    const { cron_id } = world.create({ schedule: "0 3 * * *" });
    world.change(cron_id, { schedule: "0 1 * * *" });
    await world.advance(HOUR);
    world.change(cron_id, { schedule: "0 3 * * *" });
    await world.advance(4 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T01:00:00Z", "2026-03-01T03:00:00Z"]);
  });

  it("of an older data folder, without wakes_at, continues with its queued event", async () => {
    const before = await opened();
    const { cron_id } = before.create();
    const state = JSON.parse(JSON.stringify(before.world.state()));
    for (const { record } of state.records.agent_crons) delete record.wakes_at;
    const world = await openCronWorld({}, undefined, state);
    world.change(cron_id, { metadata: { a: 1 } });
    expect(world.world.queue()).toHaveLength(1);
    await world.advance(2 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T01:00:00Z", "2026-03-01T02:00:00Z"]);
  });
});

describe("a queue that is full", () => {
  it("refuses crons with 409 while events of deleted ones still wait", async () => {
    const world = await opened(3);
    for (let n = 0; n < 3; n += 1) {
      const { cron_id } = world.create();
      world.turn((turn) => turn.remove(CRONS, cron_id));
    }
    expect(() => world.create()).toThrow(FULL);
    expect([world.reader.count(CRONS), world.world.queue().length]).toEqual([0, 3]);
    await world.advance(HOUR);
    expect(() => world.create()).not.toThrow();
  });

  it("refuses a change to an always earlier time with 409, and accepts every other change", async () => {
    const world = await opened(3);
    const { cron_id } = world.create({ schedule: "0 23 * * *" });
    world.change(cron_id, { schedule: "0 22 * * *" });
    world.change(cron_id, { schedule: "0 21 * * *" });
    const before = world.reader.get(CRONS, cron_id);
    expect(() => world.change(cron_id, { schedule: "0 20 * * *" })).toThrow(FULL);
    expect(world.reader.get(CRONS, cron_id)).toEqual(before);
    expect(world.change(cron_id, { enabled: false }).enabled).toBe(false);
    expect(world.change(cron_id, { enabled: true, schedule: "0 22 * * *" }).enabled).toBe(true);
    await world.advance(24 * HOUR);
    expect(world.times()).toEqual(["2026-03-01T22:00:00Z"]);
  });

  it("does not end a cron: after a refused run the next one is still scheduled", async () => {
    const world = await opened(2);
    const [first, second] = [world.create(), world.create()];
    await world.advance(2 * HOUR);
    expect(world.started.map(({ metadata }) => metadata)).toEqual(
      Array(2).fill(expect.objectContaining({ cron_id: first.cron_id })),
    );
    const notes = world.world.journal.since(0).flatMap(({ notes = [] }) => notes);
    expect(notes.filter(({ kind }) => kind === "cron.refused")).toMatchObject([
      { ref: second.cron_id, detail: { status: 409 } },
      { ref: second.cron_id, detail: { status: 409 } },
    ]);
    expect(world.world.queue()).toHaveLength(2);
  });
});

it("metadata is bounded by limits.agent_metadata_bytes over all changes", async () => {
  const world = await openCronWorld({ limits: { agent_metadata_bytes: 1000 } });
  const { cron_id } = world.create({ metadata: { a: "x".repeat(600) } });
  const large = expect.objectContaining({
    status: 413,
    hint: expect.stringContaining("limits.agent_metadata_bytes"),
  });
  expect(() => world.create({ metadata: { a: "x".repeat(1000) } })).toThrow(large);
  expect(() => world.change(cron_id, { metadata: { b: "x".repeat(600) } })).toThrow(large);
  expect(world.reader.get(CRONS, cron_id)?.metadata).toEqual({ a: "x".repeat(600) });
  expect(world.change(cron_id, { metadata: { a: null, b: "x".repeat(600) } }).metadata).toMatchObject({
    a: null,
  });
});
