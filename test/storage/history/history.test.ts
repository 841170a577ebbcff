import fc from "fast-check";
import { expect, it } from "vitest";
import type { AsOf } from "../../../emulator/kernel/as-of.ts";
import type { WorldImage } from "../../../emulator/kernel/image.ts";
import type { World } from "../../../emulator/kernel/world.ts";
import { History } from "../../../emulator/storage/history/history.ts";
import type { RateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import { REQUEST, SHEEP, type Sheep, type ToyTypes, toyWorld } from "../../kernel/toy-world.ts";
import { limiterWith } from "../../subjects/rate-limits/limiter.ts";

const CALL = { apiKey: "k", userId: undefined, address: "1.2.3.4", region: "us", method: "GET", path: "/x" };
const LIMITER = await limiterWith({ enabled: true });

/** The state at a point, as it is asked for. */
function momentAt({ history }: Told, at: AsOf) {
  return history.momentAt(history.pointAt(at));
}

interface Told {
  readonly world: World<ToyTypes>;
  readonly history: History;
  readonly released: string[];
  readonly limiter: RateLimiter;
}

/** A world of sheep and its history; each turn writes as many rows as its number says. */
function startHistory(bounds: { readonly turns: number; readonly bytes: number }): Told {
  const limiter = LIMITER.copy();
  const released: string[] = [];
  const { world } = toyWorld({
    afterTurn: (commit, _, replacements) =>
      history.add({ commit, rows: commit.turn * 10, replaced: replacements }),
  });
  const history = new History({
    bounds,
    first: { image: world.image(), rows: 0, limiter: limiter.copy() },
    present: () => ({ turn: world.lastTurn, now: world.now }),
    records: () => world.image().records,
    release: (files) => released.push(...files),
    journal: world.journal,
  });
  return { world, history, released, limiter };
}

/** All that an image holds, as JSON; what waits in the order in which it fires. */
function viewOf({ records, queue, ...rest }: WorldImage): string {
  const events = queue.toSorted((a, b) => a.at - b.at || a.number - b.number);
  return JSON.stringify([rest, records.storedRecords(), events]);
}

const act = fc.record({
  kind: fc.constantFrom(
    "put",
    "put",
    "remove",
    "again",
    "moved",
    "gone",
    "event",
    "unschedule",
    "read",
    "move",
    "ask",
  ),
  id: fc.nat(4).map((n) => `s${n}`),
  legs: fc.nat(9),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

function carryOut(world: World<ToyTypes>, { kind, id, legs }: Act): void {
  const sheep: Sheep = { id, flock: legs > 4 ? "a" : "b", legs };
  if (kind === "move") return world.moveTo(world.now + legs);
  world.turn(REQUEST, (turn) => {
    if (kind === "moved" || kind === "gone") turn.put(SHEEP, { ...sheep, flock: "c" });
    if (kind === "remove" || kind === "again" || kind === "gone") turn.remove(SHEEP, id);
    if (kind === "put" || kind === "again" || kind === "moved") turn.put(SHEEP, sheep);
    if (kind === "event") turn.schedule({ kind: "tick", ref: id, afterMs: legs, data: {} });
    if (kind === "unschedule") turn.unschedule(id);
    if (kind === "ask") turn.requestEffect({ kind: "shear", ref: id, lane: id, data: {} });
  });
}

it("returns the state after each turn in reach", () => {
  const property = fc.property(fc.array(act, { minLength: 30, maxLength: 90 }), (acts) => {
    const all = startHistory({ turns: 20, bytes: 1_000_000 });
    const { world, history } = all;
    const after = new Map([[0, viewOf(world.image())]]);
    world.journal.follow(({ turn }) => void after.set(turn, ""));
    for (const each of acts) {
      carryOut(world, each);
      after.set(world.lastTurn, viewOf({ ...world.image(), now: 0 }));
    }
    expect(history.earliest.turn).toBeLessThanOrEqual(Math.max(0, world.lastTurn - 20));
    expect(world.lastTurn - history.earliest.turn).toBeLessThanOrEqual(40);
    for (const [turn, expected] of after) {
      if (turn < history.earliest.turn || expected === "" || turn === 0) continue;
      const { image, rows } = momentAt(all, { turn });
      expect(viewOf({ ...image, now: 0 }), `after turn ${turn}`).toBe(expected);
      expect(rows).toBeLessThanOrEqual(turn * 10);
    }
  });
  fc.assert(property, { numRuns: 4, seed: 5 });
});

it("an instant selects the last turn at or before it, and the clock is at the instant", () => {
  const all = startHistory({ turns: 100, bytes: 1_000_000 });
  const { world } = all;
  for (const legs of [1, 2, 3]) {
    world.moveTo(legs * 1000);
    world.turn(REQUEST, (turn) => turn.put(SHEEP, { id: "s", flock: "a", legs }));
  }
  world.moveTo(9000);
  const legsAt = (instant: number) => {
    const { image } = momentAt(all, { instant });
    return [image.records.reader.get(SHEEP, "s")?.legs, image.turn, image.now];
  };
  expect(legsAt(999)).toEqual([undefined, 0, 999]);
  expect(legsAt(1000)).toEqual([1, 1, 1000]);
  expect(legsAt(2999)).toEqual([2, 2, 2999]);
  expect(legsAt(9000)).toEqual([3, 3, 9000]);
});

it("refuses future turns and turns before its first state, and names its beginning", () => {
  const all = startHistory({ turns: 5, bytes: 1_000_000 });
  const { world } = all;
  for (let legs = 0; legs < 30; legs += 1)
    world.turn(REQUEST, (turn) => turn.put(SHEEP, { id: "s", flock: "a", legs }));
  const send = (at: AsOf) => () => momentAt(all, at);
  expect(send({ turn: 31 })).toThrow("turn 31 is in the future: the world is at turn 30");
  expect(send({ instant: 1 })).toThrow("1970-01-01T00:00:00.001000Z is in the future");
  expect(send({ turn: 2 })).toThrow(/turn 2 is before the history .* starts at turn (2[0-9])/);
  expect(send({ instant: -1 })).toThrow("is before the history of this world");
});

it("begins later when it exceeds its bytes, and then releases the bodies of dropped turns", () => {
  const { world, history, released } = startHistory({ turns: 1000, bytes: 8000 });
  const text = "x".repeat(500);
  for (let n = 1; n <= 40; n += 1) {
    world.turn(REQUEST, (turn) => turn.put(SHEEP, { id: "s", flock: text, legs: n }));
    history.keepBodies([`body-${n}`], 100);
  }
  expect(history.earliest.turn).toBeGreaterThan(20);
  expect(released[0]).toBe("body-1");
  expect(released.length).toBeGreaterThanOrEqual(history.earliest.turn - 1);
  expect(released).not.toContain("body-40");
});

it("counts of the rate limits are those of the moment", () => {
  const all = startHistory({ turns: 10, bytes: 1_000_000 });
  const { world, history, limiter } = all;
  const usedAt = (turn: number) =>
    momentAt(all, { turn }).limiter.appliedRows(CALL, world.now)[0]?.window.used;
  for (let n = 0; n < 25; n += 1) {
    history.settle();
    const { row, identity } = limiter.decide(CALL, world.now) ?? expect.fail("it is enforced");
    history.count({ turn: world.lastTurn, now: world.now, row, region: "us", identity });
    world.turn(REQUEST, (turn) => turn.put(SHEEP, { id: "s", flock: "a", legs: n }));
  }
  expect([usedAt(25), usedAt(24), usedAt(21), usedAt(16)]).toEqual([25, 24, 21, 16]);
});
