import { describe, expect, it } from "vitest";
import type { ThreadStreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { threadKey } from "../../../emulator/subjects/agent/records.ts";
import { deleteRun, deleteThread } from "../../../emulator/subjects/agent/run-lifecycle.ts";
import { updateState } from "../../../emulator/subjects/agent/state.ts";
import { openThreadStream } from "../../../emulator/subjects/agent/thread-subscription.ts";
import { requireRun, requireThread } from "../../../emulator/subjects/agent/threads.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE, withVerbs } from "../../support/world.ts";

const ALL = ["run_modes", "lifecycle", "state_update"] as const;
const done = (run_id: string) => ({ event: "metadata", data: { status: "run_done", run_id } });
const begun = (run_id: string) => ({ event: "metadata", data: { run_id, attempt: 1 } });

async function openThread() {
  const base = await openAgentWorld();
  const id = base.thread();
  const join = (lastEventId?: string, modes: readonly ThreadStreamMode[] = ["run_modes"]) => {
    const thread = threadKey(WORKSPACE, id);
    const next = openThreadStream(base.reader, base.world.ports.settings, {
      as: "thread",
      thread,
      modes,
      lastEventId,
    });
    return { next, events: () => next().frames.map(({ event, data }) => ({ event, data })) };
  };
  return withVerbs(base, {
    id,
    join,
    async run(input: Record<string, unknown>) {
      const run = base.start(id, { input });
      await base.advance(0);
      return run;
    },
    write: (values: object) =>
      base.turn((turn) => updateState(turn, requireThread(turn, WORKSPACE, id), { values })).checkpoint_id,
    remove: () => base.turn((turn) => deleteThread(turn, requireThread(turn, WORKSPACE, id))),
    removeRun: (run: string) => base.turn((turn) => deleteRun(turn, requireRun(turn, WORKSPACE, id, run))),
  });
}

describe("the stream of a thread", () => {
  it("has the later runs in order, in the modes of each, and ends with the thread", async () => {
    const thread = await openThread();
    await thread.run({ n: 0 });
    const { events, next } = thread.join();
    expect(events()).toEqual([]);
    const first = await thread.run({ n: 1 });
    const second = thread.start(thread.id, { input: { n: 2 }, stream_mode: ["updates"] });
    await thread.advance(0);
    expect(events()).toEqual([
      begun(first),
      { event: "values", data: { n: 1 } },
      { event: "values", data: { n: 1 } },
      done(first),
      begun(second),
      { event: "updates", data: { echo: { n: 2 } } },
      done(second),
    ]);
    expect(events()).toEqual([]);
    thread.remove();
    expect(next()).toEqual({ frames: [], isOver: true });
  });

  it("begins with the events that an active run has from now on, and closes a removed run", async () => {
    const thread = await openThread();
    const run = thread.start(thread.id, { assistant_id: "slow", input: {} });
    await thread.advance(2_000);
    const { events } = thread.join();
    await thread.advance(1_000);
    expect(events()).toEqual([{ event: "values", data: expect.objectContaining({ step: 3 }) }]);
    thread.removeRun(run);
    expect(events().at(-1)).toEqual(done(run));
    expect(events()).toEqual([]);
  });

  it("has only what its modes select", async () => {
    const thread = await openThread();
    const [states, lifecycle] = [
      thread.join(undefined, ["state_update"]),
      thread.join(undefined, ["lifecycle"]),
    ];
    thread.write({ a: 1 });
    const run = await thread.run({ b: 2 });
    const state = expect.objectContaining({ values: { a: 1 } });
    expect(states.events()).toEqual([{ event: "state_update", data: { state, thread_id: thread.id } }]);
    expect(lifecycle.events()).toEqual([begun(run), done(run)]);
  });

  it("continues after every event, without a gap and without a repetition", async () => {
    const thread = await openThread();
    await thread.run({ n: 1 });
    thread.write({ n: 2 });
    thread.write({ n: 3 });
    await thread.run({ n: 4 });
    thread.write({ n: 5 });
    const running = thread.start(thread.id, { assistant_id: "slow", input: {} });
    await thread.advance(3_000);
    const { frames } = thread.join("-", ALL).next();
    expect(frames.filter(({ event }) => event === "state_update")).toHaveLength(3);
    expect(frames.filter(({ id }) => id.startsWith(running)).length).toBeGreaterThan(3);
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
    for (const [index, { id }] of frames.entries())
      expect(thread.join(id, ALL).next().frames, id).toEqual(frames.slice(index + 1));
  });
});
