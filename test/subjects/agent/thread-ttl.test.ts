import { describe, expect, it } from "vitest";
import type { ThreadTtlInput } from "../../../contracts/spec/agent/thread-resources.ts";
import { PLANS } from "../../../emulator/subjects/agent/plan.ts";
import { CHECKPOINTS, RUNS } from "../../../emulator/subjects/agent/records.ts";
import { deleteThread } from "../../../emulator/subjects/agent/run-lifecycle.ts";
import { history } from "../../../emulator/subjects/agent/state.ts";
import {
  copyThread,
  createThread,
  requireThread,
  updateThread,
} from "../../../emulator/subjects/agent/threads.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE, withVerbs } from "../../support/world.ts";

const MINUTE = 60_000;
const ID = "00000000-0000-4000-8000-00000000000a";

/** A world with a thread that has this ttl. */
async function expiringThread(ttl: ThreadTtlInput, options: Record<string, unknown> = {}) {
  const base = await openAgentWorld(options);
  const create = (input: ThreadTtlInput | null) =>
    void base.turn((turn) => createThread(turn, WORKSPACE, { thread_id: ID, ttl: input }));
  create(ttl);
  return withVerbs(base, {
    create,
    found: () => base.turn((turn) => requireThread(turn, WORKSPACE, ID)),
    delete: () => base.turn((turn) => deleteThread(turn, requireThread(turn, WORKSPACE, ID))),
    patch: (input: ThreadTtlInput | null) =>
      void base.turn((turn) => updateThread(turn, requireThread(turn, WORKSPACE, ID), { ttl: input })),
    isGone: () => base.threadStatus(ID) === "gone",
    states: () => base.turn((turn) => history(turn, requireThread(turn, WORKSPACE, ID), { limit: 100 })),
  });
}

const assuming = (id: string, value: string) => ({ assumptions: { [`agent.${id}`]: value } });

describe("a thread with a ttl", () => {
  it("is deleted with its runs and states when the minutes have passed, and not before", async () => {
    const world = await expiringThread({ ttl: 2.5 });
    world.start(ID, { assistant_id: "agent", input: { messages: "hi" } });
    await world.advance(2.5 * MINUTE - 1);
    expect(world.threadStatus(ID)).toBe("idle");
    await world.advance(1);
    expect(world.isGone()).toBe(true);
    const { reader } = world;
    expect([...reader.list(RUNS), ...reader.list(CHECKPOINTS), ...reader.list(PLANS)]).toEqual([]);
    expect(world.world.queue()).toEqual([]);
  });

  it("keeps its runs and only its latest state with keep_latest, and has no ttl afterwards", async () => {
    const world = await expiringThread({ ttl: 1, strategy: "keep_latest" });
    for (let n = 0; n < 2; n += 1) {
      world.start(ID, { assistant_id: "agent", input: { messages: "hi" } });
      await world.advance(5_000);
    }
    const before = world.states();
    expect(before.length).toBeGreaterThan(2);
    await world.advance(MINUTE);
    expect(world.states().map(({ checkpoint_id }) => checkpoint_id)).toEqual([before[0]?.checkpoint_id]);
    expect(world.values(ID)).toEqual(before[0]?.values);
    expect([...world.reader.list(RUNS)]).toHaveLength(2);
    expect(world.found()).not.toHaveProperty("ttl");
    expect(world.world.queue()).toEqual([]);
  });

  it.each([
    [1, 5],
    [5, 1],
  ])("follows the last one that was set: %s, then %s minutes", async (first, second) => {
    const world = await expiringThread({ ttl: first });
    await world.advance(30_000);
    world.patch({ ttl: second });
    expect(world.world.queue()).toHaveLength(1);
    world.patch(null);
    await world.advance(second * MINUTE - 1);
    expect(world.isGone()).toBe(false);
    await world.advance(1);
    expect(world.isGone()).toBe(true);
  });

  it("leaves no event when it is deleted, so that a new thread with its id stays", async () => {
    const world = await expiringThread({ ttl: 1 });
    world.delete();
    expect(world.world.queue()).toEqual([]);
    world.create(null);
    await world.advance(5 * MINUTE);
    expect(world.isGone()).toBe(false);
  });

  it("is copied without its ttl", async () => {
    const world = await expiringThread({ ttl: 1 });
    const { thread_id } = world.turn((turn) => copyThread(turn, requireThread(turn, WORKSPACE, ID)));
    await world.advance(MINUTE);
    expect([world.threadStatus(ID), world.threadStatus(thread_id)]).toEqual(["gone", "idle"]);
  });

  it("expires after a restart as without one", async () => {
    const world = await expiringThread({ ttl: 1 });
    await world.advance(30_000);
    world.interrupt();
    world.resume();
    await world.advance(30_000 - 1);
    expect(world.isGone()).toBe(false);
    await world.advance(1);
    expect(world.isGone()).toBe(true);
  });
});

describe("a thread whose ttl passes while it has active runs", () => {
  it("is deleted when the last of them has ended", async () => {
    const world = await expiringThread({ ttl: 0.1 });
    const runs = [0, 1].map(() => world.start(ID, { assistant_id: "slow" }));
    await world.advance(19_999);
    expect(world.statuses(runs)).toEqual(["success", "running"]);
    await world.advance(1);
    expect([world.isGone(), ...world.statuses(runs)]).toEqual([true, "gone", "gone"]);
  });

  it("is deleted when the run is cancelled", async () => {
    const world = await expiringThread({ ttl: 0.1 });
    const run = world.start(ID, { assistant_id: "slow" });
    await world.advance(8_000);
    world.cancel(run, "rollback");
    await world.advance(0);
    expect(world.isGone()).toBe(true);
  });

  it("is deleted with its runs under agent.thread_ttl_busy: at once", async () => {
    const world = await expiringThread({ ttl: 0.1 }, assuming("thread_ttl_busy", "at once"));
    const run = world.start(ID, { assistant_id: "slow" });
    await world.advance(6_000);
    expect([world.isGone(), world.status(run)]).toEqual([true, "gone"]);
  });
});

describe("the assumptions of a ttl", () => {
  it("agent.thread_ttl_start: the last activity postpones the end", async () => {
    const world = await expiringThread({ ttl: 1 }, assuming("thread_ttl_start", "the last activity"));
    await world.advance(40_000);
    world.start(ID);
    await world.advance(MINUTE - 1);
    expect(world.isGone()).toBe(false);
    await world.advance(1);
    expect(world.isGone()).toBe(true);
  });

  it("agent.thread_ttl_sweep: at the next full hour", async () => {
    const world = await expiringThread({ ttl: 61 }, assuming("thread_ttl_sweep", "at the next full hour"));
    await world.advance(120 * MINUTE - 1);
    expect(world.isGone()).toBe(false);
    await world.advance(1);
    expect(world.isGone()).toBe(true);
  });

  it("agent.thread_ttl: accepted without effect", async () => {
    const world = await expiringThread({ ttl: 1 }, assuming("thread_ttl", "accepted without effect"));
    expect(world.found()).not.toHaveProperty("ttl");
    expect(world.world.queue()).toEqual([]);
  });
});

it("a ttl is refused with 409 while limits.agent_waiting_events events wait", async () => {
  const world = await expiringThread({ ttl: 1 }, { limits: { agent_waiting_events: 1 } });
  const full = expect.objectContaining({ status: 409, code: "too_many_events" });
  expect(() => world.turn((turn) => createThread(turn, WORKSPACE, { ttl: { ttl: 1 } }))).toThrow(full);
  expect(() => world.patch({ ttl: 1 })).toThrow(full);
  expect(() => world.patch(null)).not.toThrow();
});
