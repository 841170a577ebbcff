import { afterEach, describe, expect, it } from "vitest";
import { type Clock, startClock } from "../../../emulator/runtime/worlds/clock.ts";
import { SLICE_MS } from "../../../emulator/runtime/worlds/slices.ts";
import type { World } from "../../../emulator/subjects/turn.ts";
import { REQUEST, toyState, toyWorld } from "../../kernel/toy-world.ts";
import { type ExportWorld, openExportWorld } from "../../support/export-world.ts";

const DAY = 86_400_000;
const WINDOW = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-02T00:00:00Z" };

let clock: Clock;

const otherWork = () => new Promise((resolve) => setImmediate(resolve));

afterEach(async () => {
  clock.close();
  await otherWork();
});

function flowing(): { clockWorld: ExportWorld; sleep(ms: number): void } {
  let wall = 1_000_000;
  const clockWorld = openExportWorld();
  for (const nth of [1, 2, 3, 4, 5])
    clockWorld.ingest(`0000000${nth}-0000-4000-8000-000000000001`, `2026-01-01T0${nth}:00:00.000000Z`, "row");
  clock = startClock(clockWorld.world as World, true, () => wall);
  clock.flow(1);
  return {
    clockWorld,
    sleep(ms) {
      wall += ms;
      clock.sync();
    },
  };
}

/** Lets everything happen that needs no time. */
async function settle(clockWorld: ExportWorld): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) {
    await clockWorld.world.whenSettled();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a flowing clock", () => {
  it("that has slept lets exports finish at their own instants", async () => {
    const { clockWorld, sleep } = flowing();
    const { id } = clockWorld.create({ bulk_export_destination_id: clockWorld.addDestination(), ...WINDOW });
    const began = clockWorld.world.now;
    sleep(5 * DAY);
    await settle(clockWorld);
    expect(clockWorld.export(id)).toMatchObject({ status: "COMPLETED", finished_at: began + 3000 });
    expect(clockWorld.runs(id)).toMatchObject([{ errors: {} }]);
    expect(clockWorld.world.now).toBe(began + 5 * DAY);
  });

  it("that has slept over a schedule has every window of it, without a run timeout", async () => {
    const { clockWorld, sleep } = flowing();
    const { id } = clockWorld.create({
      bulk_export_destination_id: clockWorld.addDestination(),
      start_time: "2026-01-01T00:00:00Z",
      interval_hours: 24,
    });
    await settle(clockWorld);
    sleep(20 * DAY);
    await settle(clockWorld);
    expect(clockWorld.spawned(id)).toHaveLength(28);
    for (const one of clockWorld.spawned(id)) {
      expect(one.status).toBe("COMPLETED");
      for (const { errors } of clockWorld.runs(one.id)) expect(errors).toEqual({});
    }
  });

  it("is otherwise held up by nothing", async () => {
    const { clockWorld, sleep } = flowing();
    clockWorld.hold();
    const { id } = clockWorld.create({ bulk_export_destination_id: clockWorld.addDestination(), ...WINDOW });
    const began = clockWorld.world.now;
    for (let minutes = 0; minutes < 245; minutes += 1) sleep(60_000);
    expect(clockWorld.world.now).toBe(began + 245 * 60_000);
    expect(clockWorld.runs(id)).toMatchObject([{ errors: { retry_0: "Run timeout" } }]);
    clockWorld.release();
    await settle(clockWorld);
  });
});

/** A flowing world with a tick every 10 ms, each of which takes as many ms of the wall clock as `costMs` says. */
function busy(costMs: () => number) {
  const wall = { now: 0 };
  const times: number[] = [];
  const { world } = toyWorld({
    state: { ...toyState(), clock: { mode: "flowing", rate: 1 } },
    events: {
      tick(turn) {
        times.push(turn.now);
        wall.now += costMs();
        turn.schedule({ kind: "tick", ref: "x", afterMs: 10, data: {} });
      },
    },
  });
  clock = startClock(world as unknown as World, true, () => wall.now);
  world.turn(REQUEST, (turn) => turn.schedule({ kind: "tick", ref: "x", afterMs: 10, data: {} }));
  return { wall, seen: times, world };
}

const tens = (count: number) => Array.from({ length: count }, (_, nth) => 10 * (nth + 1));
describe("a clock that has more to do than there is time", () => {
  it("catches up in slices of wall-clock time, events at their own instants, and lets other work in between", async () => {
    const { wall, seen, world } = busy(() => SLICE_MS / 5);
    wall.now = 1000;
    clock.sync();
    expect(seen).toEqual(tens(5));
    expect(clock.behindMs()).toBe(wall.now - 50);
    await otherWork();
    expect(seen).toEqual(tens(10));
    for (let turns = 0; clock.behindMs() > 0; turns += 1) {
      expect(turns).toBeLessThan(1000);
      await otherWork();
    }
    expect(world.now).toBe(wall.now);
    expect(seen).toEqual(tens(Math.floor(wall.now / 10)));
  });

  it("does not take longer when a request arrives meanwhile", () => {
    const { wall, seen } = busy(() => SLICE_MS);
    wall.now = 1000;
    for (let requests = 0; requests < 5; requests += 1) clock.sync();
    expect(seen).toEqual([10]);
  });

  it("freezes, and flows again from the same time", async () => {
    const { wall, seen, world } = busy(() => 10 * SLICE_MS);
    wall.now = 1000;
    clock.sync();
    clock.freeze();
    expect([world.now, clock.behindMs()]).toEqual([10, 0]);
    await otherWork();
    expect(seen).toEqual([10]);
    clock.flow(1);
    wall.now += 9;
    clock.sync();
    expect([world.now, clock.behindMs(), seen]).toEqual([19, 0, [10]]);
  });

  it("keeps on falling behind without ever keeping other work waiting, until it is closed", async () => {
    const { wall, seen } = busy(() => 2 * SLICE_MS);
    wall.now = 100;
    clock.sync();
    for (let turns = 1; turns <= 20; turns += 1) {
      expect(seen).toEqual(tens(turns));
      await otherWork();
    }
    expect(clock.behindMs()).toBeGreaterThan(100);
    clock.close();
    await otherWork();
    expect([seen, clock.behindMs()]).toEqual([tens(21), 0]);
  });

  it("takes turns with other worlds, one slice at a time", async () => {
    const one = busy(() => 2 * SLICE_MS);
    const clockOfOne = clock;
    const other = busy(() => 2 * SLICE_MS);
    for (const { wall } of [one, other]) wall.now = 1000;
    clockOfOne.sync();
    clock.sync();
    const fired: [number, number][] = [];
    for (let turns = 0; turns < 4; turns += 1) {
      fired.push([one.seen.length, other.seen.length]);
      await otherWork();
    }
    clockOfOne.close();
    clock.close();
    await otherWork();
    expect(fired).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 2],
    ]);
  });

  it("ends a slice when the wall clock is set back", () => {
    const costs = [-5, 0, 0];
    const { wall, seen } = busy(() => costs.shift() ?? 0);
    wall.now = 100;
    clock.sync();
    expect(seen).toEqual([10]);
  });

  it("refuses an advance once it is closed", async () => {
    busy(() => 0);
    clock.close();
    await expect(clock.advance({ to: 100 })).rejects.toMatchObject({ status: 503, code: "closing" });
  });
});

describe("a clock whose world breaks on the way", () => {
  it("does not throw into a request or a timer", () => {
    let wall = 0;
    const state = { ...toyState(), clock: { mode: "flowing", rate: 1 } as const };
    const fall = () => {
      throw new Error("fallen");
    };
    const { world } = toyWorld({ state, events: { tick: fall } });
    clock = startClock(world as unknown as World, true, () => wall);
    world.turn(REQUEST, (turn) => turn.schedule({ kind: "tick", ref: "x", afterMs: 10, data: {} }));
    wall = 20;
    expect(() => clock.sync()).not.toThrow();
    expect(world.defect?.message).toBe("fallen");
    expect(() => world.turn(REQUEST, () => undefined)).toThrow("fallen");
  });
});
