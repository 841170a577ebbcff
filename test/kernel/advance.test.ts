import { describe, expect, it } from "vitest";
import { advance } from "../../emulator/kernel/advance.ts";
import { gate, REQUEST, toyWorld } from "./toy-world.ts";

const patient = { effectsStalled: (settled: Promise<void>) => settled.then(() => false), maxEvents: 1000 };

function ticking() {
  const times: number[] = [];
  const toy = toyWorld({
    events: {
      tick(turn) {
        times.push(turn.now);
        turn.schedule({ kind: "tick", ref: "clock", afterMs: 10, data: {} });
      },
    },
  });
  toy.world.turn(REQUEST, (turn) => turn.schedule({ kind: "tick", ref: "clock", afterMs: 10, data: {} }));
  return { ...toy, seen: times };
}

describe("advance", () => {
  it("steps through every event at its own instant, those due exactly at the target included", async () => {
    const { world, seen } = ticking();
    const result = await advance(world, { ...patient, to: 30 });
    expect(seen).toEqual([10, 20, 30]);
    expect(result).toMatchObject({ from: 0, to: 30, firedTotal: 3, stopped: "target" });
    expect(result.fired.map(({ at, cause }) => [at, cause])).toEqual([
      ["1970-01-01T00:00:00.010000Z", "test"],
      ["1970-01-01T00:00:00.020000Z", "tick"],
      ["1970-01-01T00:00:00.030000Z", "tick"],
    ]);
  });

  it("ends on the target even when nothing is due there", async () => {
    const { world } = ticking();
    expect((await advance(world, { ...patient, to: 34 })).to).toBe(34);
    expect(world.now).toBe(34);
  });

  it("stops after a number of events, and as soon as a condition holds", async () => {
    const { world, seen } = ticking();
    expect(await advance(world, { ...patient, to: 1000, events: 2 })).toMatchObject({
      to: 20,
      stopped: "events",
    });
    const until = () => seen.length === 5;
    expect(await advance(world, { ...patient, to: 1000, until })).toMatchObject({ to: 50, stopped: "until" });
    expect(await advance(world, { ...patient, to: 1000, until })).toMatchObject({
      from: 50,
      to: 50,
      firedTotal: 0,
    });
  });

  it("yields to other work after every instant", async () => {
    const { world, seen } = ticking();
    const turns: number[] = [];
    const yieldWhenDue = () => {
      if (seen.length % 2 === 1) return undefined;
      return new Promise<void>((resolve) => {
        setImmediate(() => {
          turns.push(world.now);
          resolve();
        });
      });
    };
    await advance(world, { ...patient, to: 50, yieldWhenDue });
    expect({ seen, turns }).toEqual({ seen: [10, 20, 30, 40, 50], turns: [20, 40] });
  });

  it("stops where it is once it is interrupted", async () => {
    const { world, seen } = ticking();
    const isInterrupted = () => seen.length === 3;
    const result = await advance(world, { ...patient, to: 1000, isInterrupted });
    expect(result).toMatchObject({ stopped: "interrupted", firedTotal: 3, to: 30 });
    expect(world.now).toBe(30);
  });

  it("stops as runaway after maxEvents events", async () => {
    const { world } = ticking();
    const result = await advance(world, { ...patient, maxEvents: 5, to: 1_000_000 });
    expect(result).toMatchObject({ stopped: "runaway", firedTotal: 5, to: 50 });
  });

  it("does not move on while an effect is in flight", async () => {
    const { promise, open } = gate<object>();
    const events: string[] = [];
    const { world } = toyWorld({
      effects: { fetch: () => promise },
      events: {
        go: (turn) => turn.requestEffect({ kind: "fetch", ref: "ball", lane: "dog", data: {} }),
        other: (turn) => void events.push(`other@${turn.now}`),
      },
      results: { fetch: (turn) => void events.push(`fetched@${turn.now}`) },
    });
    world.turn(REQUEST, (turn) => {
      turn.schedule({ kind: "go", ref: "dog", afterMs: 10, data: {} });
      turn.schedule({ kind: "other", ref: "cat", afterMs: 20, data: {} });
    });
    const done = advance(world, { ...patient, to: 20 });
    await Promise.resolve();
    expect(world.now).toBe(10);
    open({});
    await done;
    expect(events).toEqual(["fetched@10", "other@20"]);
  });

  it("names an effect that hangs instead of waiting for ever", async () => {
    const { world } = toyWorld({ effects: { fetch: () => new Promise<object>(() => {}) } });
    world.turn(REQUEST, (turn) => turn.requestEffect({ kind: "fetch", ref: "ball", lane: "dog", data: {} }));
    const result = await advance(world, { ...patient, effectsStalled: async () => true, to: 20 });
    expect(result).toMatchObject({ stopped: "stalled", to: 0 });
    expect(result.inFlight.map(({ ref }) => ref)).toEqual(["ball"]);
  });
});
