import { describe, expect, it } from "vitest";
import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { THREADS, threadKey } from "../../../emulator/subjects/agent/records.ts";
import { currentState, history, stateAt, updateState } from "../../../emulator/subjects/agent/state.ts";
import { copyThread } from "../../../emulator/subjects/agent/threads.ts";
import { stateView } from "../../../emulator/subjects/agent/view.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE, withVerbs } from "../../support/world.ts";
import { streamOf } from "./stream-of.ts";

interface CheckpointFrame {
  readonly metadata: { readonly step: number };
  readonly checkpoint: object;
  readonly parent_checkpoint: object | null;
}

async function agentThread(options: Record<string, unknown> = {}) {
  const world = await openAgentWorld(options);
  const thread = world.thread();
  const findThread = (id = thread) => {
    const record = world.reader.get(THREADS, threadKey(WORKSPACE, id));
    if (!record) throw new Error("no thread");
    return record;
  };
  return withVerbs(world, {
    id: thread,
    found: findThread,
    async run(body: Record<string, unknown>) {
      const id = world.start(thread, { assistant_id: "agent", ...body });
      await world.advance(20_000);
      return id;
    },
    states: (id = thread, query = {}) =>
      world.turn((turn) =>
        history(turn, findThread(id), { limit: 100, ...query }).map((state) =>
          stateView(turn.ports.settings, findThread(id), state),
        ),
      ),
    frames: (runId: string, ...modes: StreamMode[]) => streamOf(world, runId, ...modes).frames.slice(1),
  });
}

const idOf = (state: { readonly checkpoint: object } | undefined) => {
  if (!state) throw new Error("no state");
  return (state.checkpoint as { checkpoint_id: string }).checkpoint_id;
};

const HELLO = { input: { messages: "hi" } };

const summaryOf = ({ next, metadata }: { next: readonly string[]; metadata: object }) => {
  const { source, step } = metadata as { source: string; step: number };
  return [step, source, ...next];
};

describe("the history of a thread", () => {
  it("has a state for each step of a run, each with its parent, source, step and values", async () => {
    const thread = await agentThread();
    const run = await thread.run({ ...HELLO, metadata: { team: "a" } });
    const states = thread.states();
    expect(states.map(summaryOf)).toEqual([
      [3, "loop"],
      [2, "loop", "agent"],
      [1, "loop", "tools"],
      [0, "loop", "agent"],
      [-1, "input", "__start__"],
    ]);
    const counts = states.map(({ values }) => (values as { messages: object[] }).messages.length);
    expect(counts).toEqual([4, 3, 2, 1, 0]);
    for (const [index, { parent_checkpoint, metadata }] of states.entries()) {
      expect(parent_checkpoint).toEqual(states[index + 1]?.checkpoint ?? null);
      expect(metadata).toMatchObject({ parents: {}, run_id: run, thread_id: thread.id, team: "a" });
    }
  });

  it("numbers the states of the next run and of changes from there on", async () => {
    const thread = await agentThread();
    await thread.run(HELLO);
    await thread.run({ assistant_id: "echo", input: { a: 1 }, metadata: { nth: 2 } });
    thread.turn((turn) => updateState(turn, thread.found(), { values: { b: 1 } }));
    expect(thread.states().map(summaryOf).slice(0, 5)).toEqual([
      [7, "update"],
      [6, "loop"],
      [5, "loop", "echo"],
      [4, "input", "__start__"],
      [3, "loop"],
    ]);
    expect(thread.states(thread.id, { metadata: { nth: 2 } })).toHaveLength(3);
    const [, , before] = thread.states();
    const rest = thread.states(thread.id, { before: before?.checkpoint, limit: 2 });
    expect(rest.map(summaryOf)).toEqual([
      [4, "input", "__start__"],
      [3, "loop"],
    ]);
  });

  it("shows the writes of each task, and why the last one has none", async () => {
    const thread = await agentThread();
    await thread.run({ ...HELLO, interrupt_before: ["tools"] });
    await thread.run({ assistant_id: "failing", input: { a: 1 } });
    await thread.run({ assistant_id: "interrupting", input: { b: 2 } });
    const tasks = thread.states().map(({ tasks: [task] }) => task);
    expect(tasks.map((task) => [task?.name, task?.result])).toMatchObject([
      ["ask", null],
      ["__start__", { b: 2 }],
      ["fail", null],
      ["__start__", { a: 1 }],
      ["tools", null],
      ["agent", { messages: [{ type: "ai" }] }],
      ["__start__", { messages: [{ content: "hi" }] }],
    ]);
    expect(tasks[0]?.interrupts).toMatchObject([{ value: "Shall I continue?" }]);
    expect(JSON.parse(String(tasks[2]?.error))).toMatchObject({ name: "RuntimeError" });
    expect(tasks[4]).toMatchObject({ error: null, interrupts: [] });
  });

  it("shows the steps of a run that is under way, and forgets those of one that is rolled back", async () => {
    const thread = await agentThread();
    await thread.run({ assistant_id: "echo", input: { a: 1 } });
    const run = thread.start(thread.id, { assistant_id: "slow", input: {} });
    await thread.advance(2_500);
    expect(thread.states()[0]).toMatchObject({ values: { a: 1, step: 2 }, next: ["wait"] });
    expect(thread.turn((turn) => currentState(turn, thread.found()))).toMatchObject({ values: { step: 2 } });
    thread.cancel(run, "rollback");
    expect(thread.states()).toHaveLength(3);
    expect(thread.states()[0]?.values).toEqual({ a: 1 });
  });

  it("keeps the state of a cancelled run, with its next node", async () => {
    const thread = await agentThread();
    const run = thread.start(thread.id, { assistant_id: "slow", input: {} });
    await thread.advance(2_500);
    thread.cancel(run);
    expect(thread.states()[0]).toMatchObject({ values: { step: 2 }, next: ["wait"] });
    expect(thread.threadStatus(thread.id)).toBe("interrupted");
    await thread.run({ assistant_id: "slow", input: null });
    expect(thread.states().map(summaryOf).slice(0, 2)).toEqual([
      [10, "loop"],
      [9, "loop", "wait"],
    ]);
  });

  it("keeps the last state of each run for at least limits.agent_checkpoints", async () => {
    const thread = await agentThread({ limits: { agent_checkpoints: 2, agent_kept_streams: 1 } });
    for (const a of [1, 2, 3]) await thread.run({ assistant_id: "echo", input: { a } });
    expect(thread.states().map(({ values }) => values)).toEqual([{ a: 3 }, { a: 3 }, { a: 2 }, { a: 2 }]);
  });
});

describe("the checkpoints that a stream shows", () => {
  it.each(["agent", "interrupting", "slow", "failing"])("of %s are those of the history", async (graph) => {
    const thread = await agentThread();
    const viewOf = (run: string) =>
      thread
        .frames(run, "debug")
        .map(({ data }) => data as { type: string; step: number; payload: CheckpointFrame })
        .filter(({ type }) => type === "checkpoint")
        .map(({ step, payload }) => [
          step,
          payload.metadata.step,
          payload.checkpoint,
          payload.parent_checkpoint,
        ]);
    const first = viewOf(await thread.run({ ...HELLO, assistant_id: graph }));
    const second = viewOf(await thread.run({ ...HELLO, assistant_id: graph }));
    const entries = thread.states().map(({ metadata, checkpoint, parent_checkpoint }) => {
      const { step } = metadata as { step: number };
      return [step, step, checkpoint, parent_checkpoint];
    });
    expect([...first, ...second].reverse()).toEqual(entries);
  });

  it("begin with the state from which a run without input resumes", async () => {
    const thread = await agentThread();
    await thread.run({ ...HELLO, interrupt_before: ["tools"] });
    const [waiting] = thread.states();
    const run = await thread.run({ input: null });
    const [values, checkpoint] = thread.frames(run, "values", "checkpoints");
    expect(values).toMatchObject({ event: "values", data: waiting?.values });
    expect(checkpoint).toMatchObject({
      event: "checkpoints",
      data: { values: waiting?.values, metadata: waiting?.metadata, next: ["tools"] },
    });
    expect(thread.states()).toHaveLength(5);
  });
});

describe("a run from an earlier state", () => {
  it("resumes from a copy of it, and keeps the states after it", async () => {
    const thread = await agentThread();
    await thread.run(HELLO);
    const { checkpoint } = thread.states()[2] ?? {};
    const run = await thread.run({ input: null, checkpoint });
    expect(thread.states().map(summaryOf)).toEqual([
      [4, "loop"],
      [3, "loop", "agent"],
      [2, "fork", "tools"],
      [3, "loop"],
      [2, "loop", "agent"],
      [1, "loop", "tools"],
      [0, "loop", "agent"],
      [-1, "input", "__start__"],
    ]);
    expect(thread.states()[2]?.parent_checkpoint).toEqual(checkpoint);
    expect(thread.frames(run, "updates").map(({ data }) => Object.keys(data as object))).toEqual([
      ["tools"],
      ["agent"],
    ]);
  });

  it("with an input starts at the beginning with its values; without one from the first state, with its first input", async () => {
    const thread = await agentThread();
    await thread.run({ assistant_id: "echo", input: { a: 1 } });
    await thread.run({ assistant_id: "echo", input: { a: 2 } });
    const states = thread.states();
    const [after, before] = [states[3], states[5]].map(idOf);
    await thread.run({ assistant_id: "echo", input: { b: 3 }, checkpoint_id: after });
    expect(thread.values(thread.id)).toEqual({ a: 1, b: 3 });
    await thread.run({ assistant_id: "echo", input: null, checkpoint_id: before });
    expect(thread.values(thread.id)).toEqual({ a: 1 });
  });

  it("is refused when the thread has no such state, and fails when it is gone at the start", async () => {
    const thread = await agentThread({ limits: { agent_checkpoints: 1 } });
    const refusal = expect.objectContaining({ status: 404, hint: expect.stringContaining("/history") });
    expect(() => thread.start(thread.id, { checkpoint_id: "none" })).toThrow(refusal);
    expect(() => thread.start(null, { checkpoint_id: "none" })).toThrow(refusal);
    expect(() => thread.start(thread.id, { checkpoint: { checkpoint_ns: "inner:1" } })).toThrow(
      expect.objectContaining({ status: 422, message: expect.stringContaining("checkpoint_ns") }),
    );
    await thread.run({ assistant_id: "echo", input: { a: 1 } });
    const checkpoint_id = idOf(thread.states()[0]);
    const late = thread.start(thread.id, { checkpoint_id, after_seconds: 5 });
    thread.start(thread.id, { input: { a: 2 } });
    await thread.advance(5_000);
    expect(thread.outcome(late)).toMatchObject({ __error__: { error: "CheckpointNotFound" } });
    expect(thread.world.defect).toBeUndefined();
  });
});

describe("command.goto", () => {
  it("starts at a node of the graph, and the graph continues after it", async () => {
    const thread = await agentThread();
    await thread.run(HELLO);
    const run = await thread.run({ command: { goto: "agent", update: { messages: "and?" } } });
    expect(thread.frames(run, "updates").map(({ data }) => Object.keys(data as object)[0])).toEqual([
      "agent",
      "tools",
      "agent",
    ]);
    expect(thread.states().map(summaryOf)[3]).toEqual([4, "input", "agent"]);
  });

  it.each(["nowhere", 7, ["agent", "tools"], [{ node: "agent", input: {} }]])(
    "is refused for %j",
    async (goto) => {
      const thread = await agentThread();
      expect(() => thread.start(thread.id, { assistant_id: "agent", command: { goto } })).toThrow(
        expect.objectContaining({ status: 422, message: expect.stringContaining("of agent, tools") }),
      );
    },
  );
});

describe("config.recursion_limit", () => {
  const limited = (recursion_limit: unknown) => ({ ...HELLO, config: { recursion_limit } });

  it.each([
    [1, "error", 3],
    [2, "error", 4],
    [3, "error", 5],
    [4, "success", 5],
  ])("of %i ends a run with input of three nodes with %s", async (limit, status, states) => {
    const thread = await agentThread();
    const run = await thread.run(limited(limit));
    expect(thread.status(run)).toBe(status);
    expect(thread.states()).toHaveLength(states);
    if (status === "success") return;
    expect(thread.outcome(run)).toMatchObject({ __error__: { error: "GraphRecursionError" } });
    expect(thread.frames(run, "updates").at(-1)).toMatchObject({
      event: "error",
      data: { message: expect.stringContaining("config.recursion_limit") },
    });
    expect([thread.threadStatus(thread.id), thread.states()[0]?.tasks[0]?.error ?? null]).toEqual([
      "error",
      null,
    ]);
  });

  it("counts only the nodes of a run that resumes without input", async () => {
    const thread = await agentThread();
    await thread.run({ ...HELLO, interrupt_before: ["tools"] });
    expect(thread.status(await thread.run({ input: null, config: { recursion_limit: 1 } }))).toBe("success");
    await thread.run({ ...HELLO, interrupt_before: ["agent"] });
    const run = await thread.run({ input: null, config: { recursion_limit: 1 } });
    expect(thread.outcome(run)).toMatchObject({ __error__: { error: "GraphRecursionError" } });
  });

  it("comes before a breakpoint, and counts the nodes of a scripted run", async () => {
    const thread = await agentThread();
    const stopped = await thread.run({ ...limited(1), interrupt_before: ["tools"] });
    expect(thread.status(stopped)).toBe("error");
    const events = [
      { mode: "updates", data: { one: { a: 1 } } },
      { mode: "updates", data: { two: { b: 1 } } },
    ];
    thread.script({ then: { events } });
    expect(thread.status(await thread.run(limited(5)))).toBe("success");
    expect(thread.status(await thread.run(limited(1)))).toBe("error");
  });

  it.each([0, -1, 1.5, "3", null])("of %j is refused", async (recursion_limit) => {
    const thread = await agentThread();
    expect(() => thread.start(thread.id, limited(recursion_limit))).toThrow(
      expect.objectContaining({
        status: 422,
        message: expect.stringContaining("body.config.recursion_limit"),
      }),
    );
  });
});

describe("a copy of a thread", () => {
  it("has its states, with their ids and times, also when the thread is gone", async () => {
    const thread = await agentThread();
    await thread.run(HELLO);
    const originals = thread.states();
    await thread.advance(60_000);
    const copy = thread.turn((turn) => copyThread(turn, thread.found())).thread_id;
    const moved = JSON.parse(JSON.stringify(originals).replaceAll(thread.id, copy));
    expect(thread.states(copy)).toEqual(moved);
    thread.turn((turn) => updateState(turn, thread.found(copy), { values: { only: "here" } }));
    expect(thread.states()).toEqual(originals);
    const checkpoint_id = idOf(originals[3]);
    expect(thread.turn((turn) => stateAt(turn, thread.found(copy), checkpoint_id)).thread).toContain(copy);
  });

  it("has as many of the newest states as limits.agent_values_bytes allows together", async () => {
    const thread = await agentThread({ limits: { agent_values_bytes: 3_000, agent_kept_streams: 1 } });
    for (const n of [1, 2, 3])
      await thread.run({ assistant_id: "echo", input: { n, text: "x".repeat(1_200) } });
    const copy = thread.turn((turn) => copyThread(turn, thread.found())).thread_id;
    const numbers = (id: string) => thread.states(id).map(({ values }) => (values as { n: number }).n);
    expect([numbers(thread.id), numbers(copy)]).toEqual([
      [3, 3, 2, 2, 1],
      [3, 3, 2, 2],
    ]);
  });
});
